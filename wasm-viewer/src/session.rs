//! What is open: profiles and trees, each under a number.

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::store::read_chunk;
use pilotlight_core::verbs::{self, Ratio};
use pilotlight_core::{By, CallTree, Profile, expression_problem, gzip, merge, pprof};

use crate::answers::{ProfileInfo, Sandwich, TreeInfo, TypeInfo};
use crate::error::SessionError;
use crate::known_lines::KnownLines;
use crate::steps::{Step, derive};
use crate::view::{Values, View};

/// Profiles and trees that are open.
#[derive(Default)]
pub struct Session {
    profiles: Vec<Option<Opened>>,
    trees: Vec<Option<View>>,
    pub(crate) known_lines: Option<KnownLines>,
    /// What the last tree was made of that is not upside down.
    upright: Option<Upright>,
}

/// A tree, and what it was made of.
struct Upright {
    profile: u32,
    sample_type: u32,
    steps: Vec<String>,
    tree: u32,
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

    /// Takes over a profile with names for its addresses: pprof with the samples of an open one, in
    /// the same order. What pprof has no place for is that one's.
    pub fn open_symbolized(
        &mut self,
        of: u32,
        bytes: &[u8],
        warnings: Vec<String>,
    ) -> Result<ProfileInfo, SessionError> {
        let mut profile = pprof::decode(bytes)?.profile;
        let before = self.opened(of)?;
        if let Some(times) = before.profile.samples().times.clone() {
            profile = profile.with_times(times).ok_or(SessionError::Times)?;
        }
        let symbolized = Opened {
            name: before.name.clone(),
            format: before.format.clone(),
            profile,
            warnings: before.warnings.iter().cloned().chain(warnings).collect(),
        };
        Ok(self.add(symbolized))
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
        let upright = self.upright(id, sample_type, steps).filter(|_| invert);
        if let Some(view) = upright.map(View::inverted) {
            return Ok(self.add_tree(view));
        }
        let t = profile
            .sample_types()
            .get(sample_type as usize)
            .ok_or(SessionError::NoType(sample_type))?;
        let (kind, unit) = profile.type_text(*t);
        let derived = derive(profile, steps)?;
        let tree = CallTree::new(&derived.profile, sample_type as usize, By::Function);
        let view = View::new(Values::Call(Box::new(tree)), kind, unit)
            .derived(profile.total(sample_type as usize), derived.unmatched);
        if invert {
            return Ok(self.add_tree(view.inverted()));
        }
        let info = self.add_tree(view);
        self.upright = Some(Upright {
            profile: id,
            sample_type,
            steps: steps.to_vec(),
            tree: info.id,
        });
        Ok(info)
    }

    /// The tree of a profile after some steps, while it is open: turning it is quicker than
    /// beginning with the profile.
    fn upright(&self, profile: u32, sample_type: u32, steps: &[String]) -> Option<&View> {
        let last = self.upright.as_ref().filter(|last| {
            last.profile == profile && last.sample_type == sample_type && last.steps == steps
        })?;
        self.view(last.tree).ok()
    }

    /// What steps leave of a profile, opened as one of its own: a side of a comparison.
    pub fn part(&mut self, id: u32, steps: &[String]) -> Result<ProfileInfo, SessionError> {
        let opened = self.opened(id)?;
        let part = Opened {
            name: opened.name.clone(),
            format: String::new(),
            profile: derive(&opened.profile, steps)?.profile.into_owned(),
            warnings: Vec::new(),
        };
        Ok(self.add(part))
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
    let types = (0..p.sample_types().len()).map(|column| type_info(p, column));
    let mut named = vec![false; p.functions().len()];
    let mut addresses = 0;
    for location in p.location_ids() {
        let mut functions = p.lines(location).iter().filter_map(|line| line.function);
        let Some(first) = functions.next() else {
            addresses += 1;
            continue;
        };
        named[first.index()] = true;
        functions.for_each(|function| named[function.index()] = true);
    }
    let (period_type, period_unit) = header.period_type.map_or(("", ""), |t| p.type_text(t));
    ProfileInfo {
        id,
        name: opened.name.clone(),
        format: opened.format.clone(),
        types: types.collect(),
        default_type: p.default_type() as u32,
        samples: p.len() as u32,
        timed: p.samples().times.is_some(),
        labelled: !p.label_sets().is_empty(),
        functions: named.iter().filter(|&&named| named).count() as u32,
        addresses,
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

/// A value column, and what all samples have of it.
pub(crate) fn type_info(p: &Profile, column: usize) -> TypeInfo {
    let (kind, unit) = p.type_text(p.sample_types()[column]);
    let total = p.total(column);
    TypeInfo {
        kind: kind.to_owned(),
        unit: unit.to_owned(),
        total: total as f64,
        total_exact: total.to_string(),
    }
}
