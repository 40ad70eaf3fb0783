//! `debrief user`: accounts, made from the command line beside a running server.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use domain::UserId;
use domain::person::Role;

use super::DataFolder;
use crate::access::names::{checked_email, checked_name};
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
    #[arg(value_parser = checked_name)]
    name: String,
    /// The address to sign in with; without one, only links lead in
    #[arg(long, value_parser = given_email)]
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

/// Reads an address to sign in with.
fn given_email(email: &str) -> Result<String, String> {
    checked_email(email)?.ok_or_else(|| "write it as name@example.com, or leave it away".to_owned())
}

/// Where people reach the server.
#[derive(Debug, clap::Args)]
pub struct Address {
    /// The address that people reach the server under, for the link
    #[arg(long, value_name = "ADDRESS", env = "DEBRIEF_URL", default_value = "http://127.0.0.1:8080", value_parser = super::web_address)]
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
        let (name, email) = (self.name, self.email);
        let account = NewAccount { name: &name, email: email.as_deref(), role: self.role, support: self.support };
        let (made, now) = (secret::new_secret("dbl_"), clock::now());
        let link = (&*secret::digest(&made), now + crate::access::LINK_LASTS);
        match store.create_user(&account, Some(link), By { actor: ACTOR, now }, None).await? {
            Changed::Done(_) => super::print(&format!("{}/sign-in#{made}\n", self.address.url)),
            _ => bail!("another account has the address {}", email.unwrap_or_default()),
        }
    }
}

impl Link {
    async fn run(self) -> anyhow::Result<()> {
        let store = self.data.open_existing().await?.store;
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
        for user in self.data.open_existing().await?.store.list_users().await? {
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
