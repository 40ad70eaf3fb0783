//! `/incidents/{id}/signals`: the stretch, what its width leaves out, and what is refused.

use serde_json::Value;

use crate::server::{Server, problem};

async fn signals(server: &Server, query: &str) -> Value {
    let path = format!("/api/v1/incidents/INC-1/signals{query}");
    server.get(&path).send().await.expect("an answer").json().await.expect("JSON")
}

fn bins(answer: &Value) -> &Vec<Value> {
    answer["items"][0]["bins"].as_array().expect("bins")
}

#[tokio::test]
async fn a_stretch_has_its_bins_and_no_others() {
    let (server, _) = Server::with_example().await;
    let whole = signals(&server, "").await;
    assert_eq!(whole["items"][0]["thinned"], false);
    let window = signals(&server, "?from=2026-07-09T09:46:00Z&until=2026-07-09T12:17:00%2B02:00").await;
    let times: Vec<_> = bins(&window).iter().map(|bin| bin["at"].as_str().expect("a time")).collect();
    assert_eq!((times.len(), times[0], times[30]), (31, "2026-07-09T09:46:00Z", "2026-07-09T10:16:00Z"));
    let late = signals(&server, "?from=2026-07-09T10:17:00Z").await;
    assert!(bins(&late).iter().all(|bin| bin["at"].as_str() >= Some("2026-07-09T10:16:00Z")));
    assert!(bins(&whole).len() > bins(&late).len() && bins(&late).len() > 31);
}

#[tokio::test]
async fn what_a_width_cannot_show_is_left_out_but_no_peak_is() {
    let (server, _) = Server::with_example().await;
    let share =
        |bin: &Value| bin["numerator"].as_f64().expect("a count") / bin["denominator"].as_f64().expect("a count");
    let proved = |answer: &Value| -> Vec<f64> {
        bins(answer).iter().filter(|bin| bin["denominator"].as_u64() >= Some(20)).map(share).collect()
    };
    let whole = signals(&server, "").await;
    let narrow = signals(&server, "?width=5").await;
    assert_eq!(narrow["items"][0]["thinned"], true);
    assert!(bins(&narrow).len() < bins(&whole).len() / 2);
    let extremes = |values: &[f64]| (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
    assert_eq!(extremes(&proved(&narrow)), extremes(&proved(&whole)));
    assert_eq!(narrow["items"][0]["total"], whole["items"][0]["total"], "the total is of all of it");
    let wide = signals(&server, "?width=10000").await;
    assert_eq!(wide["items"], whole["items"]);
}

#[tokio::test]
async fn a_stretch_that_cannot_be_is_refused_by_the_name_of_what_is_wrong() {
    let (server, _) = Server::with_example().await;
    for (query, names) in [
        ("?from=yesterday", vec!["from"]),
        ("?until=2026-07-09", vec!["until"]),
        ("?from=2026-07-09T10:00:00Z&until=2026-07-09T10:00:00Z", vec!["until"]),
        ("?from=2026-07-09T10:00:00Z&until=2026-07-09T09:00:00Z", vec!["until"]),
        ("?width=0", vec!["width"]),
        ("?width=10001", vec!["width"]),
        ("?width=-1", vec!["width"]),
        ("?width=wide&from=", vec!["from", "width"]),
    ] {
        let response = server.get(&format!("/api/v1/incidents/INC-1/signals{query}")).send().await.expect("an answer");
        let refused = problem(response, 422, "invalid").await;
        let at: Vec<_> = refused["errors"].as_array().expect("errors").iter().map(|e| e["pointer"].as_str()).collect();
        assert_eq!(at, names.into_iter().map(Some).collect::<Vec<_>>(), "{query}");
    }
    let response = server.get("/api/v1/incidents/INC-1/signals?widht=3").send().await.expect("an answer");
    problem(response, 400, "malformed-request").await;
}

#[tokio::test]
async fn the_file_has_what_is_in_view_and_not_switched_off() {
    let (server, _) = Server::with_example().await;
    let read = async |query: &str| {
        let path = format!("/api/v1/incidents/INC-1/signals.csv{query}");
        let response = server.get(&path).send().await.expect("an answer");
        assert_eq!(response.headers()["content-disposition"], "attachment; filename=\"inc-1-signals.csv\"");
        response.text().await.expect("a text")
    };
    let window = "?from=2026-07-09T09:46:00Z&until=2026-07-09T10:17:00Z";
    let text = read(window).await;
    let of_kind = |text: &str, kind: &str| text.lines().filter(|line| line.split(',').nth(1) == Some(kind)).count();
    assert_eq!((of_kind(&text, "ratio"), of_kind(&text, "flag"), of_kind(&text, "timeline")), (31, 1, 4), "{text}");
    let failed: u64 = text
        .lines()
        .filter(|line| line.contains(",ratio,"))
        .map(|line| line.split(',').nth(5).expect("a cell").parse::<u64>().expect("a count"))
        .sum();
    assert_eq!(failed, 1284);
    let text = read(&format!("{window}&hide=flag%3Acheckout-sync-retries%0Adeploys")).await;
    assert_eq!(of_kind(&text, "flag"), 0);
    assert!(of_kind(&read("").await, "ratio") > 91);
    let response = server.get("/api/v1/incidents/INC-1/signals.csv?from=x").send().await.expect("an answer");
    problem(response, 422, "invalid").await;
}
