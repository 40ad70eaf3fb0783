//! The identity provider, asked over HTTP: where people sign in, and who they are when they come back.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod, CoreErrorResponseType,
    CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::url::Url;
use openidconnect::{
    AccessTokenHash, AdditionalClaims, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenFields, IdTokenVerifier,
    IssuerUrl, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    Scope, SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, TokenResponse as _,
    UserInfoClaims, UserInfoError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::oidc::{Claimed, OidcConfig, groups, shown_name};
use crate::clock;

/// How long the provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the provider says of itself is asked for again after this.
const KNOWN_FOR: TimeDelta = TimeDelta::hours(1);

/// By how much the provider's clock may differ from this one.
const SKEW: TimeDelta = TimeDelta::seconds(60);

/// The ways of signing that are accepted: those that the provider alone can do.
const SIGNED_BY: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Every claim that no standard names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Extra {
    #[serde(flatten)]
    claims: Map<String, Value>,
}
impl AdditionalClaims for Extra {}

type Fields = IdTokenFields<
    Extra,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type Tokens = StandardTokenResponse<Fields, CoreTokenType>;
type Client = openidconnect::Client<
    Extra,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Why the provider could not be asked, or its answer not be taken. Nothing secret is in the words.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It did not answer, or not as such a provider does.
    #[error("the identity provider cannot be reached: {0}")]
    Unreachable(String),
    /// It refused the code.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// What it answered does not hold.
    #[error("the identity provider's answer does not hold: {0}")]
    Unverified(String),
}

/// The identity provider that people may sign in at.
pub struct Provider {
    config: OidcConfig,
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    http: reqwest::Client,
    /// What the provider says of itself, and when it was asked. A copy that any replica can ask for again.
    known: Mutex<Option<(DateTime<Utc>, CoreProviderMetadata)>>,
}

/// What stands for one sign-in that is under way.
pub struct Attempt<'a> {
    /// Comes back from the provider, and tells which attempt it is.
    pub state: &'a str,
    /// Comes back inside the token, so that no other token will do.
    pub nonce: &'a str,
    /// Proves to the provider that whoever brings the code began the attempt.
    pub verifier: &'a str,
}

impl Provider {
    /// The provider that is configured; it is not asked yet.
    pub fn new(config: OidcConfig) -> Result<Self, String> {
        let issuer = IssuerUrl::new(config.issuer.clone()).map_err(|error| error.to_string())?;
        let redirect = RedirectUrl::new(config.redirect.clone()).map_err(|error| error.to_string())?;
        // A redirect could lead the server's own requests astray.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()
            .map_err(|error| format!("no client for HTTPS: {error}"))?;
        Ok(Self { config, issuer, redirect, http, known: Mutex::new(None) })
    }

    /// What is configured.
    pub fn config(&self) -> &OidcConfig {
        &self.config
    }

    /// The address at the provider where somebody signs in.
    pub async fn address(&self, attempt: &Attempt<'_>) -> Result<Url, ProviderError> {
        let client = self.client(&self.metadata(KNOWN_FOR).await?);
        let verifier = PkceCodeVerifier::new(attempt.verifier.to_owned());
        let (state, nonce) = (attempt.state.to_owned(), attempt.nonce.to_owned());
        let request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                move || CsrfToken::new(state),
                move || Nonce::new(nonce),
            )
            .add_scopes(self.config.scopes.iter().cloned().map(Scope::new))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        Ok(request.url().0)
    }

    /// Who came back with this code.
    pub async fn identify(&self, code: &str, nonce: &str, verifier: &str) -> Result<Claimed, ProviderError> {
        let mut metadata = self.metadata(KNOWN_FOR).await?;
        let mut client = self.client(&metadata);
        let request = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|error| ProviderError::Unreachable(error.to_string()))?
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()));
        let tokens = request.request_async(&self.http).await.map_err(exchange_failed)?;
        let token = tokens.id_token().ok_or_else(|| unverified("it holds no ID token"))?;
        let nonce = Nonce::new(nonce.to_owned());
        let known = token.claims(&verifier_of(&client, &metadata), &nonce);
        if matches!(
            &known,
            Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey))
        ) {
            // It has new keys. Nobody but the provider itself can have the server ask for them again.
            metadata = self.metadata(TimeDelta::zero()).await?;
            client = self.client(&metadata);
        }
        let verifier = verifier_of(&client, &metadata);
        let claims = token.claims(&verifier, &nonce).map_err(unverified)?;
        if let Some(expected) = claims.access_token_hash() {
            let algorithm = token.signing_alg().map_err(unverified)?;
            let key = token.signing_key(&verifier).map_err(unverified)?;
            let actual = AccessTokenHash::from_token(tokens.access_token(), algorithm, key).map_err(unverified)?;
            if actual != *expected {
                return Err(unverified("its access token is another one's"));
            }
        }
        let name_of = |name: Option<&openidconnect::LocalizedClaim<openidconnect::EndUserName>>| {
            name.and_then(|name| name.get(None)).map(|name| name.to_string())
        };
        let subject = claims.subject();
        let (mut email, mut is_verified) = (claims.email().map(|email| email.to_string()), claims.email_verified());
        let (mut name, mut login) = (name_of(claims.name()), claims.preferred_username().map(|name| name.to_string()));
        let mut found = groups(&claims.additional_claims().claims, &self.config.rules.groups_claim);
        let lacks = found.is_none() || email.is_none() || is_verified.is_none() || name.is_none();
        if lacks && let Ok(request) = client.user_info(tokens.access_token().clone(), Some(subject.clone())) {
            let more: UserInfoClaims<Extra, CoreGenderClaim> =
                request.request_async(&self.http).await.map_err(user_info_failed)?;
            let told = more.email().map(|email| email.to_string());
            if is_verified.is_none() && (email.is_none() || email == told) {
                (email, is_verified) = (told, more.email_verified());
            }
            name = name.or_else(|| name_of(more.name()));
            login = login.or_else(|| more.preferred_username().map(|name| name.to_string()));
            found = found.or_else(|| groups(&more.additional_claims().claims, &self.config.rules.groups_claim));
        }
        let email = email.map(|email| email.trim().to_lowercase()).filter(|email| email.contains('@'));
        let name = shown_name([name.as_deref(), login.as_deref(), email.as_deref(), Some(subject.as_str())]);
        Ok(Claimed {
            subject: subject.to_string(),
            email,
            is_email_verified: is_verified.unwrap_or(false),
            name,
            groups: found.unwrap_or_default(),
        })
    }

    /// What the provider says of itself, no older than this; an older copy where it does not answer.
    async fn metadata(&self, no_older_than: TimeDelta) -> Result<CoreProviderMetadata, ProviderError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let now = clock::now();
        if let Some((at, metadata)) = &known
            && now - *at < no_older_than
        {
            return Ok(metadata.clone());
        }
        match CoreProviderMetadata::discover_async(self.issuer.clone(), &self.http).await {
            Ok(metadata) => {
                *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, metadata.clone()));
                Ok(metadata)
            }
            Err(error) => {
                let error = ProviderError::Unreachable(with_causes(&error));
                match known {
                    Some((_, metadata)) => {
                        tracing::warn!(%error, "going on with what is known of the identity provider");
                        Ok(metadata)
                    }
                    None => Err(error),
                }
            }
        }
    }

    fn client(&self, metadata: &CoreProviderMetadata) -> Client {
        let takes_basic = metadata
            .token_endpoint_auth_methods_supported()
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        Client::from_provider_metadata(
            metadata.clone(),
            ClientId::new(self.config.client_id.clone()),
            Some(ClientSecret::new(self.config.client_secret.clone())),
        )
        .set_redirect_uri(self.redirect.clone())
        .set_auth_type(if takes_basic { AuthType::BasicAuth } else { AuthType::RequestBody })
    }
}

fn verifier_of<'a>(client: &'a Client, metadata: &CoreProviderMetadata) -> IdTokenVerifier<'a, CoreJsonWebKey> {
    let now = clock::now();
    let offered = metadata.id_token_signing_alg_values_supported();
    client
        .id_token_verifier()
        .set_allowed_algs(SIGNED_BY.into_iter().filter(|algorithm| offered.contains(algorithm)))
        .set_time_fn(move || now - SKEW)
        .set_issue_time_verifier_fn(move |issued| {
            if issued > now + SKEW { Err("it was issued in the future; compare the clocks".to_owned()) } else { Ok(()) }
        })
}

fn unverified(error: impl Display) -> ProviderError {
    ProviderError::Unverified(error.to_string())
}

/// An error with its causes. Not for errors that quote an answer.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn exchange_failed<E: std::error::Error + 'static>(
    error: RequestTokenError<E, StandardErrorResponse<CoreErrorResponseType>>,
) -> ProviderError {
    match error {
        RequestTokenError::ServerResponse(refused) => ProviderError::Refused(refused.to_string()),
        RequestTokenError::Request(error) => ProviderError::Unreachable(with_causes(&error)),
        // The causes of these quote the answer, and so its tokens.
        RequestTokenError::Parse(..) => unverified("its tokens could not be read"),
        RequestTokenError::Other(error) => ProviderError::Unreachable(error),
    }
}

fn user_info_failed<E: std::error::Error + 'static>(error: UserInfoError<E>) -> ProviderError {
    match error {
        UserInfoError::Request(error) => ProviderError::Unreachable(with_causes(&error)),
        UserInfoError::ClaimsVerification(error) => unverified(error),
        UserInfoError::Response(status, ..) => {
            ProviderError::Unreachable(format!("it answered {status} when asked who this is"))
        }
        _ => unverified("what it says of this person could not be read"),
    }
}
