use super::read::read;
use super::{super::listed::Found, Reading};
use crate::store::NewDeploy;

fn found(text: &str) -> Found<NewDeploy> {
    found_as(text, &Reading::default())
}

fn found_as(text: &str, reading: &Reading) -> Found<NewDeploy> {
    read(text.as_bytes(), reading).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> String {
    match read(text.as_bytes(), &Reading::default()) {
        Ok(found) => panic!("{text} was read as {found:?}"),
        Err(error) => error.to_string(),
    }
}

/// Each deploy as `time service version environment by link`.
fn told(found: &Found<NewDeploy>) -> Vec<String> {
    let told = found.things.iter().map(|deploy| {
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        format!(
            "{} {} {} {} {} {}",
            deploy.at.format("%d %H:%M:%S%.f"),
            deploy.service,
            deploy.version,
            or(&deploy.environment),
            or(&deploy.by),
            or(&deploy.link)
        )
    });
    told.collect()
}

#[test]
fn the_same_deploys_in_every_form_are_the_same() {
    let json = r#"[
        {"at":"2026-07-09T11:58:00+02:00","service":"checkout","version":"1.4.1","environment":"production","by":"mia","link":"https://ci.example/7"},
        {"at":"2026-07-09T09:40:00.1239Z","service":"cart","version":812,"environment":null,"by":" "}]"#;
    let expected = ["09 09:40:00.123 cart 812 - - -", "09 09:58:00 checkout 1.4.1 production mia https://ci.example/7"];
    let csv = "Deployed_At,App,Tag,Env,Author,URL,note\r\n\
        2026-07-09T11:58:00+02:00,checkout,1.4.1,production,mia,https://ci.example/7,x\r\n\
        2026-07-09T09:40:00.1239Z,cart,812,,,,\r\n";
    let epoch = "timestamp;component;sha;env;by;url\n1783591080;checkout;1.4.1;production;mia;https://ci.example/7\n1783590000.1239;cart;812;;;\n";
    let millis = r#"{"deployments":[{"ts":1783590000123,"app":"cart","sha":"812"},
        {"ts":1783591080000,"app":"checkout","sha":"1.4.1","stage":"production","actor":"mia","web_url":"https://ci.example/7"}]}"#;
    for text in [
        json,
        &format!("{{\"deploys\":{json}}}"),
        csv,
        &format!("\u{feff}{csv}"),
        &csv.replace(',', "\t"),
        epoch,
        millis,
    ] {
        assert_eq!(told(&found(text)), expected, "{text}");
    }
}

#[test]
fn times_without_a_zone_are_asked_for_and_read_in_the_zone_that_is_said() {
    let text = "time,service,version\n2026-07-09 11:58,checkout,1\n2026-10-25 02:30,checkout,2\n";
    assert!(refusal(text).contains("the times in ‘at’ name no zone; say which zone they are in"));
    let reading = Reading { zone: Some("Europe/Berlin".to_owned()), service: None };
    let found = found_as(text, &reading);
    assert_eq!(told(&found), ["09 09:58:00 checkout 1 - - -"]);
    assert_eq!((found.refused.rows[0].place, found.refused.rows[0].reason.contains("twice or never")), (3, true));
}

#[test]
fn a_list_of_one_services_deploys_need_not_name_it() {
    let text = "at,version\n2026-07-09T09:58:00Z,1\n";
    assert!(refusal(text).contains("no column ‘service’ or ‘app’"));
    let reading = Reading { zone: None, service: Some("checkout".to_owned()) };
    assert_eq!(told(&found_as(text, &reading)), ["09 09:58:00 checkout 1 - - -"]);
    let text =
        r#"[{"at":"2026-07-09T09:58:00Z","version":"1","service":"cart"},{"at":"2026-07-09T09:59:00Z","version":"2"}]"#;
    assert_eq!(told(&found_as(text, &reading)), ["09 09:58:00 cart 1 - - -", "09 09:59:00 checkout 2 - - -"]);
}

#[test]
fn what_cannot_be_read_is_named_with_its_place_and_the_rest_is_kept() {
    let text = "at,service,version,link\n\
        2026-07-09T09:58:00Z,checkout,,\n\
        soon,checkout,1,\n\
        2026-07-09T09:58:00Z,checkout,1,javascript:alert(1)\n\
        2026-07-09T09:58:00Z,checkout\n\
        2026-07-09T09:58:00Z,checkout,1,\n";
    let read = found(text);
    assert_eq!(told(&read), ["09 09:58:00 checkout 1 - - -"]);
    let rows: Vec<_> = read.refused.rows.iter().map(|row| (row.place, row.reason.as_str())).collect();
    assert_eq!(
        rows,
        [
            (2, "‘version’ is missing"),
            (3, "at ‘soon’ is not a time with date and zone, such as 2026-07-09T09:46:00Z or …+02:00"),
            (4, "‘link’ does not begin with http:// or https://"),
            (5, "2 fields under a header of 4"),
        ]
    );
    let long = format!(
        r#"[{{"at":"2026-07-09T09:58:00Z","service":"{}","version":"1"}},{{"at":[],"service":"a","version":"1"}},7,
        {{"at":"2026-07-09T09:58:00Z","service":"a","version":"1"}}]"#,
        "é".repeat(501)
    );
    let reasons: Vec<_> = found(&long).refused.rows.into_iter().map(|row| row.reason).collect();
    assert_eq!(reasons, ["‘service’ has more than 500 characters", "‘at’ is not a text", "not an object"]);
}

#[test]
fn a_file_that_holds_no_deploy_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "the file is empty"),
        ("{\"deploys\":[]}", "the file holds no deploys"),
        ("at,service,version\n", "the file holds no deploys"),
        ("{\"releases\":[]}", "an object without the list ‘deploys’ or ‘deployments’"),
        ("[{]", "line 1, column 3: not JSON"),
        ("at,version\n1,a\n", "no column ‘service’"),
        ("at,service,version,AT\n1,a,b,c\n", "line 1: the column ‘at’ stands twice"),
        (
            "[{\"service\":\"a\"}]",
            "not one of the 1 elements is a deploy that could be read; element 0: ‘at’ is missing",
        ),
    ] {
        let told = refusal(text);
        assert!(told.contains(reason), "{text}: {told}");
    }
}
