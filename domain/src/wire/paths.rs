//! The API's paths. Nobody spells one elsewhere.

/// Where the API's version lives.
pub const API: &str = "/api/v1";

/// The incidents.
pub fn incidents() -> String {
    format!("{API}/incidents")
}

/// One incident: the whole dashboard.
pub fn incident(id: &str) -> String {
    format!("{API}/incidents/{}", segment(id))
}

/// An incident's signals.
pub fn signals(id: &str) -> String {
    format!("{}/signals", incident(id))
}

/// An incident's signals as a file of rows.
pub fn signals_csv(id: &str) -> String {
    format!("{}/signals.csv", incident(id))
}

/// An incident as a file: `md`, `json` or `csv`.
pub fn export(id: &str, format: &str) -> String {
    format!("{}/export.{format}", incident(id))
}

/// The text that an incident was imported from.
pub fn source(id: &str) -> String {
    format!("{}/source", incident(id))
}

/// The action items of every incident.
pub fn actions() -> String {
    format!("{API}/actions")
}

/// How many action items there are.
pub fn action_counts() -> String {
    format!("{}/counts", actions())
}

/// The action items as a table for a spreadsheet.
pub fn actions_csv() -> String {
    format!("{API}/actions.csv")
}

/// One action item.
pub fn action(id: &str) -> String {
    format!("{}/{}", actions(), segment(id))
}

/// An action item's progress notes.
pub fn notes(id: &str) -> String {
    format!("{}/notes", action(id))
}

/// Whoever is signed in: read, sign in, sign out.
pub fn session() -> String {
    format!("{API}/session")
}

/// How one can sign in here; readable by everybody.
pub fn sign_in_options() -> String {
    format!("{API}/session/options")
}

/// Sets one's own password.
pub fn password() -> String {
    format!("{API}/session/password")
}

/// Where signing in at the identity provider begins; a page, not JSON.
pub fn oidc_start() -> String {
    format!("{API}/session/oidc")
}

/// Where the identity provider sends people back to.
pub fn oidc_callback() -> String {
    format!("{}/callback", oidc_start())
}

/// The sessions one may see: one's own, or everybody's for administrators.
pub fn sessions() -> String {
    format!("{API}/sessions")
}

/// One session.
pub fn session_of(id: &str) -> String {
    format!("{}/{}", sessions(), segment(id))
}

/// Everybody with an account, by name alone.
pub fn people() -> String {
    format!("{API}/people")
}

/// The accounts.
pub fn users() -> String {
    format!("{API}/users")
}

/// One account.
pub fn user(id: &str) -> String {
    format!("{}/{}", users(), segment(id))
}

/// Makes a link that signs somebody in.
pub fn sign_in_link(id: &str) -> String {
    format!("{}/sign-in-link", user(id))
}

/// The teams.
pub fn teams() -> String {
    format!("{API}/teams")
}

/// One team.
pub fn team(id: &str) -> String {
    format!("{}/{}", teams(), segment(id))
}

/// The tokens one may see: one's own, or all for administrators.
pub fn tokens() -> String {
    format!("{API}/tokens")
}

/// One token.
pub fn token(id: &str) -> String {
    format!("{}/{}", tokens(), segment(id))
}

/// The share links.
pub fn shares() -> String {
    format!("{API}/shares")
}

/// One share link.
pub fn share(id: &str) -> String {
    format!("{}/{}", shares(), segment(id))
}

/// A shared incident, for whoever has the link.
pub fn shared(secret: &str) -> String {
    format!("{API}/shared/{}", segment(secret))
}

/// A shared incident's signals.
pub fn shared_signals(secret: &str) -> String {
    format!("{}/signals", shared(secret))
}

/// A shared incident's signals as a file of rows.
pub fn shared_signals_csv(secret: &str) -> String {
    format!("{}/signals.csv", shared(secret))
}

/// Who may see an incident.
pub fn access(id: &str) -> String {
    format!("{}/access", incident(id))
}

/// An incident's action items.
pub fn actions_of(id: &str) -> String {
    format!("{}/actions", incident(id))
}

/// What would help whoever writes an action item.
pub fn advice() -> String {
    format!("{API}/actions/advice")
}

/// The proofs of an action item: appended.
pub fn verifications(id: &str) -> String {
    format!("{}/verifications", action(id))
}

/// Who changed what of an action item.
pub fn action_history(id: &str) -> String {
    format!("{}/history", action(id))
}

/// Who changed what of an incident.
pub fn history(id: &str) -> String {
    format!("{}/history", incident(id))
}

/// What changes, as it happens.
pub fn changes() -> String {
    format!("{API}/changes")
}

/// An incident's evidence.
pub fn evidence(id: &str) -> String {
    format!("{}/evidence", incident(id))
}

/// One piece of evidence.
pub fn evidence_of(id: &str, number: u32) -> String {
    format!("{}/{number}", evidence(id))
}

/// Adds a file as evidence.
pub fn evidence_files(id: &str) -> String {
    format!("{}/files", evidence(id))
}

/// The file that a piece of evidence is.
pub fn evidence_file(id: &str, number: u32) -> String {
    format!("{}/file", evidence_of(id, number))
}

/// An incident's claims: figures bound to computations.
pub fn claims(id: &str) -> String {
    format!("{}/claims", incident(id))
}

/// One claim.
pub fn claim(id: &str, claim: &str) -> String {
    format!("{}/{}", claims(id), segment(claim))
}

/// How many customers an incident affected, and how many are to be written to.
pub fn cohort(id: &str) -> String {
    format!("{}/cohort", incident(id))
}

/// The customers behind these numbers.
pub fn cohort_customers(id: &str) -> String {
    format!("{}/customers", cohort(id))
}

/// The customers to be written to, as a table for a spreadsheet.
pub fn cohort_csv(id: &str) -> String {
    format!("{}/cohort.csv", incident(id))
}

/// Marks customers as written to.
pub fn cohort_contacted(id: &str) -> String {
    format!("{}/contacted", cohort(id))
}

/// The text that the cohort is written to with.
pub fn cohort_message(id: &str) -> String {
    format!("{}/message", cohort(id))
}

/// Checks a text before anybody is written to.
pub fn cohort_message_check(id: &str) -> String {
    format!("{}/check", cohort_message(id))
}

/// Brings in a load test's file as evidence.
pub fn load_test(id: &str) -> String {
    format!("{}/imports/load-test", incident(id))
}

/// Brings in a file of attempts.
pub fn events(id: &str) -> String {
    format!("{}/imports/events", incident(id))
}

/// Brings in plain values over time: a file of them, or what a Prometheus server answers.
pub fn values(id: &str) -> String {
    format!("{}/signals", imports(id))
}

/// One signal.
pub fn signal(id: &str, signal: &str) -> String {
    format!("{}/{}", signals(id), segment(signal))
}

/// The Prometheus servers that the operator made known.
pub fn prometheus_servers() -> String {
    format!("{API}/prometheus-servers")
}

/// Brings in changes of feature flags.
pub fn flags_import(id: &str) -> String {
    format!("{}/flags", imports(id))
}

/// Brings in deploys.
pub fn deploys_import(id: &str) -> String {
    format!("{}/deploys", imports(id))
}

/// The files that an incident's telemetry was imported from.
pub fn imports(id: &str) -> String {
    format!("{}/imports", incident(id))
}

/// One of these files.
pub fn import(id: &str, import: &str) -> String {
    format!("{}/{}", imports(id), segment(import))
}

/// A mapping that was saved under this name.
pub fn mapping(name: &str) -> String {
    format!("{}/{}", mappings(), segment(name))
}

/// The mappings of columns that were saved.
pub fn mappings() -> String {
    format!("{API}/imports/mappings")
}

/// Escapes a text so that it is one segment of a path, or one value of a query.
pub fn segment(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped.push(char::from_digit(digit.into(), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
    escaped
}
