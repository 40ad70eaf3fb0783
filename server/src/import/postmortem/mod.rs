//! stub
use serde::Serialize;
pub struct Options {
    pub date: Option<chrono::NaiveDate>,
}
#[derive(Serialize)]
pub struct Parsed {
    pub incidents: Vec<domain::draft::IncidentDraft>,
    pub diagnostics: Vec<domain::draft::Diagnostic>,
}
pub fn parse(_: &[u8], _: &Options) -> Parsed {
    Parsed { incidents: vec![], diagnostics: vec![] }
}
impl Parsed {
    pub fn refusals(&self) -> Vec<&domain::draft::Diagnostic> {
        vec![]
    }
}
