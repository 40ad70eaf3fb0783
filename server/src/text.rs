//! Text that people wrote, rendered for a page: Markdown to sanitised HTML. The only maker of HTML on the server.
//!
//! Raw HTML is shown as text, links lead to http, https and mailto alone, pictures become links.

use std::collections::BTreeMap;

use domain::EvidenceNumber;
use domain::action::Note;
use domain::prose::{Piece, Prose};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// Stand-ins for evidence marks while Markdown is rendered: a number between two private-use characters.
///
/// A text may hold these characters itself, also as entities, so they are taken out of the source, and out of whatever the
/// reading of Markdown makes of it: only `OPEN digits CLOSE` in running text is left when it becomes HTML.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// Prose with its evidence marks as links to `#evidence-N`.
pub fn render_prose(prose: &Prose) -> String {
    let mut source = String::with_capacity(prose.marked().len());
    for piece in prose.pieces() {
        match piece {
            Piece::Text(text) => source.extend(without_stand_ins(text)),
            Piece::Mark(number) => {
                source.push(OPEN);
                source.push_str(&number.to_string());
                source.push(CLOSE);
            }
        }
    }
    link_marks(&render(&source))
}

/// Prose of one paragraph, without the paragraph around it.
pub fn render_prose_inline(prose: &Prose) -> String {
    unwrap_paragraph(render_prose(prose))
}

/// A progress note.
pub fn render_note(markdown: &str) -> String {
    render(&without_stand_ins(markdown).collect::<String>())
}

/// A note with its text rendered.
pub fn render_note_html(mut note: Note) -> Note {
    note.html = render_note(&note.text);
    note
}

/// The fields whose text carries Markdown, rendered.
pub fn render_fields<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, String> {
    fields.into_iter().filter_map(|(field, text)| Some((field.to_owned(), render_line(text)?))).collect()
}

/// One line of text; none where it reads the same as plain text.
pub fn render_line(text: &str) -> Option<String> {
    if !text.contains(|c: char| "*_`[]<>\\~#|!&:".contains(c)) {
        return None;
    }
    let html = unwrap_paragraph(render_note(text));
    (html != ammonia::clean_text(text) && html != escape(text)).then_some(html)
}

fn without_stand_ins(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| *c != OPEN && *c != CLOSE)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn unwrap_paragraph(html: String) -> String {
    match html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>")) {
        Some(inner) if !inner.contains("<p>") => inner.to_owned(),
        _ => html,
    }
}

fn render(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut inside_link = 0_usize;
    let events = Parser::new_ext(markdown, options).flat_map(move |event| {
        match &event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => inside_link += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => inside_link = inside_link.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Text(text) if inside_link == 0 => link_addresses(only_marks(text)),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(written(text))],
            Event::Code(text) => vec![Event::Code(written(text))],
            Event::Start(
                Tag::Link { link_type, dest_url, title, id } | Tag::Image { link_type, dest_url, title, id },
            ) => {
                let (dest_url, title) = (written(dest_url), written(title));
                vec![Event::Start(Tag::Link { link_type, dest_url, title, id: written(id) })]
            }
            // A language is no part of what is shown.
            Event::Start(Tag::CodeBlock(_)) => vec![Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))],
            Event::End(TagEnd::Image) => vec![Event::End(TagEnd::Link)],
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                vec![Event::Start(Tag::Heading { level: lowered(level), id, classes, attrs })]
            }
            Event::End(TagEnd::Heading(level)) => vec![Event::End(TagEnd::Heading(lowered(level)))],
            other => vec![other],
        }
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    let clean = ammonia::Builder::default()
        .url_schemes(["http", "https", "mailto"].into())
        // Within this site a text leads only to its evidence, by marks; `//elsewhere` would look like a part of the site.
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .rm_tags(["img", "map", "area"])
        .add_tags(["input"])
        .add_tag_attributes("input", ["type", "checked", "disabled"])
        .clean(&html)
        .to_string();
    clean.trim_end().to_owned()
}

/// A page has its own headings down to the third level; those of a text come below.
fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H4,
        HeadingLevel::H2 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

/// Turns bare web addresses in a run of text into links.
fn link_addresses(text: CowStr<'_>) -> Vec<Event<'_>> {
    if !text.contains("://") {
        return vec![Event::Text(text)];
    }
    let (mut events, mut rest): (Vec<Event<'_>>, &str) = (Vec::new(), &text);
    while let Some(at) = rest.find("https://").into_iter().chain(rest.find("http://")).min() {
        let tail = &rest[at..];
        let end = tail.find(|c: char| c.is_whitespace() || "<>\"".contains(c) || c == OPEN).unwrap_or(tail.len());
        let address = tail[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'']);
        events.push(Event::Text(rest[..at].to_owned().into()));
        let dest: CowStr<'_> = address.to_owned().into();
        events.push(Event::Start(Tag::Link {
            link_type: LinkType::Autolink,
            dest_url: dest.clone(),
            title: "".into(),
            id: "".into(),
        }));
        events.push(Event::Text(dest));
        events.push(Event::End(TagEnd::Link));
        rest = &tail[address.len()..];
    }
    events.push(Event::Text(rest.to_owned().into()));
    events
}

/// A text with its evidence marks, and no stand-in beside them.
fn only_marks(text: CowStr<'_>) -> CowStr<'_> {
    with_marks_as(text, |number| format!("{OPEN}{number}{CLOSE}"))
}

/// A text with its evidence marks as they were written: where they can be no links, in code, in another link, in an address.
fn written(text: CowStr<'_>) -> CowStr<'_> {
    with_marks_as(text, |number| format!("[^{number}]"))
}

fn with_marks_as(text: CowStr<'_>, mark: impl Fn(EvidenceNumber) -> String) -> CowStr<'_> {
    if text.contains([OPEN, CLOSE]) { replace_marks(&text, mark).into() } else { text }
}

/// Evidence marks as links.
fn link_marks(html: &str) -> String {
    replace_marks(html, |number| {
        format!(
            r##"<sup class="cite"><a rel="external" href="#evidence-{number}" aria-label="Evidence {number}">{number}</a></sup>"##
        )
    })
}

/// A text with something else for each evidence mark. Stand-ins that enclose no number go.
fn replace_marks(text: &str, mark: impl Fn(EvidenceNumber) -> String) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut parts = text.split(OPEN);
    out.extend(parts.next().into_iter().flat_map(without_stand_ins));
    for part in parts {
        let after = match part.split_once(CLOSE).map(|(number, after)| (number.parse(), after)) {
            Some((Ok(number), after)) => {
                out.push_str(&mark(number));
                after
            }
            _ => part,
        };
        out.extend(without_stand_ins(after));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_html_is_shown_as_text() {
        let html = render_note("<script>alert(1)</script> and <b onclick=x>bold</b>");
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        assert!(!html.contains("<b"), "{html}");
    }

    #[test]
    fn links_lead_to_the_web_and_to_mail_alone() {
        let html = render_note(
            "[a](javascript:alert(1)) [b](https://example.org) [c](mailto:a@example.org) [d](data:text/html,x)",
        );
        assert!(!html.contains("javascript"), "{html}");
        assert!(!html.contains("data:"), "{html}");
        assert!(
            html.contains(r#"href="https://example.org""#) && html.contains(r#"href="mailto:a@example.org""#),
            "{html}"
        );
    }

    #[test]
    fn a_link_without_a_scheme_leads_nowhere() {
        for to in ["//evil.example", "/api/v1/session", "evil", "?x", "#evidence-1", "\\\\\\\\evil.example", "."] {
            let html = render_note(&format!("[x]({to}) ![y]({to})"));
            assert!(!html.contains("href") && html.contains(">x</a>"), "{to}: {html}");
        }
    }

    #[test]
    fn a_picture_becomes_a_link() {
        let html = render_note("![graph](https://example.org/a.png)");
        assert!(html.contains(r#"<a href="https://example.org/a.png""#) && !html.contains("<img"), "{html}");
    }

    #[test]
    fn a_bare_address_becomes_a_link_without_the_full_stop_after_it() {
        let html = render_note("See https://example.org/x?a=1&b=2. Then (http://example.org).");
        assert!(html.contains(r#"href="https://example.org/x?a=1&amp;b=2""#), "{html}");
        assert!(html.contains(r#"href="http://example.org""#), "{html}");
    }

    #[test]
    fn an_address_in_code_stays_code() {
        assert!(!render_note("`https://example.org`").contains("<a"));
    }

    #[test]
    fn marks_become_links_to_their_evidence() {
        let html = render_prose(&Prose::new("Queue saturation.[^2]\n\nNo guard.[^3]"));
        assert!(html.contains(r##"saturation.<sup class="cite"><a rel="external" href="#evidence-2""##), "{html}");
        assert!(html.contains(r##"guard.<sup class="cite"><a rel="external" href="#evidence-3""##), "{html}");
        assert_eq!(html.matches("<p>").count(), 2, "{html}");
    }

    #[test]
    fn private_characters_in_a_text_forge_no_mark() {
        let html = render_prose(&Prose::new(format!("{OPEN}\"><script>{CLOSE} x[^1]")));
        assert!(!html.contains("<script"), "{html}");
        assert_eq!(html.matches("<sup").count(), 1, "{html}");
    }

    #[test]
    fn private_characters_that_arise_from_entities_forge_nothing() {
        let attribute = r#"1" style="position:fixed;inset:0" onmouseover="alert(1)"#;
        for (open, close) in [("&#xE000;", "&#xE001;"), ("&#57344;", "&#57345;"), ("\u{E000}", "\u{E001}")] {
            for text in [
                format!("See {open}{attribute}{close} x"),
                format!("{open}{attribute}[^1]{close} x"),
                format!("[a](https://example.org/{open}2{close} \"{open}3{close}\") x"),
                format!("`{open}4{close}` <b title='{open}5{close}'> ```{open}6{close}```"),
                format!("```{open}7{close}\n{open}8{close}\n```"),
                format!("![{open}9{close}](https://example.org/{open}{open}1{close}{close})"),
                format!("https://example.org/{open}1{close}{open}"),
            ] {
                for html in [render_prose(&Prose::new(&*text)), render_note(&text)] {
                    assert!(!html.contains([OPEN, CLOSE]), "{text}: {html}");
                    let tags = html.split('<').skip(1).filter_map(|tag| tag.split('>').next());
                    for tag in tags {
                        assert!(!tag.contains("style=") && !tag.contains("onmouseover="), "{text}: {html}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_mark_that_can_be_no_link_stays_as_it_was_written() {
        for (text, kept) in [
            ("`x[^1]`", "<code>x[^1]</code>"),
            ("[a](https://example.org \"t[^2]\")", r#"title="t[^2]""#),
            ("[see[^3]](https://example.org)", ">see[^3]</a>"),
            ("```\ncode[^4]\n```", "code[^4]"),
        ] {
            let html = render_prose(&Prose::new(text));
            assert!(html.contains(kept) && !html.contains("<sup"), "{text}: {html}");
        }
        let html = render_prose(&Prose::new("https://example.org/a[^5]"));
        assert!(html.contains(r#"href="https://example.org/a""#) && html.contains("#evidence-5"), "{html}");
    }

    #[test]
    fn private_characters_in_a_note_stay_harmless() {
        assert!(!render_note(&format!("{OPEN}1{CLOSE}")).contains("<sup"));
    }

    #[test]
    fn a_plain_line_needs_no_rendering() {
        for line in ["Provider latency crosses 4 seconds", "a & b", "5 > 4", "Owner: nobody", "10:46 – done!"] {
            assert_eq!(render_line(line), None, "{line}");
        }
        assert_eq!(render_line("set `retries` off").as_deref(), Some("set <code>retries</code> off"));
    }
}
