//! The options of `debrief serve` that concern the identity provider.

use std::path::PathBuf;

use anyhow::{Context, bail};
use domain::person::Role;
use domain::wire::paths;

use crate::access::oidc::{Grant, OidcConfig, Rules, check_address};
use crate::access::provider::Provider;

/// Where the client's secret is, if not in a file.
const SECRET: &str = "DEBRIEF_OIDC_CLIENT_SECRET";

/// Signing in at an identity provider that speaks `OpenID` Connect.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Signing in with OpenID Connect")]
pub struct Oidc {
    /// The identity provider's address, as its tokens name it; needs --url, --oidc-client-id and a secret
    #[arg(long = "oidc-issuer", value_name = "ADDRESS", env = "DEBRIEF_OIDC_ISSUER")]
    issuer: Option<String>,
    /// What the provider calls this server
    #[arg(long = "oidc-client-id", value_name = "ID", env = "DEBRIEF_OIDC_CLIENT_ID")]
    client_id: Option<String>,
    /// A file with the client's secret; else the environment has it as `DEBRIEF_OIDC_CLIENT_SECRET`
    #[arg(long = "oidc-client-secret-file", value_name = "FILE", env = "DEBRIEF_OIDC_CLIENT_SECRET_FILE")]
    secret_file: Option<PathBuf>,
    /// What people call the provider: it stands on the button
    #[arg(long = "oidc-name", value_name = "NAME", env = "DEBRIEF_OIDC_NAME", default_value = "your organisation")]
    name: String,
    /// What to ask the provider for, parted by spaces, beside `openid`
    #[arg(long = "oidc-scopes", value_name = "SCOPES", env = "DEBRIEF_OIDC_SCOPES", default_value = "profile email")]
    scopes: String,
    /// The claim that lists somebody's groups; names parted by dots lead into it
    #[arg(
        long = "oidc-groups-claim",
        value_name = "CLAIM",
        env = "DEBRIEF_OIDC_GROUPS_CLAIM",
        default_value = "groups"
    )]
    groups_claim: String,
    /// The role of a group's members, or `support=GROUP`; again for each, or parted by semicolons. The highest role counts,
    /// at each sign-in
    #[arg(long = "oidc-role", value_name = "ROLE=GROUP", env = "DEBRIEF_OIDC_ROLES", value_delimiter = ';', value_parser = Grant::parse)]
    roles: Vec<(Grant, String)>,
    /// The role of whoever is in no such group; without it they are not let in
    #[arg(long = "oidc-default-role", value_name = "ROLE", env = "DEBRIEF_OIDC_DEFAULT_ROLE")]
    default_role: Option<Role>,
}

impl Oidc {
    /// The provider, if one is configured; or what is wrong with that.
    pub fn provider(self, url: Option<&str>) -> anyhow::Result<Option<Provider>> {
        let secret = std::env::var(SECRET).ok();
        self.config(url, secret)?
            .map(|config| Provider::new(config).map_err(anyhow::Error::msg))
            .transpose()
            .context("the identity provider cannot be used")
    }

    fn config(self, url: Option<&str>, secret: Option<String>) -> anyhow::Result<Option<OidcConfig>> {
        let Some(issuer) = self.issuer.filter(|issuer| !issuer.is_empty()) else {
            if self.client_id.is_some() || !self.roles.is_empty() || self.default_role.is_some() {
                bail!("signing in with OpenID Connect needs the provider's address: --oidc-issuer");
            }
            return Ok(None);
        };
        check_address(&issuer).map_err(anyhow::Error::msg).context("--oidc-issuer")?;
        let url =
            url.context("signing in with OpenID Connect needs --url, since the provider sends people back to it")?;
        check_address(url).map_err(anyhow::Error::msg).context("--url")?;
        let client_id =
            self.client_id.filter(|id| !id.is_empty()).context("--oidc-issuer needs --oidc-client-id too")?;
        let client_secret = match self.secret_file {
            Some(file) => std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read the client's secret from {}", file.display()))?,
            None => secret.unwrap_or_default(),
        };
        let client_secret = client_secret.trim().to_owned();
        if client_secret.is_empty() {
            bail!("the client's secret is missing: set {SECRET}, or name a file with --oidc-client-secret-file");
        }
        let scopes = self.scopes.split_whitespace().filter(|scope| *scope != "openid").map(str::to_owned).collect();
        let rules = Rules { groups_claim: self.groups_claim, grants: self.roles, default_role: self.default_role };
        let redirect = format!("{}{}", url.trim_end_matches('/'), paths::oidc_callback());
        Ok(Some(OidcConfig { issuer, client_id, client_secret, name: self.name, scopes, redirect, rules }))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        oidc: Oidc,
    }

    fn config(arguments: &str, url: Option<&str>, secret: Option<&str>) -> Result<Option<OidcConfig>, String> {
        let line = Line::try_parse_from(std::iter::once("x").chain(arguments.split_whitespace()))
            .map_err(|error| error.to_string())?;
        line.oidc.config(url, secret.map(str::to_owned)).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_configured_is_checked_at_the_start() {
        let whole = "--oidc-issuer https://id.example.org --oidc-client-id debrief --oidc-role admin=ops --oidc-role support=desk";
        let here = Some("https://debrief.example.org/");
        let good = config(whole, here, Some(" s3cret\n")).expect("it holds").expect("it is configured");
        assert_eq!(good.redirect, "https://debrief.example.org/api/v1/session/oidc/callback");
        assert_eq!(good.client_secret, "s3cret");
        assert_eq!(good.rules.grants.len(), 2);
        assert!(config("", here, None).expect("it holds").is_none());
        for (arguments, url, secret, wanted) in [
            (whole, None, Some("x"), "--url"),
            (whole, here, None, "DEBRIEF_OIDC_CLIENT_SECRET"),
            (whole, here, Some(" "), "DEBRIEF_OIDC_CLIENT_SECRET"),
            (whole, Some("http://debrief.example.org"), Some("x"), "https://"),
            ("--oidc-client-id debrief", here, Some("x"), "--oidc-issuer"),
            ("--oidc-role admin=ops", here, Some("x"), "--oidc-issuer"),
            ("--oidc-issuer https://id.example.org", here, Some("x"), "--oidc-client-id"),
            ("--oidc-issuer http://id.example.org --oidc-client-id x", here, Some("x"), "--oidc-issuer"),
            ("--oidc-issuer nonsense --oidc-client-id x", here, Some("x"), "no address"),
            ("--oidc-role owner=x", here, Some("x"), "there is no role 'owner'"),
            ("--oidc-default-role god", here, Some("x"), "'god'"),
            (
                "--oidc-issuer https://id.example.org --oidc-client-id x --oidc-client-secret-file /nowhere/secret",
                here,
                None,
                "/nowhere/secret",
            ),
        ] {
            let error = config(arguments, url, secret).err().unwrap_or_default();
            assert!(error.contains(wanted), "{arguments}: {error}");
        }
    }
}
