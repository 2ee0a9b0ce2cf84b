//! Tests of calls that overlap, end late or are ended by a reset; and of what may be logged.

use lacre_license::{
    Ask, Attempt, Decision, Denial, DeviceIntegrity, Effect, Event, Machine, Moment, Permit, RULES_ANDROID, RULES_IOS,
    Settings,
};

use crate::{device::APP, service::Service};

const WALL: i64 = 1_790_000_000_000;
const BEGIN: Event = Event::BeginCapture { integrity: DeviceIntegrity::Intact };
const FINISH: Event = Event::FinishCapture { integrity: DeviceIntegrity::Intact };

fn at(monotonic_ms: u64) -> Moment {
    Moment { wall_ms: WALL + i64::try_from(monotonic_ms).unwrap(), monotonic_ms }
}

fn configure() -> Event {
    let settings =
        Settings { license_url: "https://l.example".into(), license_key: "svc_live_secret".into(), app: APP.into() };
    Event::Configure { settings, stored: None }
}

fn configure_with(stored: Vec<u8>) -> Event {
    match configure() {
        Event::Configure { settings, .. } => Event::Configure { settings, stored: Some(stored) },
        other => other,
    }
}

fn answer(attempt: Attempt) -> Event {
    Event::Answer { attempt, status: 200, body: Service::new().policy.to_string().into_bytes() }
}

fn asked(effects: &[Effect]) -> Ask {
    match effects {
        [Effect::Ask(ask)] => ask.clone(),
        other => panic!("{other:?}"),
    }
}

fn refusal(effects: &[Effect]) -> Denial {
    match effects.last() {
        Some(Effect::Decide(Decision::Refuse(refusal))) => *refusal,
        other => panic!("{other:?}"),
    }
}

fn permit(effects: &[Effect]) -> Permit {
    match effects.last() {
        Some(Effect::Decide(Decision::Permit(permit))) => permit.clone(),
        other => panic!("{other:?}"),
    }
}

/// A machine that was configured at 0 ms.
fn configured() -> Machine {
    let mut machine = Machine::new(&RULES_ANDROID);
    let ask = asked(&machine.handle(configure(), at(0)));
    permit(&machine.handle(answer(ask.attempt), at(0)));
    machine
}

#[test]
fn one_question_at_a_time() {
    let mut machine = configured();
    let ask = asked(&machine.handle(BEGIN, at(3_600_000)));
    for event in [configure(), BEGIN, FINISH] {
        assert_eq!(refusal(&machine.handle(event, at(3_600_001))), Denial::Busy);
    }
    permit(&machine.handle(answer(ask.attempt), at(3_600_002)));
    permit(&machine.handle(FINISH, at(3_600_003)));
}

#[test]
fn a_tick_ends_an_overdue_attempt() {
    let mut machine = Machine::new(&RULES_ANDROID);
    assert_eq!(machine.handle(Event::Tick, at(0)), []);
    let ask = asked(&machine.handle(configure(), at(1_000)));
    assert_eq!(machine.handle(Event::Tick, at(15_999)), []);
    assert_eq!(refusal(&machine.handle(Event::Tick, at(16_000))), Denial::NetworkError);
    assert_eq!(machine.handle(answer(ask.attempt), at(16_001)), [], "an answer after the end");
    assert_eq!(refusal(&machine.handle(BEGIN, at(16_002))), Denial::NotConfigured);
}

#[test]
fn accepts_answers_until_the_deadline() {
    let mut machine = Machine::new(&RULES_ANDROID);
    let ask = asked(&machine.handle(configure(), at(1_000)));
    permit(&machine.handle(answer(ask.attempt), at(15_999)));
}

#[test]
fn ignores_answers_to_other_attempts() {
    let mut machine = Machine::new(&RULES_ANDROID);
    let first = asked(&machine.handle(configure(), at(0)));
    assert_eq!(refusal(&machine.handle(Event::NetworkFailure { attempt: first.attempt }, at(1))), Denial::NetworkError);
    let second = asked(&machine.handle(configure(), at(2)));
    assert_ne!(first.attempt, second.attempt);
    assert_eq!(machine.handle(answer(first.attempt), at(3)), []);
    assert_eq!(machine.handle(Event::NetworkFailure { attempt: first.attempt }, at(3)), []);
    permit(&machine.handle(answer(second.attempt), at(4)));
    assert_eq!(machine.handle(answer(second.attempt), at(5)), []);
}

#[test]
fn a_reset_ends_the_question() {
    let mut machine = configured();
    let ask = asked(&machine.handle(BEGIN, at(3_600_000)));
    assert_eq!(machine.handle(Event::Reset, at(3_600_001)), [Effect::Erase]);
    assert_eq!(machine.handle(answer(ask.attempt), at(3_600_002)), []);
    assert_eq!(refusal(&machine.handle(BEGIN, at(3_600_003))), Denial::NotConfigured);
    let ask = asked(&machine.handle(configure(), at(3_600_004)));
    permit(&machine.handle(answer(ask.attempt), at(3_600_005)));
}

#[test]
fn asks_again_if_the_network_returned() {
    for returns in [false, true] {
        let mut machine = configured();
        let ask = asked(&machine.handle(BEGIN, at(3_600_000)));
        if returns {
            assert_eq!(machine.handle(Event::NetworkAvailable, at(3_600_001)), []);
        }
        permit(&machine.handle(Event::NetworkFailure { attempt: ask.attempt }, at(3_615_000)));
        let effects = machine.handle(FINISH, at(3_615_001));
        if returns {
            asked(&effects);
        } else {
            permit(&effects);
        }
    }
}

#[test]
fn large_wall_clock_changes_end_tolerance() {
    for rules in [&RULES_ANDROID, &RULES_IOS] {
        let mut machine = Machine::new(rules);
        let ask = asked(&machine.handle(configure(), at(0)));
        let effects = machine.handle(answer(ask.attempt), at(0));
        let Effect::Save(record) = &effects[0] else { panic!("not stored") };
        for (set_ms, is_tolerated) in
            [(0, true), (-60_000, true), (-60_001, false), (86_400_000, true), (86_400_001, false)]
        {
            let mut restarted = Machine::new(rules);
            let ask = asked(&restarted.handle(configure_with(record.clone()), at(7_200_000)));
            let set = Moment { wall_ms: at(7_200_001).wall_ms + set_ms, ..at(7_200_001) };
            let effects = restarted.handle(Event::NetworkFailure { attempt: ask.attempt }, set);
            if is_tolerated {
                permit(&effects);
            } else {
                assert_eq!(refusal(&effects), Denial::NetworkError, "{set_ms}");
            }
        }
    }
}

#[test]
fn only_a_save_can_fail() {
    let mut machine = configured();
    permit(&machine.handle(BEGIN, at(1)));
    assert_eq!(machine.handle(Event::NotSaved, at(1)), []);
    permit(&machine.handle(FINISH, at(2)));
}

#[test]
fn only_the_question_carries_the_key() {
    let mut machine = Machine::new(&RULES_ANDROID);
    let ask = asked(&machine.handle(configure(), at(0)));
    assert_eq!(ask.url, "https://l.example/validate");
    assert_eq!(ask.body, br#"{"license_key":"svc_live_secret"}"#);
    for shown in [format!("{ask:?}"), format!("{machine:?}"), format!("{:?}", configure())] {
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("https://l.example"), "{shown}");
    }
    let Effect::Save(record) = &machine.handle(answer(ask.attempt), at(1))[0] else { panic!("not stored") };
    assert!(!String::from_utf8_lossy(record).contains("secret"));
}
