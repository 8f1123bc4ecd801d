//! What is open: profiles and trees, each under a number.

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::store::read_chunk;
use pilotlight_core::verbs::{self, Ratio};
use pilotlight_core::{
    By, CallTree, Profile, Scale, diff, expression_problem, folded, gzip, merge, pprof,
};

use crate::answers::{ProfileInfo, Sandwich, TreeInfo, TypeInfo};
use crate::error::SessionError;
use crate::lines::KnownLines;
use crate::steps::{Step, derive};
use crate::view::{Values, View};

/// Largest text of folded stacks, 64 MiB: the lines, the text and its copies in JavaScript stand in
/// memory at the same time.
const MAX_FOLDED_BYTES: usize = 64 << 20;

/// Profiles and trees that are open.
#[derive(Default)]
pub struct Session {
    profiles: Vec<Option<Opened>>,
    trees: Vec<Option<View>>,
    pub(crate) known_lines: Option<KnownLines>,
}

struct Opened {
    name: String,
    /// Of the file, for people; empty for what was made here.
    format: String,
    profile: Profile,
    warnings: Vec<String>,
}

impl Session {
    /// Decodes a file: a profile in any format that the core reads, or a chunk as the worker
    /// answers; gzip or not.
    pub fn open(&mut self, name: &str, bytes: &[u8]) -> Result<ProfileInfo, SessionError> {
        let inflated = gzip::inflate(bytes, MAX_PROFILE_BYTES)?;
        let bytes = inflated.as_deref().unwrap_or(bytes);
        let (profile, format, warnings) = if bytes.starts_with(b"PLTCHNK") {
            (
                read_chunk(bytes, |_, _| true)?,
                "Pilotlight chunk",
                Vec::new(),
            )
        } else {
            let (decoded, format) = pilotlight_core::open_named(bytes, MAX_PROFILE_BYTES)?;
            (decoded.profile, format, decoded.warnings)
        };
        Ok(self.add(Opened {
            name: name.to_owned(),
            format: format.to_owned(),
            profile,
            warnings,
        }))
    }

    /// Takes over what another reader made of a file: pprof, and a time for each sample.
    pub fn open_imported(
        &mut self,
        name: &str,
        format: &str,
        bytes: &[u8],
        times: Option<Vec<i64>>,
        warnings: Vec<String>,
    ) -> Result<ProfileInfo, SessionError> {
        let mut profile = pprof::decode(bytes)?.profile;
        if let Some(times) = times {
            profile = profile.with_times(times).ok_or(SessionError::Times)?;
        }
        Ok(self.add(Opened {
            name: name.to_owned(),
            format: format.to_owned(),
            profile,
            warnings,
        }))
    }

    /// Adds profiles up.
    pub fn merge(&mut self, ids: &[u32]) -> Result<ProfileInfo, SessionError> {
        let opened = ids
            .iter()
            .map(|&id| self.opened(id))
            .collect::<Result<Vec<_>, _>>()?;
        let merged = merge(opened.iter().map(|o| &o.profile))?;
        if merged.saturated > 0 {
            return Err(SessionError::Saturated);
        }
        let name = format!("{} profiles merged", ids.len());
        let warnings = opened
            .iter()
            .flat_map(|o| o.warnings.iter().map(|w| format!("{}: {w}", o.name)))
            .collect();
        Ok(self.add(Opened {
            name,
            format: String::new(),
            profile: merged.profile,
            warnings,
        }))
    }

    /// Forgets a profile; trees made of it stay.
    pub fn close(&mut self, id: u32) {
        if let Some(slot) = self.profiles.get_mut(id as usize) {
            *slot = None;
        }
        self.known_lines.take_if(|known| known.profile == id);
    }

    /// The profile as pprof, not compressed: browsers have gzip of their own.
    pub fn export_pprof(&self, id: u32) -> Result<Vec<u8>, SessionError> {
        Ok(pprof::encode(&self.opened(id)?.profile))
    }

    /// The stacks of one sample type as text, `root;…;leaf value` a line.
    pub fn export_folded(&self, id: u32, sample_type: u32) -> Result<String, SessionError> {
        let profile = &self.opened(id)?.profile;
        Ok(folded::encode(
            profile,
            sample_type as usize,
            MAX_FOLDED_BYTES,
        )?)
    }

    /// Folds a profile into a call tree after some steps, in their order; upside down when `invert`
    /// says so.
    pub fn tree(
        &mut self,
        id: u32,
        sample_type: u32,
        steps: &[String],
        invert: bool,
    ) -> Result<TreeInfo, SessionError> {
        let profile = &self.opened(id)?.profile;
        let t = profile
            .sample_types()
            .get(sample_type as usize)
            .ok_or(SessionError::NoType(sample_type))?;
        let (kind, unit) = profile.type_text(*t);
        let derived = derive(profile, steps)?;
        let tree = CallTree::new(&derived.profile, sample_type as usize, By::Function);
        let view = View::new(Values::Call(Box::new(tree)), kind, unit, false)
            .derived(profile.total(sample_type as usize), derived.unmatched);
        let view = if invert { view.inverted() } else { view };
        Ok(self.add_tree(view))
    }

    /// What calls the functions of a name in a tree that is not upside down, and what they call.
    pub fn sandwich(&mut self, tree: u32, name: &str) -> Result<Sandwich, SessionError> {
        let [callers, callees] = self.view(tree)?.sandwich(name);
        Ok(Sandwich {
            callers: self.add_tree(callers),
            callees: self.add_tree(callees),
        })
    }

    /// What is wrong with a step, if anything.
    pub fn step_problem(step: &str) -> Option<String> {
        Step::parse(step).err()
    }

    /// Compares two profiles; the sample type is found in the comparison by name and unit.
    pub fn diff(
        &mut self,
        base: u32,
        comparison: u32,
        sample_type: u32,
        normalise: bool,
    ) -> Result<TreeInfo, SessionError> {
        let (left, right) = (
            &self.opened(base)?.profile,
            &self.opened(comparison)?.profile,
        );
        let t = left
            .sample_types()
            .get(sample_type as usize)
            .ok_or(SessionError::NoType(sample_type))?;
        let (kind, unit) = left.type_text(*t);
        let other = right
            .sample_types()
            .iter()
            .position(|&t| right.type_text(t) == (kind, unit))
            .ok_or_else(|| {
                let has: Vec<String> = right
                    .sample_types()
                    .iter()
                    .map(|&t| right.type_text(t))
                    .map(|(k, u)| format!("{k}/{u}"))
                    .collect();
                SessionError::NoSuchType {
                    kind: kind.to_owned(),
                    unit: unit.to_owned(),
                    has: has.join(", "),
                }
            })?;
        let scale = if normalise {
            Scale::Normalised
        } else {
            Scale::Absolute
        };
        let tree = diff(
            (left, sample_type as usize),
            (right, other),
            By::Function,
            scale,
        );
        let view = View::new(Values::Diff(Box::new(tree)), kind, unit, normalise);
        Ok(self.add_tree(view))
    }

    /// A profile with the values of one sample type times a ratio, so that profiles of unlike
    /// coverage compare by rate.
    pub fn scale(
        &mut self,
        id: u32,
        sample_type: u32,
        numerator: f64,
        denominator: f64,
    ) -> Result<ProfileInfo, SessionError> {
        /// Whole numbers are exact in an `f64` up to here.
        const MOST: f64 = (1u64 << 53) as f64;
        let opened = self.opened(id)?;
        let is_whole = |n: f64| n.fract() == 0.0 && (1.0..=MOST).contains(&n);
        let ratio = Ratio::new(numerator as i64, denominator as u64);
        let ratio = ratio.filter(|_| is_whole(numerator) && is_whole(denominator));
        let ratio = ratio.ok_or(SessionError::Ratio)?;
        let scaled = verbs::scale(&opened.profile, sample_type as usize, ratio);
        if scaled.saturated > 0 {
            return Err(SessionError::Saturated);
        }
        let (name, warnings) = (opened.name.clone(), opened.warnings.clone());
        Ok(self.add(Opened {
            name,
            format: String::new(),
            profile: scaled.profile,
            warnings,
        }))
    }

    /// What is wrong with a filter's regular expression, if anything: what the worker would say,
    /// before it is asked. Other rules hold for the expressions of a search, which match anywhere
    /// and ignore case.
    pub fn regex_problem(text: &str) -> Option<String> {
        expression_problem(text)
    }

    /// Forgets a tree.
    pub fn drop_tree(&mut self, id: u32) {
        if let Some(slot) = self.trees.get_mut(id as usize) {
            *slot = None;
        }
    }

    /// An open tree.
    pub fn view(&self, id: u32) -> Result<&View, SessionError> {
        self.trees
            .get(id as usize)
            .and_then(Option::as_ref)
            .ok_or(SessionError::NoTree(id))
    }

    /// An open tree, to be searched or sorted.
    pub fn view_mut(&mut self, id: u32) -> Result<&mut View, SessionError> {
        self.trees
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(SessionError::NoTree(id))
    }

    pub(crate) fn profile(&self, id: u32) -> Result<&Profile, SessionError> {
        Ok(&self.opened(id)?.profile)
    }

    fn opened(&self, id: u32) -> Result<&Opened, SessionError> {
        self.profiles
            .get(id as usize)
            .and_then(Option::as_ref)
            .ok_or(SessionError::NoProfile(id))
    }

    fn add(&mut self, opened: Opened) -> ProfileInfo {
        let info = info(&opened, self.profiles.len() as u32);
        self.profiles.push(Some(opened));
        info
    }

    pub(crate) fn add_tree(&mut self, view: View) -> TreeInfo {
        let info = view.info(self.trees.len() as u32);
        self.trees.push(Some(view));
        info
    }
}

fn info(opened: &Opened, id: u32) -> ProfileInfo {
    let p = &opened.profile;
    let header = p.header();
    let types = p.sample_types().iter().enumerate().map(|(i, &t)| {
        let (kind, unit) = p.type_text(t);
        let total = p.total(i);
        TypeInfo {
            kind: kind.to_owned(),
            unit: unit.to_owned(),
            total: total as f64,
            total_exact: total.to_string(),
        }
    });
    let (period_type, period_unit) = header.period_type.map_or(("", ""), |t| p.type_text(t));
    ProfileInfo {
        id,
        name: opened.name.clone(),
        format: opened.format.clone(),
        types: types.collect(),
        default_type: p.default_type() as u32,
        samples: p.len() as u32,
        timed: p.samples().times.is_some(),
        functions: p.functions().len() as u32,
        locations: p.locations().len() as u32,
        time_nanos: header.time_nanos.to_string(),
        duration_nanos: header.duration_nanos.to_string(),
        period: header.period as f64,
        period_type: period_type.to_owned(),
        period_unit: period_unit.to_owned(),
        comments: header
            .comments
            .iter()
            .map(|&c| p.text(c).to_owned())
            .collect(),
        warnings: opened.warnings.clone(),
    }
}
