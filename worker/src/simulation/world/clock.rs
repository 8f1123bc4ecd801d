//! Time that passes when nothing else can happen, and the loop that runs futures by it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::LocalBoxFuture;

/// A clock, randomness that is the same each time, and tasks. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Clock(Rc<State>);

struct State {
    now: Cell<i64>,
    drawn: Cell<u64>,
    sleepers: RefCell<BTreeMap<(i64, u64), Waker>>,
    tasks: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
    /// Whether there are tasks that never ran: time must not pass before they did.
    spawned: Cell<bool>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Clock {
    pub(crate) fn new(now: i64) -> Self {
        let (sleepers, tasks) = (RefCell::default(), RefCell::default());
        let (drawn, spawned) = (Cell::new(0), Cell::new(false));
        Self(Rc::new(State {
            now: Cell::new(now),
            drawn,
            sleepers,
            tasks,
            spawned,
        }))
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.now.get()
    }

    /// A number not drawn before.
    pub(crate) fn random(&self) -> u64 {
        self.0.drawn.set(self.0.drawn.get() + 1);
        self.0.drawn.get().wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Lets time pass while nothing is waiting.
    pub(crate) fn advance(&self, millis: i64) {
        self.0.now.set(self.now() + millis);
    }

    pub(crate) async fn sleep(&self, millis: i64) {
        let key = (self.now() + millis, self.random());
        poll_fn(|cx| {
            if self.now() >= key.0 {
                return Poll::Ready(());
            }
            self.0.sleepers.borrow_mut().insert(key, cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Runs a task beside those that are waited for.
    pub(crate) fn spawn(&self, task: LocalBoxFuture<'static, ()>) {
        self.0.tasks.borrow_mut().push(task);
        self.0.spawned.set(true);
    }

    /// Runs a future to its end, and all tasks as far as they come meanwhile.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(woken.clone());
        let mut cx = Context::from_waker(&waker);
        loop {
            if !woken.0.swap(false, Ordering::Relaxed) {
                // Nothing can go on: the next sleeper's time comes.
                let next = self.0.sleepers.borrow_mut().pop_first();
                let ((at, _), sleeper) = next.expect("all wait for each other");
                self.0.now.set(self.now().max(at));
                sleeper.wake();
            }
            if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
                return value;
            }
            self.0.spawned.set(false);
            let tasks = std::mem::take(&mut *self.0.tasks.borrow_mut());
            for mut task in tasks {
                if task.as_mut().poll(&mut cx).is_pending() {
                    self.0.tasks.borrow_mut().push(task);
                } else {
                    waker.wake_by_ref();
                }
            }
            if self.0.spawned.get() {
                waker.wake_by_ref();
            }
        }
    }
}

/// Lets others go on for a moment: a point at which a future may be dropped.
pub(crate) async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
