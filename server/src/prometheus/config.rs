//! The file that makes Prometheus servers known: a table of TOML for each, named as people call it.

use std::fmt::Display;
use std::path::Path;

use openidconnect::url::{Host, Url};
use toml::{Table, Value};

use super::{Access, Known};

/// What the file is called in the data folder.
pub const FILE_NAME: &str = "prometheus.toml";

/// The most characters of a server's name.
const MAX_NAME: usize = 60;

/// What can be said of a server.
const SETTINGS: [&str; 6] = ["address", "bearer_token", "bearer_token_file", "user", "password", "password_file"];

/// Reads the file. An error names the place, and never quotes what may be a secret.
pub fn read_file(path: &Path) -> Result<Vec<Known>, String> {
    let at = |error: &dyn Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| at(&error))?;
    let servers = parse(&text).map_err(|error| at(&error))?;
    if holds_secret(&text) && is_open_to_others(path).map_err(|error| at(&error))? {
        return Err(at(&"it holds a secret and others can read it; chmod 600 keeps them out"));
    }
    Ok(servers)
}

fn parse(text: &str) -> Result<Vec<Known>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("line {line} is no TOML; write [NAME], and below it address = \"https://…\"")
    })?;
    table.iter().map(|(name, settings)| server(name, settings).map_err(|why| format!("[{name}]: {why}"))).collect()
}

fn server(name: &str, settings: &Value) -> Result<Known, String> {
    let is_plain = |c: char| c.is_alphanumeric() || " ._-".contains(c);
    if name.trim().is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(is_plain) {
        return Err(format!("a name has letters, digits, blanks, '.', '_' and '-', at most {MAX_NAME} of them"));
    }
    let settings = settings.as_table().ok_or("write it as a table: [NAME], and the settings below")?;
    if let Some(other) = settings.keys().find(|key| !SETTINGS.contains(&key.as_str())) {
        return Err(format!("there is no setting '{other}'; there are {}", SETTINGS.join(", ")));
    }
    let text = |key: &str| match settings.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(format!("{key} must be a text in quotes, and not an empty one")),
    };
    let secret = |plain: &str, file: &str| match (text(plain)?, text(file)?) {
        (Some(_), Some(_)) => Err(format!("say {plain} or {file}, not both")),
        (None, Some(path)) => {
            let read = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {path}: {error}"))?;
            let secret = Some(read.trim().to_owned()).filter(|secret| !secret.is_empty());
            secret.map(Some).ok_or(format!("{file}: {path} is empty"))
        }
        (plain, None) => Ok(plain),
    };
    let (token, user, password) =
        (secret("bearer_token", "bearer_token_file")?, text("user")?, secret("password", "password_file")?);
    let access = match (token, user, password) {
        (None, None, None) => Access::Open,
        (Some(token), None, None) => Access::Bearer(token),
        (None, Some(user), Some(password)) => Access::Basic(user, password),
        (None, ..) => return Err("a user needs a password, and a password a user".to_owned()),
        (Some(_), ..) => return Err("say a bearer token, or a user and a password, not both".to_owned()),
    };
    let address = address(&text("address")?.ok_or("the address is missing: address = \"https://…\"")?)?;
    if !matches!(access, Access::Open) && address.scheme() != "https" && !is_this_machine(&address) {
        return Err("a secret would travel readable; use https, or http on this machine alone".to_owned());
    }
    Ok(Known { name: name.to_owned(), address, access })
}

impl Known {
    /// A server whose address somebody gave who runs this program; it is called after its host.
    pub fn at(given: &str) -> Result<Self, String> {
        let address = address(given)?;
        let host = address.host_str().unwrap_or_default();
        let name = address.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Ok(Self { name, address, access: Access::Open })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Reads an address. What is refused is not quoted: it may hold a password.
fn address(given: &str) -> Result<Url, String> {
    let url = Url::parse(given).map_err(|error| format!("the address is none ({error}); write https://host:port"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("an address holds no name and no password; {FILE_NAME} has user and password for that"));
    }
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err("the address must begin with https:// or http://".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("the address may hold nothing but scheme, host, port and path".to_owned());
    }
    Ok(url)
}

fn is_this_machine(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether a secret itself stands in the file, and not only where one is.
fn holds_secret(text: &str) -> bool {
    text.parse::<Table>().is_ok_and(|table| {
        table
            .values()
            .filter_map(Value::as_table)
            .any(|of| of.contains_key("bearer_token") || of.contains_key("password"))
    })
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr3t";

    #[test]
    fn servers_are_read_with_what_they_are_entered_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let token = folder.path().join("token");
        std::fs::write(&token, format!("{SECRET}\n")).expect("written");
        let text = format!(
            "[main]\naddress = \"https://prometheus.example.org/path/\"\nbearer_token_file = {token:?}\n\
             [\"Second one\"]\naddress = 'http://127.0.0.1:9090'\nuser = 'debrief'\npassword = '{SECRET}'\n\
             [open]\naddress = 'http://prometheus.internal:9090'\n"
        );
        let servers = parse(&text).expect("they hold");
        let names: Vec<&str> = servers.iter().map(Known::name).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        let main = servers.iter().find(|known| known.name == "main").expect("it is there");
        assert!(matches!(&main.access, Access::Bearer(token) if token == SECRET));
        let second = servers.iter().find(|known| known.name == "Second one").expect("it is there");
        assert!(matches!(&second.access, Access::Basic(user, password) if user == "debrief" && password == SECRET));
    }

    #[test]
    fn what_cannot_work_is_refused_and_no_secret_is_told() {
        let good = "address = 'https://prometheus.example.org'";
        for (text, wanted) in [
            (format!("[main]\npassword = {SECRET}"), "line 2 is no TOML"),
            (format!("main = '{SECRET}'"), "as a table"),
            (format!("[main]\n{good}\nbearer = '{SECRET}'"), "no setting 'bearer'"),
            (format!("[main]\n{good}\nbearer_token = ['{SECRET}']"), "bearer_token must be a text"),
            (format!("[main]\n{good}\nbearer_token = '{SECRET}'\nbearer_token_file = 'x'"), "not both"),
            (format!("[main]\n{good}\nbearer_token = '{SECRET}'\nuser = 'x'\npassword = 'y'"), "not both"),
            (format!("[main]\n{good}\npassword = '{SECRET}'"), "needs a password, and a password a user"),
            (format!("[main]\n{good}\nbearer_token_file = '/nowhere/token'"), "/nowhere/token"),
            (format!("[main]\nbearer_token = '{SECRET}'"), "the address is missing"),
            (format!("[main]\naddress = 'https://me:{SECRET}@prometheus.example.org'"), "no name and no password"),
            (format!("[main]\naddress = '{SECRET}'"), "the address is none"),
            ("[main]\naddress = 'file:///etc/passwd'".to_owned(), "must begin with https://"),
            ("[main]\naddress = 'https://a?b=c'".to_owned(), "nothing but scheme"),
            (
                format!("[main]\naddress = 'http://prometheus.internal:9090'\nbearer_token = '{SECRET}'"),
                "would travel readable",
            ),
            (format!("['a/b']\n{good}"), "a name has letters"),
        ] {
            let refused = parse(&text).err().unwrap_or_default();
            assert!(refused.contains(wanted) && !refused.contains(SECRET), "{text}: {refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_a_secret_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        let allow = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("allowed");
        std::fs::write(&path, "[main]\naddress = 'https://a'\nbearer_token = 'x'\n").expect("written");
        allow(0o640);
        assert!(read_file(&path).err().is_some_and(|error| error.contains("chmod 600")));
        allow(0o600);
        assert_eq!(read_file(&path).map(|servers| servers.len()), Ok(1));
        std::fs::write(&path, "[main]\naddress = 'https://a'\n").expect("written");
        allow(0o644);
        assert_eq!(read_file(&path).map(|servers| servers.len()), Ok(1), "there is no secret in it");
        assert!(read_file(&folder.path().join("none")).is_err());
    }
}
