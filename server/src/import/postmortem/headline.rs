//! The headline, the points under it, and the title.

use domain::draft::Level;
use domain::prose::Prose;
use domain::wire::actions::MAX_LINE;

use super::lines::{Form, Line};
use super::list::{self, Block};
use super::section::Kind;
use super::{Reading, facts, prose};

/// The beginning of a clause that may have no end.
fn shown(clause: &str) -> String {
    let begin: String = clause.chars().take(MAX_LINE).collect();
    if begin.len() < clause.len() { begin + "…" } else { begin }
}

impl Reading<'_, '_> {
    /// The headline, the points under it, and a first line that reads as a title.
    pub(super) fn headline(&mut self) -> (Prose, Vec<Prose>, Option<String>) {
        let (mut paragraphs, mut points, mut lead) = (Vec::new(), Vec::new(), None);
        let top: Vec<_> =
            self.cut.sections.iter().filter(|section| matches!(section.kind, Kind::Top | Kind::Summary)).collect();
        let has_more = top.iter().map(|section| section.lines.len()).sum::<usize>() > 1;
        for section in top {
            let mut run: Vec<Line<'_>> = Vec::new();
            for block in list::blocks(&section.lines) {
                match block {
                    Block::Item(item) => {
                        paragraphs.extend(prose::paragraphs(&std::mem::take(&mut run), self.report));
                        points.push(self.point(&item));
                    }
                    Block::Heading(line) => run.push(line),
                    Block::Paragraph(lines) | Block::Apart(lines) => {
                        run.extend(lines.iter().filter(|line| line.form != Form::Comment));
                    }
                }
            }
            let is_first = paragraphs.is_empty();
            paragraphs.extend(prose::paragraphs(&run, self.report));
            let is_title = |text: &String| {
                text.chars().count() <= 120 && !prose::ends_sentence(text) && !text.contains(['|', '\n', ';', ','])
            };
            if is_first
                && section.kind == Kind::Top
                && self.cut.title.is_none()
                && has_more
                && paragraphs.first().is_some_and(is_title)
            {
                lead = Some(paragraphs.remove(0));
            }
        }
        (Prose::new(paragraphs.join("\n\n")), points, lead)
    }

    fn point(&mut self, item: &list::Item<'_>) -> Prose {
        self.report.read(&item.line);
        item.rest.iter().for_each(|line| self.report.read(line));
        let below = prose::markdown(&item.below, self.report);
        Prose::new(if below.is_empty() { item.text.clone() } else { format!("{}\n{below}", item.text) })
    }

    /// The title: a label, a heading of its own, a first line that reads as one, or the headline's first clause.
    pub(super) fn title(&mut self, lead: Option<String>, summary: &Prose) -> String {
        let heading = self.cut.title.map(|line| line.text.to_owned());
        if let Some(line) = self.cut.title {
            self.report.read(&line);
        }
        let labelled = self.labels.get("title").map(str::to_owned);
        if let (Some(label), Some(heading)) = (&labelled, self.cut.title)
            && label != heading.text
        {
            self.report.name(
                Level::Note,
                &heading,
                "the title is taken from its label, so this heading is in no field",
            );
        }
        if let (true, Some(lead)) = (labelled.is_some() || heading.is_some(), &lead) {
            self.report.add(
                Level::Note,
                None,
                "the title is taken from elsewhere, so the first line is in no field",
                Some(lead),
            );
        }
        if let Some(title) = labelled.or(heading).or(lead) {
            return Prose::new(title).plain();
        }
        let clause = facts::first_clause(&summary.plain());
        let clause = if clause.starts_with('|') { String::new() } else { clause };
        if clause.is_empty() {
            let message = "the document has neither a title nor a headline; give the incident a title";
            self.report.add(Level::Warning, None, message, None);
            return "Untitled incident".to_owned();
        }
        let message = format!("the document has no title; the headline's first clause is taken: ‘{}’", shown(&clause));
        self.report.add(Level::Note, None, message, None);
        clause
    }
}
