//! The operations of a random sequence. They refer to sessions, loads and ingests by how recently they were made, so
//! that a sequence stays meaningful when operations are removed.

use lacre_api::limits;
use proptest::prelude::*;

use lacre_tests::Fault;

use crate::{
    call::{Frame, Page},
    model::OWNERS,
};

/// Index counted from the latest, which is 0.
pub(crate) type Back = usize;

/// One step of a sequence.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// One request alone.
    One(Request),
    /// An operator's action, or passing time.
    Act(Act),
    /// Two concurrent requests.
    Race(Request, Request),
    /// A request with a concurrent change.
    Change(Request, Act),
    /// Many equal concurrent requests.
    Crowd(Request, usize),
    /// A request with a fault at one of its AWS calls.
    Faulty { request: Request, place: usize, fault: Fault, always: bool, aftermath: bool },
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// With an earlier key of the license, by its own client or another.
    Create {
        license: usize,
        key: Back,
        foreign: bool,
    },
    Load {
        session: Back,
        page: Page,
    },
    Upload {
        load: Back,
        frame: Frame,
    },
    /// With the latest upload or another frame; in the session and from the page of the load, or others.
    Ingest {
        load: Back,
        frame: Option<Frame>,
        session: Option<Back>,
        image: Option<Back>,
        page: Option<Page>,
        clock: i64,
    },
    /// A repetition of the same ingest.
    Replay {
        ingest: Back,
    },
    Results {
        session: Back,
    },
    Image {
        session: Back,
    },
    Validate {
        license: usize,
        key: Back,
        page: Option<Page>,
    },
}

/// A change without a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Wait { minutes: i64 },
    Revoke { license: usize },
    Suspend { client: usize, suspended: bool },
    Rotate { license: usize },
}

const MONTH: i64 = 31 * 24 * 60;

/// A whole sequence, and whether it runs in the sandbox.
pub(crate) fn sequence() -> impl Strategy<Value = (bool, Vec<Operation>)> {
    let part = prop_oneof![4 => operation().prop_map(|operation| vec![operation]), 1 => capture()];
    // At least one part, because shrinking never goes below the minimum.
    let parts = prop::collection::vec(part, 1..60);
    (any::<bool>(), parts.prop_map(|parts| parts.concat()))
}

/// All steps of a capture up to the ingest, which may meet another request or a fault. Individually drawn operations
/// rarely get this far.
fn capture() -> BoxedStrategy<Vec<Operation>> {
    let plain = || Request::Ingest { load: 0, frame: None, session: None, image: None, page: None, clock: 0 };
    let last = prop_oneof![
        4 => Just(Operation::One(plain())),
        2 => request().prop_map(move |other| Operation::Race(plain(), other)),
        1 => Just(Operation::Race(plain(), Request::Replay { ingest: 0 })),
        1 => sudden().prop_map(move |act| Operation::Change(plain(), act)),
        3 => faulty(Just(plain()).boxed()),
    ];
    let first = (license(), page(), frame());
    let whole = (first, last).prop_map(|((license, page, frame), last)| {
        let create = Request::Create { license, key: 0, foreign: false };
        let steps = [create, Request::Load { session: 0, page }, Request::Upload { load: 0, frame }];
        steps.map(Operation::One).into_iter().chain([last]).collect()
    });
    whole.boxed()
}

fn operation() -> BoxedStrategy<Operation> {
    prop_oneof![
        60 => request().prop_map(Operation::One),
        5 => act().prop_map(Operation::Act),
        12 => (request(), request()).prop_map(|(one, other)| Operation::Race(one, other)),
        4 => (ingest(), ingest()).prop_map(|(one, other)| Operation::Race(one, other)),
        4 => (request(), sudden()).prop_map(|(request, act)| Operation::Change(request, act)),
        2 => crowd(),
        10 => faulty(prop_oneof![1 => create(), 1 => load(), 6 => ingest()].boxed()),
    ]
    .boxed()
}

/// Enough loads or creations to reach their limits, together with earlier ones.
fn crowd() -> BoxedStrategy<Operation> {
    let create = license().prop_map(|license| Request::Create { license, key: 0, foreign: false });
    prop_oneof![
        9 => (load(), 3..limits::LOADS_PER_SESSION as usize + 5).prop_map(|(load, many)| Operation::Crowd(load, many)),
        1 => (create, 97..105_usize).prop_map(|(create, many)| Operation::Crowd(create, many)),
    ]
    .boxed()
}

fn request() -> BoxedStrategy<Request> {
    prop_oneof![
        12 => create(),
        16 => load(),
        18 => (back(), frame()).prop_map(|(load, frame)| Request::Upload { load, frame }),
        24 => ingest(),
        5 => back().prop_map(|ingest| Request::Replay { ingest }),
        5 => back().prop_map(|session| Request::Results { session }),
        4 => back().prop_map(|session| Request::Image { session }),
        5 => (license(), rarely(back()), prop::option::of(page()))
            .prop_map(|(license, key, page)| Request::Validate { license, key: key.unwrap_or(0), page }),
    ]
    .boxed()
}

fn create() -> impl Strategy<Value = Request> {
    (license(), rarely(back()), prop::bool::weighted(0.05)).prop_map(|(license, key, foreign)| Request::Create {
        license,
        key: key.unwrap_or(0),
        foreign,
    })
}

fn load() -> impl Strategy<Value = Request> {
    (back(), page()).prop_map(|(session, page)| Request::Load { session, page })
}

fn ingest() -> BoxedStrategy<Request> {
    let clock = prop_oneof![20 => Just(0), 1 => Just(5), 1 => Just(-5)];
    (back(), rarely(frame()), rarely(back()), rarely(back()), rarely(page()), clock)
        .prop_map(|(load, frame, session, image, page, clock)| Request::Ingest {
            load,
            frame,
            session,
            image,
            page,
            clock,
        })
        .boxed()
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![30 => sudden(), 1 => Just(Act::Wait { minutes: MONTH })]
}

/// Changes that may happen during a request.
fn sudden() -> impl Strategy<Value = Act> {
    let wait = |minutes| Just(Act::Wait { minutes });
    prop_oneof![
        6 => wait(11),
        2 => wait(31),
        1 => wait(61),
        2 => license().prop_map(|license| Act::Revoke { license }),
        5 => (client(), prop::bool::weighted(0.3)).prop_map(|(client, suspended)| Act::Suspend { client, suspended }),
        3 => license().prop_map(|license| Act::Rotate { license }),
    ]
}

fn faulty(request: BoxedStrategy<Request>) -> BoxedStrategy<Operation> {
    use Fault::{Cut, Garble, Hang, HangAfter, LoseAnswer, Refuse, ServerError, Throttle};
    let quick = prop::sample::select(vec![Refuse, Throttle, ServerError, Cut, LoseAnswer, Garble]);
    let fault = prop_oneof![9 => quick, 1 => prop::sample::select(vec![Hang, HangAfter])];
    (request, 0..10_usize, fault, any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(request, place, fault, always, aftermath)| Operation::Faulty {
            request,
            place,
            fault,
            always,
            aftermath,
        })
        .boxed()
}

fn back() -> impl Strategy<Value = Back> {
    prop_oneof![8 => Just(0), 3 => Just(1), 2 => 2..5_usize]
}

fn page() -> impl Strategy<Value = Page> {
    prop_oneof![12 => Just(Page::First), 3 => Just(Page::Second), 1 => Just(Page::Stranger)]
}

fn frame() -> impl Strategy<Value = Frame> {
    prop_oneof![20 => (0..6_u8).prop_map(Frame::Photo), 2 => Just(Frame::Screen), 1 => Just(Frame::Noise)]
}

fn license() -> impl Strategy<Value = usize> {
    0..OWNERS.len()
}

fn client() -> impl Strategy<Value = usize> {
    0..2_usize
}

fn rarely<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.06, value)
}
