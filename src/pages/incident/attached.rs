//! A file that is evidence: a picture small, text when it is asked for, all else to be saved. None is shown as a page.

use domain::EvidenceNumber;
use domain::evidence::EvidenceFile;
use domain::wire::incidents::Dashboard;
use domain::wire::paths;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::client;
use crate::view::view;

/// The file that a source is.
pub fn attached(incident: &Dashboard, number: EvidenceNumber, file: &EvidenceFile) -> AnyView {
    let address = paths::evidence_file(incident.id.as_str(), number);
    let (name, saved_as) = (file.file_name.clone(), file.file_name.clone());
    let picture = file.media.is_picture().then(|| picture(file, &address));
    let text = file.media.is_text().then(|| text(incident.id.to_string(), number));
    let stripped = file.stripped.then(
        || view! { <small>"What the camera or program had written into it was taken out before it was kept."</small> },
    );
    view! {
        <div class="file">
            {picture}
            <small>
                <a href=address download=saved_as rel="external">{name}</a>
                {format!(" · {} · SHA-256 {}…", told(file), file.sha256.get(..12).unwrap_or(""))}
            </small>
            {stripped}
            {text}
        </div>
    }
}

/// What the file is, in a few words.
fn told(file: &EvidenceFile) -> String {
    let size = match (file.width, file.height) {
        (Some(width), Some(height)) => format!(", {width} × {height} pixels"),
        _ => String::new(),
    };
    format!("{}{size}, {}", file.media.label(), bytes(file.bytes))
}

/// A number of bytes, for people.
fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{} KB", count.div_ceil(1024)),
        _ => format!("{}.{} MB", count / 1_048_576, count % 1_048_576 * 10 / 1_048_576),
    }
}

/// The picture, small; it opens large in a tab of its own.
fn picture(file: &EvidenceFile, address: &str) -> AnyView {
    let shows = file.description.clone().unwrap_or_default();
    view! {
        <a class="thumb" href=address.to_owned() target="_blank" rel="external noopener">
            <img src=address.to_owned() alt=shows.clone() width=file.width height=file.height loading="lazy"/>
        </a>
        <span>{shows}</span>
    }
    .into_any()
}

/// The beginning of a text, once it is asked for.
fn text(incident: String, number: EvidenceNumber) -> AnyView {
    let said = RwSignal::new(None::<Result<String, String>>);
    let open = move |_| {
        let incident = incident.clone();
        spawn_local(async move {
            let answer = client::incidents::evidence_text(&incident, number).await;
            let _ = said.try_set(Some(answer.map_err(|failure| failure.message())));
        });
    };
    let shown = move || match said.get() {
        None => view! { <button class="link" type="button" on:click=open.clone()>"Show the text"</button> }.into_any(),
        Some(Ok(text)) => view! {
            <pre tabindex="0" role="region" aria-label="The text">{text}</pre>
        }
        .into_any(),
        Some(Err(why)) => view! { <p class="error" role="alert">{why}</p> }.into_any(),
    };
    view! { <div>{shown}</div> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_the_unit_that_suits_it() {
        for (count, told) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KB"),
            (48_213, "48 KB"),
            (1_048_575, "1024 KB"),
            (1_048_576, "1.0 MB"),
            (10_380_903, "9.9 MB"),
        ] {
            assert_eq!(bytes(count), told);
        }
    }
}
