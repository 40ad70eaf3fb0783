//! One open stream: what somebody is told, and when it ends.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::person::{name_key, owns};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

use super::cursor::Cursor;
use super::{Live, MOST_RESUMED, News, Told};
use crate::access::policy::{Act, Facts, Verdict, decide};
use crate::access::{Credential, Holder};
use crate::clock;
use crate::store::{AccountChange, AudibleChange, Reach, Store, StoreError};

/// The longest that is slept at once.
const LONG: Duration = Duration::from_hours(24);

/// What is sent, each with the cursor to resume with.
#[derive(Debug)]
pub enum Frame {
    /// A change, as JSON.
    Change(Cursor, Arc<str>),
    /// Everything so far has been told.
    Ready(Cursor),
    /// Changes were left out: what is shown is to be read again.
    Reset(Cursor),
}

/// Where somebody begins to listen.
#[derive(Debug)]
pub enum Begin {
    /// With what is changed from now on.
    Now,
    /// After an event.
    After(Cursor),
    /// With what was changed in the last so many seconds, which a page that is being loaded may have missed.
    Recent(u32),
}

/// Somebody who listens.
pub struct Listener {
    live: Arc<Live>,
    store: Store,
    credential: Credential,
    who: Known,
    news: broadcast::Receiver<News>,
    stopping: watch::Receiver<bool>,
    /// How far they have come; changes that they may not see count.
    at: Cursor,
    /// What is to be sent before the news.
    queue: VecDeque<Frame>,
}

/// Whoever listens, and the keys of their teams.
struct Known {
    holder: Holder,
    teams: Vec<String>,
}

impl From<Holder> for Known {
    fn from(holder: Holder) -> Self {
        Self { teams: holder.principal.teams.iter().map(|team| name_key(team)).collect(), holder }
    }
}

impl Listener {
    /// Begins to listen; none where the credential holds no longer.
    pub async fn begin(
        live: Arc<Live>,
        store: Store,
        credential: Credential,
        from: Begin,
    ) -> Result<Option<Self>, StoreError> {
        live.catch_up().await;
        // First joined, then identified, so that a credential that ends in between is heard of.
        let (news, at) = live.join();
        let Some(holder) = credential.holder(&store, clock::now()).await? else {
            return Ok(None);
        };
        let stopping = live.stopping.subscribe();
        let (who, queue) = (holder.into(), VecDeque::new());
        let mut listener = Self { live, store, credential, who, news, stopping, at, queue };
        match from {
            Begin::After(after) => listener.resume(after).await?,
            Begin::Recent(seconds) => {
                let since = clock::now() - TimeDelta::seconds(seconds.into());
                let far_enough = listener.at.high - MOST_RESUMED - 1;
                let first = listener.store.first_change_since(far_enough, since).await?;
                let high = first.map_or(listener.at.high, |first| (first - 1).min(listener.at.high));
                listener.resume(Cursor { high, ..Cursor::default() }).await?;
            }
            Begin::Now => listener.queue.push_back(Frame::Ready(listener.at.clone())),
        }
        Ok(Some(listener))
    }

    /// The next thing to send; none when the stream is over.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.queue.pop_front() {
                return Some(frame);
            }
            let news = tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
                () = until(self.who.holder.until) => return None,
                news = self.news.recv() => news,
            };
            match news {
                Ok(News::Change(told)) => self.hear(&told),
                Ok(News::Account(change)) if self.who.is_concerned(&change) => {
                    // A credential that holds no longer ends the stream; so does a database that cannot say.
                    self.who = self.credential.holder(&self.store, clock::now()).await.ok()??.into();
                }
                Ok(News::Account(_)) => {}
                Err(RecvError::Lagged(_)) => self.catch_up().await.ok()??,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn hear(&mut self, told: &Told) {
        let seq = told.audible.change.seq;
        if self.at.has(seq) {
            return;
        }
        if told.at.high >= self.at.high {
            self.at.clone_from(&told.at);
        } else {
            self.at.take(seq);
        }
        self.pass_on(told, self.at.clone());
    }

    fn pass_on(&mut self, told: &Told, at: Cursor) {
        let audible = &told.audible;
        if self.who.may_hear(audible, &audible.reach) {
            self.queue.push_back(Frame::Change(at, told.json.clone()));
        } else if audible.reach_before.as_ref().is_some_and(|before| self.who.may_hear(audible, before)) {
            // What they were shown is no longer for them; that is all they are told.
            self.queue.push_back(Frame::Reset(at));
        }
    }

    /// Joins again after having fallen behind; accounts may have changed unheard.
    async fn catch_up(&mut self) -> Result<Option<()>, StoreError> {
        let (news, at) = self.live.join();
        self.news = news;
        let after = std::mem::replace(&mut self.at, at);
        let Some(holder) = self.credential.holder(&self.store, clock::now()).await? else {
            return Ok(None);
        };
        self.who = holder.into();
        self.resume(after).await.map(Some)
    }

    /// Queues what was changed between a cursor and where the news begin.
    async fn resume(&mut self, after: Cursor) -> Result<(), StoreError> {
        let joined = self.at.clone();
        let newest = self.store.latest_changes(1).await?.first().copied().unwrap_or(0).max(joined.high);
        let rows = self.store.audible_changes(after.low(), joined.high, MOST_RESUMED + 1).await?;
        if after.high > newest || rows.len() > usize::try_from(MOST_RESUMED).unwrap_or(usize::MAX) {
            self.queue.push_back(Frame::Reset(joined));
            return Ok(());
        }
        for audible in rows {
            let seq = audible.change.seq;
            if !after.has(seq) && joined.has(seq) {
                let at = after.resumed(seq, &joined);
                self.pass_on(&Told::new(audible, at.clone()), at);
            }
        }
        self.at = after.resumed(joined.high, &joined);
        self.queue.push_back(Frame::Ready(self.at.clone()));
        Ok(())
    }
}

impl Known {
    /// Whether a change of accounts may change what this one may see.
    fn is_concerned(&self, change: &AccountChange) -> bool {
        let principal = &self.holder.principal;
        let is = |id: Option<&str>| id == Some(change.subject_id.as_str());
        match change.subject.as_str() {
            "session" => is(principal.session.as_ref().map(domain::SessionId::as_str)),
            "token" => is(principal.token.as_ref().map(|token| token.id.as_str())),
            "user" => is(principal.user.as_ref().map(domain::UserId::as_str)),
            _ => principal.user.is_some(),
        }
    }

    /// Asks the policy.
    fn may_hear(&self, audible: &AudibleChange, reach: &Reach) -> bool {
        let principal = &self.holder.principal;
        let user = principal.user.as_ref();
        let owner = audible.item.as_ref().zip(user).is_some_and(|(item, user)| {
            owns(user, &self.teams, &item.team, item.assignee.as_deref(), item.assignee_id.as_ref())
        });
        let named = user.is_some_and(|user| reach.named.contains(user));
        let facts = Facts { restricted: reach.restricted, named, owner };
        let act = if audible.item.is_some() { Act::ReadItem } else { Act::ReadIncident };
        decide(principal, act, facts) == Verdict::Allowed
    }
}

/// Resolves when this time has come, if it ever does.
async fn until(end: Option<DateTime<Utc>>) {
    let Some(end) = end else {
        return std::future::pending().await;
    };
    while let Ok(left) = (end - clock::now()).to_std() {
        if left.is_zero() {
            return;
        }
        sleep(left.min(LONG)).await;
    }
}
