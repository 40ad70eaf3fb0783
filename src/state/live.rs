//! Changes made elsewhere, told to this tab within a second.
//!
//! A browser allows six connections to a server, so its tabs share one stream: the tab that holds a lock leads, listens
//! to the server and passes on what it hears. When it closes, the next one gets the lock and goes on where it stopped.

use std::time::Duration;

use domain::wire::changes::{BEAT, CHANGE, Change, READY, RESET};
use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use super::clock;
use super::session::Session;
use crate::client::changes::{Event, Stream, listen};
use crate::client::{self, Failure};

/// The name of the lock, and of the channel between the tabs.
const NAME: &str = "debrief-live";

/// What tabs say to each other, beside the events themselves.
const OFFLINE: &str = "offline";
const ONLINE: &str = "online";
const ANYBODY: &str = "anybody";

/// A stream that has been silent for so long, with its heartbeats, is dead, in milliseconds.
const DEAD: i64 = 40_000;

/// After so long a silence a tab that comes back to life would rather have a new stream.
const DOUBTFUL: i64 = 20_000;

/// The longest wait between two tries, in milliseconds.
const MOST_PATIENCE: u64 = 30_000;

/// How long changes are gathered before they are read, so that many at once are read once.
const GATHERED: Duration = Duration::from_millis(100);

/// How long a page waits that could not read what has changed.
const LATER: Duration = Duration::from_secs(2);

/// What listens: told a change, or that everything is to be read again.
type Listener = Callback<Option<Change>>;

/// What hears the other tabs.
type Hears = Closure<dyn FnMut(MessageEvent)>;

/// What changes elsewhere, for the whole application.
#[derive(Clone, Copy)]
pub struct Live {
    /// Whether the server cannot be reached, so that what is shown may be old.
    pub is_offline: RwSignal<bool>,
    /// Told each time that the server is reached again.
    pub reached: Trigger,
    listeners: StoredValue<Vec<(u32, Listener)>>,
    tab: StoredValue<Tab, LocalStorage>,
}

/// What this tab has of the stream.
#[derive(Default)]
struct Tab {
    /// Counts sign-ins; what belongs to an earlier one comes too late.
    turn: u32,
    is_begun: bool,
    leads: bool,
    stream: Option<Stream>,
    channel: Option<(BroadcastChannel, Hears)>,
    /// Gives the lock back.
    release: Option<Function>,
    /// The id of the last event.
    last: String,
    /// When the last event came.
    heard_at: i64,
    /// How often in a row the stream failed.
    tries: u32,
    next_listener: u32,
}

/// Listens for changes as long as somebody is signed in.
pub fn provide() {
    let live = Live {
        is_offline: RwSignal::new(false),
        reached: Trigger::new(),
        listeners: StoredValue::new(Vec::new()),
        tab: StoredValue::new_local(Tab::default()),
    };
    provide_context(live);
    let session = Session::get();
    let who = Memo::new(move |_| (!session.has_lapsed.get()).then(|| session.me()).flatten().map(|me| me.name.clone()));
    Effect::new(move || {
        let is_signed_in = who.with(Option::is_some);
        live.end();
        if is_signed_in {
            live.begin();
        }
    });
    let wake = move || live.wake();
    let awake = [
        window_event_listener_untyped("online", move |_| wake()),
        window_event_listener_untyped("pageshow", move |_| wake()),
        window_event_listener_untyped("focus", move |_| wake()),
    ];
    let seen = Closure::<dyn FnMut()>::new(wake);
    let _ = document().add_event_listener_with_callback("visibilitychange", seen.as_ref().unchecked_ref());
    // The application goes with its page.
    seen.forget();
    let watch = set_interval_with_handle(move || live.watch(), Duration::from_secs(10));
    on_cleanup(move || {
        for listener in awake {
            listener.remove();
        }
        if let Ok(watch) = watch {
            watch.clear();
        }
    });
}

/// Calls this for each change that is told, and with none when everything is to be read again, until the page that asks
/// for it goes.
pub fn on_change(callback: impl Fn(Option<Change>) + Send + Sync + 'static) {
    let Live { listeners, tab, .. } = expect_context();
    let number = tab.try_update_value(|tab| {
        tab.next_listener += 1;
        tab.next_listener
    });
    let number = number.unwrap_or_default();
    listeners.update_value(|listeners| listeners.push((number, Callback::new(callback))));
    on_cleanup(move || {
        let _ = listeners.try_update_value(|listeners| listeners.retain(|(other, _)| *other != number));
    });
}

/// Reads again, soon, whenever something that is shown may have changed; several changes at once are read once.
pub fn follow(
    concerns: impl Fn(&Change) -> bool + Send + Sync + 'static,
    read: impl Fn() + Copy + Send + Sync + 'static,
) {
    let is_waiting = StoredValue::new(false);
    on_change(move |change| {
        if change.as_ref().is_some_and(|change| !concerns(change)) || is_waiting.get_value() {
            return;
        }
        is_waiting.set_value(true);
        let then = move || {
            if is_waiting.try_update_value(|waiting| *waiting = false).is_some() {
                read();
            }
        };
        set_timeout(then, GATHERED);
    });
}

/// Asks for another try after a while, since what changed could be heard of and not be read: a page whose reading follows
/// `again` is behind until then.
pub fn try_later(again: RwSignal<u32>, failure: &Failure) {
    // That leads elsewhere, or waits for somebody to sign in.
    if failure.is_signed_out() {
        return;
    }
    let try_again = move || {
        let _ = again.try_update(|tries| *tries += 1);
    };
    set_timeout(try_again, LATER);
}

impl Live {
    fn begin(self) {
        let heard = Closure::<dyn FnMut(_)>::new(move |message: MessageEvent| {
            self.hear_tab(&message.data().as_string().unwrap_or_default());
        });
        let locks = locks();
        // Without locks nobody leads; each tab then has a stream of its own, and passes nothing on.
        let channel = locks.as_ref().and_then(|_| BroadcastChannel::new(NAME).ok());
        self.tab.update_value(|tab| {
            tab.turn += 1;
            tab.is_begun = true;
            tab.channel = channel.map(|channel| {
                channel.set_onmessage(Some(heard.as_ref().unchecked_ref()));
                (channel, heard)
            });
        });
        match locks {
            Some((locks, request)) if self.tab.with_value(|tab| tab.channel.is_some()) => {
                let turn = self.tab.with_value(|tab| tab.turn);
                let granted =
                    Closure::once_into_js(move |_: JsValue| Promise::new(&mut |release, _| self.lead(turn, release)));
                let _ = request.call2(&locks, &NAME.into(), &granted);
                self.say(ANYBODY, "", "");
            }
            _ => self.open_leading(),
        }
    }

    fn end(self) {
        self.is_offline.set(false);
        let Some(release) = self.tab.try_update_value(|tab| {
            let ended = std::mem::take(tab);
            (tab.turn, tab.next_listener) = (ended.turn, ended.next_listener);
            if let Some((channel, _)) = &ended.channel {
                channel.close();
            }
            ended.release.clone()
        }) else {
            return;
        };
        if let Some(release) = release {
            let _ = release.call0(&JsValue::NULL);
        }
    }

    /// The lock is ours until we release it.
    fn lead(self, turn: u32, release: Function) {
        if self.tab.with_value(|tab| !tab.is_begun || tab.turn != turn) {
            let _ = release.call0(&JsValue::NULL);
            return;
        }
        self.tab.update_value(|tab| tab.release = Some(release));
        self.open_leading();
    }

    fn open_leading(self) {
        self.tab.update_value(|tab| tab.leads = true);
        self.open();
    }

    fn open(self) {
        let last = self.tab.with_value(|tab| tab.last.clone());
        let stream =
            listen(&last, Callback::new(move |event| self.hear_server(&event)), Callback::new(move |()| self.fail()));
        self.tab.update_value(|tab| {
            tab.stream = stream;
            tab.heard_at = clock::now().timestamp_millis();
        });
    }

    fn hear_server(self, event: &Event) {
        self.tab.update_value(|tab| {
            tab.heard_at = clock::now().timestamp_millis();
            tab.tries = 0;
        });
        if self.is_offline.get_untracked() {
            self.set_offline(false);
        }
        match event.name.as_str() {
            BEAT => {}
            READY => {
                self.pass_on(event);
                self.reached.notify();
            }
            _ => self.pass_on(event),
        }
    }

    /// To this tab and to the others.
    fn pass_on(self, event: &Event) {
        self.say(&event.name, &event.id, &event.data);
        self.take(event);
    }

    fn take(self, event: &Event) {
        let missed = self.tab.with_value(|tab| tab.last != event.id);
        self.tab.update_value(|tab| tab.last.clone_from(&event.id));
        match event.name.as_str() {
            CHANGE => self.tell(event.change().as_ref()),
            // The leader stands elsewhere than this tab: it is new, or was asleep.
            READY if missed && self.tab.with_value(|tab| !tab.leads) => self.tell(None),
            RESET => self.tell(None),
            _ => {}
        }
    }

    fn tell(self, change: Option<&Change>) {
        for (_, listener) in self.listeners.get_value() {
            listener.run(change.cloned());
        }
    }

    /// Speaks to the other tabs.
    fn say(self, name: &str, id: &str, data: &str) {
        self.tab.with_value(|tab| {
            if let Some((channel, _)) = &tab.channel {
                let _ = channel.post_message(&JsValue::from_str(&[name, id, data].join(" ")));
            }
        });
    }

    fn hear_tab(self, text: &str) {
        let mut parts = text.splitn(3, ' ').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        let event = Event { name: part(), id: part(), data: part() };
        let (leads, last) = self.tab.with_value(|tab| (tab.leads, tab.last.clone()));
        match (event.name.as_str(), leads) {
            (ANYBODY, true) => {
                self.revive(DOUBTFUL);
                if !last.is_empty() {
                    self.say(READY, &last, "");
                }
                self.say(if self.is_offline.get_untracked() { OFFLINE } else { ONLINE }, "", "");
            }
            (OFFLINE | ONLINE, false) => {
                self.is_offline.set(event.name == OFFLINE);
                if event.name == ONLINE {
                    self.reached.notify();
                }
            }
            (CHANGE | READY | RESET, false) => {
                self.take(&event);
                // The leader may have been back before it knew that it was offline.
                if event.name == READY {
                    self.reached.notify();
                }
            }
            _ => {}
        }
    }

    fn set_offline(self, is_offline: bool) {
        self.is_offline.set(is_offline);
        self.say(if is_offline { OFFLINE } else { ONLINE }, "", "");
    }

    fn fail(self) {
        self.tab.update_value(|tab| {
            tab.stream = None;
            tab.tries += 1;
        });
        let (tries, turn) = self.tab.with_value(|tab| (tab.tries, tab.turn));
        if tries > 1 && !self.is_offline.get_untracked() {
            self.set_offline(true);
        }
        set_timeout(move || self.try_again(turn), patience(tries));
    }

    /// Opens the stream again, if the server answers at all and still knows who we are.
    fn try_again(self, turn: u32) {
        if self.tab.try_with_value(|tab| tab.turn != turn || !tab.leads || tab.stream.is_some()).unwrap_or(true) {
            return;
        }
        spawn_local(async move {
            let answer = client::access::session().await;
            let is_ours = self.tab.try_with_value(|tab| tab.turn == turn && tab.leads && tab.stream.is_none());
            if is_ours != Some(true) {
                return;
            }
            match answer {
                Ok(_) => self.open(),
                // The session hears of it by itself, and ends this.
                Err(failure) if failure.is_signed_out() => {}
                Err(_) => self.fail(),
            }
        });
    }

    /// The tab was asleep, or hidden, or without a network.
    fn wake(self) {
        if document().hidden() || !self.tab.with_value(|tab| tab.is_begun) {
            return;
        }
        if self.tab.with_value(|tab| tab.leads) {
            self.revive(DOUBTFUL);
        } else {
            self.say(ANYBODY, "", "");
        }
    }

    fn watch(self) {
        if self.tab.with_value(|tab| tab.leads && tab.stream.is_some()) {
            self.revive(DEAD);
        }
    }

    /// Tries at once where there is no stream, and replaces one that has been silent for too long.
    fn revive(self, silence: i64) {
        let (turn, has_stream, silent) =
            self.tab.with_value(|tab| (tab.turn, tab.stream.is_some(), clock::now().timestamp_millis() - tab.heard_at));
        if !has_stream {
            self.try_again(turn);
        } else if silent > silence {
            self.tab.update_value(|tab| tab.stream = None);
            self.open();
        }
    }
}

/// How long to wait after so many failures: longer each time, and not all pages at once.
fn patience(tries: u32) -> Duration {
    let longest = (500 << tries.min(6)).min(MOST_PATIENCE);
    #[expect(clippy::cast_precision_loss, reason = "some seconds, in milliseconds")]
    let wait = longest as f64 * (0.5 + js_sys::Math::random() / 2.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the longest wait, above none")]
    Duration::from_millis(wait as u64)
}

/// The browser's locks and how to ask for one, where it has them.
fn locks() -> Option<(JsValue, Function)> {
    let locks = Reflect::get(&Reflect::get(&window(), &"navigator".into()).ok()?, &"locks".into()).ok()?;
    let request = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    Some((locks, request))
}
