//! What the files of a spec say now. There is no judgement here: that belongs to the core.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kumite_core::facts::{
    DocumentFacts, Facts, Findings, InspectionFacts, Look, ReviewFacts, RoundFacts, Stamp,
    TaskFacts, Verdict,
};
use kumite_core::names::{Document, Phase};
use kumite_core::place::{PlaceLook, Prepared};
use kumite_core::run::{Run, Step, vanished};
use kumite_formats::spec_json::SpecJson;
use kumite_formats::{inspection_report, review_reply, tasks_md};

use crate::fnv::fnv1a;
use crate::history::history;
use crate::place::Record;
use crate::project::Spec;
use crate::{baseline, spec_file};

/// The prefixes of numbered files.
const REVIEW: &str = "document-review-";
const INSPECTION: &str = "inspection-";

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Without the files of review rounds, which only the loop needs.
    Glance,
    /// All documents.
    Documents,
    /// The history of git too: it takes a moment, and only a merge needs it.
    Merge,
}

/// Reads everything again, for the decision of a run. `place` is what its worktree has.
pub fn look(spec: &Spec, run: &Run, place: PlaceLook) -> Look {
    let (checkout, json) = spec.read();
    let mut look = seen(spec, &checkout, json, Depth::Merge);
    if let Look::Seen(facts) = &mut look {
        facts.place = place;
        let step = run.work().map(|work| (work.step, work.agent));
        match step {
            Some((Step::Prepare(_), agent)) => {
                facts.prepared = prepared(spec, &agent.to_string());
            }
            Some((Step::Baseline, agent)) => {
                facts.measured = baseline::measured(spec, &agent.to_string());
            }
            Some(_) | None => {}
        }
        compare_tasks(&spec.files_in(&checkout), run, facts);
    }
    look
}

/// What the step of this agent has left.
fn prepared(spec: &Spec, agent: &str) -> Option<Prepared> {
    let record = Record::read(spec);
    let is_its = record.agent.as_deref() == Some(agent);
    record.prepared.filter(|_| is_its)
}

/// As long as the run does not know its tasks, it gets their texts; afterwards, it gets those that
/// are gone.
fn compare_tasks(dir: &Path, run: &Run, facts: &mut Facts) {
    let now = || {
        let bytes = fs::read(dir.join(Document::Tasks.file())).unwrap_or_default();
        let items = tasks_md::parse(&bytes).items.into_iter();
        let texts = items.filter(|task| task.counts).map(|task| match task.id {
            Some(id) => format!("{id} {}", task.title),
            None => task.title,
        });
        texts.collect::<Vec<String>>()
    };
    match &run.memory.trust.tasks {
        Some(known) => facts.vanished = vanished(known, &now()),
        None if facts.document(Document::Tasks).approved => facts.task_list = now(),
        None => {}
    }
}

/// What `json` and the files beside it say.
pub fn seen(
    spec: &Spec,
    checkout: &Path,
    json: Result<SpecJson, spec_file::Error>,
    depth: Depth,
) -> Look {
    let json = match json {
        Ok(json) => json,
        Err(error) => return Look::Unreadable(spec_file::sentence(&error)),
    };
    let kinds: &[&str] = match depth {
        Depth::Glance => &[INSPECTION],
        Depth::Documents | Depth::Merge => &[REVIEW, INSPECTION],
    };
    let dir = spec.files_in(checkout);
    let files = Numbered::list(&dir, kinds);
    let mut facts = facts(&dir, &json, &files);
    let is_late = facts.completed.is_some() || !facts.inspections.is_empty();
    if depth == Depth::Merge && is_late && facts.permitted.allows(Phase::Deploy) {
        facts.history = history(spec, &dir);
    }
    Look::Seen(Box::new(facts))
}

fn facts(dir: &Path, json: &SpecJson, files: &Numbered) -> Facts {
    Facts {
        permitted: json.permitted(),
        documents: Document::ALL.map(|document| document_facts(dir, json, document)),
        review: review_facts(dir, json, files),
        tasks: tasks(dir),
        inspections: inspection_facts(dir, json, files),
        completed: json.completed(),
        ..Facts::default()
    }
}

fn document_facts(dir: &Path, json: &SpecJson, document: Document) -> DocumentFacts {
    let (generated, approved) = json.approval(document);
    DocumentFacts {
        generated,
        approved,
        stamp: stamp_of(&dir.join(document.file())),
    }
}

/// The check boxes of tasks.md, counted at this moment (B1.1).
pub fn tasks(dir: &Path) -> TaskFacts {
    let path = dir.join(Document::Tasks.file());
    // Reading a pipe would never end.
    let text = path.is_file().then(|| fs::read(&path).ok()).flatten();
    text.map_or(TaskFacts::Unreadable, |bytes| {
        tasks_md::parse(&bytes).facts()
    })
}

fn review_facts(dir: &Path, json: &SpecJson, files: &Numbered) -> ReviewFacts {
    let recorded = json.review();
    let mut rounds: BTreeMap<u32, RoundFacts> = BTreeMap::new();
    let numbers = recorded.rounds.iter().map(|round| round.number);
    for number in numbers.chain(files.reviews.keys().copied()) {
        let round = rounds.entry(number).or_default();
        round.number = number;
        round.review = files.reviews.get(&number).copied();
    }
    for known in &recorded.rounds {
        let round = rounds.entry(known.number).or_default();
        round.recorded = known.progress;
        round.counts = known.findings;
        round.unclear = known.unclear;
    }
    for round in rounds.values_mut() {
        let file = files.replies.get(&round.number).copied();
        round.reply = together(file, round.counts);
        if file.is_some() {
            let name = format!("document-review-{}-reply.md", round.number);
            let text = fs::read(dir.join(name));
            round.table = text.ok().and_then(|text| review_reply::parse(&text));
        }
    }
    ReviewFacts {
        approved: recorded.approved,
        pending: recorded.pending,
        rounds: rounds.into_values().collect(),
    }
}

fn inspection_facts(dir: &Path, json: &SpecJson, files: &Numbered) -> Vec<InspectionFacts> {
    let mut known: BTreeMap<u32, InspectionFacts> = BTreeMap::new();
    for recorded in json.inspections() {
        let inspection = known.entry(recorded.number).or_default();
        inspection.number = recorded.number;
        inspection.recorded = recorded.verdict;
        inspection.unclear = recorded.unclear;
        inspection.fixed = recorded.fixed;
    }
    for (number, (name, _)) in &files.inspections {
        let inspection = known.entry(*number).or_default();
        inspection.number = *number;
        let text = fs::read(dir.join(name));
        inspection.report = text.ok().and_then(|text| inspection_report::parse(&text));
    }
    for inspection in known.values_mut() {
        let file = files.inspections.get(&inspection.number);
        let stamp = file.map(|(_, stamp)| *stamp);
        inspection.stamp = together(stamp, inspection.recorded);
    }
    known.into_values().collect()
}

/// The files in the directory of a spec that are or may become reports of inspections.
pub(crate) fn inspection_files(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_one = |name: &OsString| name.as_encoded_bytes().starts_with(INSPECTION.as_bytes());
    let names = entries.map(|entry| entry.file_name()).filter(is_one);
    names.map(|name| dir.join(name))
}

/// The numbered files of a spec, by kind. Empty files count as missing.
#[derive(Default)]
struct Numbered {
    reviews: BTreeMap<u32, Stamp>,
    replies: BTreeMap<u32, Stamp>,
    inspections: BTreeMap<u32, (String, Stamp)>,
}

impl Numbered {
    fn list(dir: &Path, kinds: &[&str]) -> Numbered {
        let mut files = Numbered::default();
        let entries = fs::read_dir(dir).into_iter().flatten();
        for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            if kinds.iter().any(|kind| name.starts_with(kind)) {
                files.add(dir, name);
            }
        }
        files
    }

    fn add(&mut self, dir: &Path, name: String) {
        let Some(stem) = name.strip_suffix(".md") else {
            return;
        };
        let Some(stamp) = stamp_of(&dir.join(&name)) else {
            return;
        };
        let number = |text: &str| text.parse::<u32>().ok();
        if let Some(rest) = stem.strip_prefix(REVIEW) {
            if let Some(n) = rest.strip_suffix("-reply").and_then(number) {
                self.replies.insert(n, stamp);
            } else if let Some(n) = number(rest) {
                self.reviews.insert(n, stamp);
            }
        } else if let Some(n) = stem.strip_prefix(INSPECTION).and_then(number) {
            self.inspections.insert(n, (name, stamp));
        } else if let Some(n) = stem.strip_prefix("inspection-report-").and_then(number) {
            // The older name; the newer one wins.
            self.inspections.entry(n).or_insert((name, stamp));
        }
    }
}

/// The stamp of a file that exists and is not empty.
fn stamp_of(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
    let blank = metadata.len() == 0 || (metadata.len() < 64 && is_blank(path).unwrap_or(true));
    (!blank).then(|| stamp(&metadata))
}

fn is_blank(path: &Path) -> io::Result<bool> {
    Ok(fs::read(path)?.trim_ascii().is_empty())
}

/// Changes whenever the file is written, even with the same content.
fn stamp(metadata: &Metadata) -> Stamp {
    hash(&[
        metadata.mtime().cast_unsigned(),
        metadata.mtime_nsec().cast_unsigned(),
        metadata.len(),
        metadata.ino(),
    ])
}

/// A file and a record as one piece of evidence: it changes when either does.
fn together<T: EvidenceKey>(file: Option<Stamp>, record: Option<T>) -> Option<Stamp> {
    let file = file.map(|(Stamp::Fnv(hash) | Stamp::Std(hash))| hash);
    let record = record.map(EvidenceKey::key);
    match (file, record) {
        (None, None) => None,
        // The first number distinguishes "no file" from every file.
        (file, record) => {
            let numbers = [file, record].into_iter().flat_map(|part| match part {
                None => [0, 0],
                Some(number) => [1, number],
            });
            Some(hash(&numbers.collect::<Vec<u64>>()))
        }
    }
}

/// The part of a record that distinguishes it from others.
trait EvidenceKey {
    fn key(self) -> u64;
}

impl EvidenceKey for Findings {
    fn key(self) -> u64 {
        u64::from(self.fix_required) << 32 | u64::from(self.needs_discussion)
    }
}

impl EvidenceKey for Verdict {
    fn key(self) -> u64 {
        match self {
            Verdict::Go => 0,
            Verdict::Nogo => 1,
        }
    }
}

fn hash(numbers: &[u64]) -> Stamp {
    let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    Stamp::Fnv(fnv1a(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals keep these numbers: every version of kumite must compute the same ones.
    #[test]
    fn a_stamp_is_the_same_in_every_version() {
        assert_eq!(hash(&[1, 2, 3, 4]), Stamp::Fnv(0x898f7e1ce6964921));
        let file = Some(Stamp::Fnv(7));
        assert_eq!(
            together(file, Some(Verdict::Nogo)),
            Some(Stamp::Fnv(0xb07e6596e504fca3))
        );
        assert_eq!(together::<Verdict>(None, None), None);
    }
}
