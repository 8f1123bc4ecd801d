//! The sum of what a report is about.

use pilotlight_core::plans::{Outgrown, QueryAnswer};
use pilotlight_core::reports::Source;

use super::arguments::Selected;
use crate::api::query::EdgeQueryRunner;
use crate::platform::errors::Problem;

/// The sum of what is selected.
pub(super) async fn merged(
    selected: &Selected,
    runner: &EdgeQueryRunner,
) -> Result<(Source, QueryAnswer), Problem> {
    let Selected {
        selector,
        profile_type,
        range,
    } = selected;
    let range = runner.allowed(*range)?;
    let answer = runner
        .merged_when(selector, profile_type, range, Outgrown::Fold)
        .await?;
    Ok((Source::new(selected.query(), range, &answer), answer))
}
