//! Whatever text or words anyone opens: the readers of old formats and of folded stacks answer
//! with an error, or with a profile like any other.

use crate::properties::{CAP, round_trips};
use pilotlight_core::folded::{self, FoldedError};
use pilotlight_core::pprof::Decoded;
use pilotlight_core::{By, CallTree, Profile, legacy, open};

/// Twenty, and one that counts the others.
const MAX_WARNINGS: usize = 21;

pub(crate) fn target(bytes: &[u8]) {
    let old = legacy::decode(bytes);
    // Go's own tool tells formats by their first bytes too: what is damaged behind them is damaged,
    // not something else.
    assert!(legacy::sniff(bytes).is_some() || old.is_err());
    if let Ok(decoded) = &old {
        check(decoded);
    }
    let folded = folded::decode(bytes);
    if let Ok(decoded) = &folded {
        check(decoded);
    }
    match open(bytes, CAP) {
        Ok(decoded) => check(&decoded),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check(decoded: &Decoded) {
    assert!(
        decoded.warnings.len() <= MAX_WARNINGS,
        "{:?}",
        decoded.warnings
    );
    assert!(
        decoded.warnings.iter().all(|warning| warning.len() < 1000),
        "{:?}",
        decoded.warnings
    );
    round_trips(&decoded.profile);
    for sample_type in 0..decoded.profile.sample_types().len() {
        folds(&decoded.profile, sample_type);
    }
}

/// Written as folded stacks and read again, a profile is written the same way, and nothing is lost
/// of its total.
fn folds(profile: &Profile, sample_type: usize) {
    let once = match folded::encode(profile, sample_type, CAP) {
        Ok(text) => text,
        Err(FoldedError::TooLarge { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let again = match folded::decode(once.as_bytes()) {
        Ok(decoded) => decoded,
        // Inlined calls are frames here.
        Err(FoldedError::TooDeep { .. }) => return,
        Err(FoldedError::NoStack(_)) if once.is_empty() => return,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(again.warnings, Vec::<String>::new());
    assert_eq!(
        folded::encode(&again.profile, 0, 2 * CAP).as_ref(),
        Ok(&once)
    );
    let small = profile.samples().values[sample_type]
        .iter()
        .all(|value| value.unsigned_abs() < 1 << 40);
    if small {
        // Decimals that add up to a whole number are read as one.
        assert_eq!(
            again.profile.total(0) * parts(profile, sample_type),
            profile.total(sample_type) * parts(&again.profile, 0)
        );
        assert_eq!(
            i128::from(CallTree::new(&again.profile, 0, By::Name).total()),
            again.profile.total(0)
        );
    }
}

/// How many of a type's unit make up one of what folded stacks count.
fn parts(profile: &Profile, sample_type: usize) -> i128 {
    match profile.type_text(profile.sample_types()[sample_type]).1 {
        "count/1000" => 1_000,
        "count/1000000" => 1_000_000,
        "count/1000000000" => 1_000_000_000,
        _ => 1,
    }
}
