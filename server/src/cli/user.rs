//! `debrief user`: accounts, made from the command line beside a running server.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use domain::UserId;
use domain::person::Role;

use super::DataFolder;
use crate::access::secret;
use crate::clock;
use crate::store::{By, Changed, NewAccount, Store};

/// Who changes made on the command line are recorded under.
pub(super) const ACTOR: &str = "command line";

/// Add people, and let them in.
#[derive(Debug, clap::Subcommand)]
pub enum User {
    /// Add an account; prints the link that leads into it
    Add(Add),
    /// Print a new link that leads into an account, once
    Link(Link),
    /// List the accounts
    List(List),
}

/// Add an account; prints the link that leads into it, once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief user add 'Ada Ferris' --email ada@example.com --role editor")]
pub struct Add {
    /// The name that is shown
    name: String,
    /// The address to sign in with; without one, only links lead in
    #[arg(long)]
    email: Option<String>,
    /// viewer, member, editor or admin
    #[arg(long, default_value = "member")]
    role: Role,
    /// Let them see customers
    #[arg(long)]
    support: bool,
    #[command(flatten)]
    address: Address,
    #[command(flatten)]
    data: DataFolder,
}

/// Print a new link that leads into an account, once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief user link ada@example.com")]
pub struct Link {
    /// The account's address, exact name or id
    user: String,
    #[command(flatten)]
    address: Address,
    #[command(flatten)]
    data: DataFolder,
}

/// List the accounts.
#[derive(Debug, clap::Args)]
pub struct List {
    #[command(flatten)]
    data: DataFolder,
}

/// Where people reach the server.
#[derive(Debug, clap::Args)]
pub struct Address {
    /// The address that people reach the server under, for the link
    #[arg(long, value_name = "ADDRESS", env = "DEBRIEF_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
}

impl User {
    /// Does it.
    pub async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Add(command) => command.run().await,
            Self::Link(command) => command.run().await,
            Self::List(command) => command.run().await,
        }
    }
}

impl Add {
    async fn run(self) -> anyhow::Result<()> {
        let store = self.data.open().await?.store;
        let name = self.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            bail!("a name is needed");
        }
        let email = self.email.map(|email| email.trim().to_lowercase());
        if let Some(email) = email.as_deref().filter(|email| !email.contains('@')) {
            bail!("'{email}' does not look like an address; write it as name@example.com");
        }
        let account = NewAccount { name: &name, email: email.as_deref(), role: self.role, support: self.support };
        match store.create_user(&account, By { actor: ACTOR, now: clock::now() }, None).await? {
            Changed::Done(user) => super::print(&format!("{}\n", link(&store, &user.id, &self.address.url).await?)),
            _ => bail!("another account has the address {}", email.unwrap_or_default()),
        }
    }
}

impl Link {
    async fn run(self) -> anyhow::Result<()> {
        let store = self.data.open().await?.store;
        let person =
            store.person_named(&self.user).await?.one().with_context(|| {
                format!("there is no one account '{}' that is on; see: debrief user list", self.user)
            })?;
        super::print(&format!("{}\n", link(&store, &person.id, &self.address.url).await?))
    }
}

impl List {
    async fn run(self) -> anyhow::Result<()> {
        let mut text = String::new();
        for user in self.data.open().await?.store.list_users().await? {
            let off = if user.disabled { "  (off)" } else { "" };
            let support = if user.support { "+support" } else { "" };
            let email = user.email.as_deref().unwrap_or("-");
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {}  {email}  {}{support}{off}", user.id, user.name, user.role);
        }
        super::print(&text)
    }
}

/// A new link that leads into an account, once.
pub(super) async fn link(store: &Store, user: &UserId, url: &str) -> anyhow::Result<String> {
    let made = secret::new_secret("dbl_");
    let now = clock::now();
    if !store.add_sign_in_link(&secret::digest(&made), user, (now, now + crate::access::LINK_LASTS), None).await? {
        bail!("the account was switched off at this moment");
    }
    Ok(format!("{}/sign-in#{made}", url.trim_end_matches('/')))
}
