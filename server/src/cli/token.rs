//! `debrief token`: what programs sign in with.

use anyhow::bail;
use chrono::TimeDelta;
use domain::person::Role;

use super::DataFolder;
use super::user::ACTOR;
use crate::access::names::checked_name;
use crate::access::secret;
use crate::clock;
use crate::store::{By, Named, NewApiToken};

/// Make tokens for programs.
#[derive(Debug, clap::Subcommand)]
pub enum Token {
    /// Make a token for a service; prints the token and nothing else
    Create(Create),
}

/// Make a token for a service; prints the token and nothing else, this once.
///
/// A service acts for nobody: it cannot attest, and has no items of its own. A program sends the token as
/// "Authorization: Bearer TOKEN".
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: debrief token create --role viewer --name 'status page' --days 90")]
pub struct Create {
    /// The most it may do: viewer, member, editor or admin
    #[arg(long)]
    role: Role,
    /// What it is for
    #[arg(long, default_value = "service", value_parser = checked_name)]
    name: String,
    /// Let it see customers
    #[arg(long)]
    support: bool,
    /// For how many days it works; without end unless told
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    days: Option<u16>,
    #[command(flatten)]
    data: DataFolder,
}

impl Token {
    /// Does it.
    pub async fn run(self) -> anyhow::Result<()> {
        let Self::Create(command) = self;
        let store = command.data.open().await?.store;
        // What it does stands in the history under this name.
        if store.person_named(&command.name).await? != Named::Nobody {
            bail!("somebody here is called ‘{}’; give the service a name of its own with --name", command.name);
        }
        let made = secret::new_secret("dbt_");
        let now = clock::now();
        let token = NewApiToken {
            digest: &secret::digest(&made),
            name: &command.name,
            user: None,
            role: command.role,
            support: command.support,
            expires_at: command.days.map(|days| now + TimeDelta::days(days.into())),
        };
        store.create_token(&token, By { actor: ACTOR, now }, None).await?;
        super::print(&format!("{made}\n"))
    }
}
