//! Where in a file a hunk belongs.

use super::{
    Fitting,
    parse::{Hunk, LineKind},
};

/// What had to be overlooked for a hunk to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Leniency {
    /// Nothing.
    Exact,
    /// Blanks and line ends at the ends of lines, and bytes that are no UTF-8.
    LineEnds,
    /// Blanks anywhere.
    Blanks,
    /// So many lines of context that are others, or not there at all.
    Fuzz(u8),
}

/// A place where a hunk fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// Index of the first old line.
    pub(super) start: usize,
    pub(super) leniency: Leniency,
    /// For each of the hunk's lines the line of the file that it is; none for one that is added or was invented.
    pub(super) lines: Vec<Option<usize>>,
    /// Index after the last old line.
    pub(super) end: usize,
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoSite {
    /// It fits in several places and nothing says which is meant.
    Several(Vec<usize>),
    /// It has no old lines, and no number says where it belongs.
    Unplaced,
    /// Its result is there already, at this index.
    Done(usize),
    /// It fits nowhere. The index at which most of its lines are, and how many of them.
    Nowhere(Option<(usize, usize)>),
}

/// The most context lines that may be others.
const MOST_FUZZ: u8 = 2;
/// Hunks with more context are not tried with every choice of lines.
const MOST_CHOICES: usize = 40;

/// A file's lines, each without its end.
pub(super) struct Lines<'a> {
    exact: Vec<&'a [u8]>,
    trimmed: Vec<String>,
    squeezed: Vec<String>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(lines: &[&'a [u8]]) -> Self {
        let text: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
        Self {
            exact: lines.to_vec(),
            trimmed: text.iter().map(|line| line.trim_end().to_owned()).collect(),
            squeezed: text.iter().map(|line| squeeze(line)).collect(),
        }
    }

    fn is(&self, at: usize, wanted: &Wanted, leniency: Leniency) -> bool {
        match leniency {
            Leniency::Exact => self.exact.get(at).is_some_and(|line| *line == wanted.text.as_bytes()),
            Leniency::LineEnds => self.trimmed.get(at).is_some_and(|line| *line == wanted.trimmed),
            Leniency::Blanks | Leniency::Fuzz(_) => self.squeezed.get(at).is_some_and(|line| *line == wanted.squeezed),
        }
    }
}

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An old line of a hunk.
struct Wanted {
    /// Its place among the hunk's lines.
    number: usize,
    removed: bool,
    text: String,
    trimmed: String,
    squeezed: String,
}

/// What is done about one old line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// It must be there.
    Match,
    /// Some line is there.
    Differs,
    /// It was invented.
    Absent,
}

/// Finds the one place where a hunk belongs. `from` is the first line that earlier hunks left alone; `shift` is by how much
/// the last one was off.
pub(super) fn find(
    lines: &Lines<'_>,
    hunk: &Hunk,
    from: usize,
    shift: isize,
    fitting: Fitting,
) -> Result<Site, NoSite> {
    let wanted: Vec<Wanted> = hunk
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.kind != LineKind::Add)
        .map(|(number, line)| Wanted {
            number,
            removed: line.kind == LineKind::Remove,
            text: line.text.clone(),
            trimmed: line.text.trim_end().to_owned(),
            squeezed: squeeze(&line.text),
        })
        .collect();
    if wanted.is_empty() {
        return bare(lines, hunk, from);
    }
    let said = hunk
        .start
        .and_then(|start| start.saturating_sub(1).checked_add_signed(shift));
    let everything = vec![About::Match; wanted.len()];
    let mut tries: Vec<(Leniency, Vec<Vec<About>>)> = vec![(Leniency::Exact, vec![everything.clone()])];
    if fitting == Fitting::Lenient {
        tries.push((Leniency::LineEnds, vec![everything.clone()]));
        tries.push((Leniency::Blanks, vec![everything]));
        tries.extend((1..=MOST_FUZZ).map(|fuzz| (Leniency::Fuzz(fuzz), choices(&wanted, fuzz))));
    }
    for (leniency, choices) in tries {
        let mut sites: Vec<Site> = Vec::new();
        for about in &choices {
            for start in from..lines.exact.len() {
                if let Some(site) = fit(lines, &wanted, about, hunk, start, leniency)
                    && !sites.iter().any(|other| is_same(other, &site, &wanted))
                {
                    sites.push(site);
                }
            }
        }
        // At the end of a file, a hunk that says so belongs nowhere else.
        if hunk.old_open && sites.iter().any(|site| site.end == lines.exact.len()) {
            sites.retain(|site| site.end == lines.exact.len());
        }
        match sites.len() {
            0 => {}
            1 => return sites.pop().ok_or(NoSite::Unplaced),
            _ => {
                let nearest = |said: usize| {
                    // Further down goes before further up, as in `patch`.
                    let off = |site: &Site| (site.start.abs_diff(said), site.start < said);
                    (0..sites.len()).min_by_key(|at| sites.get(*at).map(off))
                };
                let chosen = match fitting {
                    Fitting::LikePatch => said.and_then(nearest),
                    Fitting::Lenient | Fitting::Strict => sites.iter().position(|site| Some(site.start) == said),
                };
                return match chosen {
                    Some(at) => Ok(sites.swap_remove(at)),
                    None => Err(NoSite::Several(sites.iter().map(|site| site.start).collect())),
                };
            }
        }
    }
    Err(done(lines, hunk).unwrap_or_else(|| NoSite::Nowhere(nearest(lines, &wanted))))
}

/// Two ways to fit a hunk into the same place are one when they remove and add the same.
fn is_same(one: &Site, other: &Site, wanted: &[Wanted]) -> bool {
    let removed = |site: &Site| -> Vec<Option<usize>> {
        wanted
            .iter()
            .filter(|line| line.removed)
            .map(|line| site.lines.get(line.number).copied().flatten())
            .collect()
    };
    let removes = removed(one);
    if removes.is_empty() {
        // What is only added goes behind or before a line that is known.
        one.start.abs_diff(other.start) <= 1 && one.end == other.end
    } else {
        removes == removed(other)
    }
}

/// A hunk without old lines belongs behind the line that its header names.
fn bare(lines: &Lines<'_>, hunk: &Hunk, from: usize) -> Result<Site, NoSite> {
    let start = match hunk.start {
        Some(start) => start,
        None if lines.exact.is_empty() => 0,
        None => return Err(NoSite::Unplaced),
    };
    if start < from || start > lines.exact.len() {
        return Err(NoSite::Nowhere(None));
    }
    Ok(Site {
        start,
        leniency: Leniency::Exact,
        lines: vec![None; hunk.lines.len()],
        end: start,
    })
}

/// All ways to overlook so many lines of context.
fn choices(wanted: &[Wanted], fuzz: u8) -> Vec<Vec<About>> {
    let context: Vec<usize> = (0..wanted.len())
        .filter(|at| wanted.get(*at).is_some_and(|line| !line.removed))
        .collect();
    // What is left must still say where the hunk belongs.
    let telling = wanted.iter().filter(|line| !line.squeezed.is_empty()).count();
    if context.len() < usize::from(fuzz) || telling < usize::from(fuzz) + 2 || context.len() > MOST_CHOICES {
        return Vec::new();
    }
    let mut all = Vec::new();
    let kinds = [About::Absent, About::Differs];
    for (place, first) in context.iter().enumerate() {
        for one in kinds {
            let mut about = vec![About::Match; wanted.len()];
            if let Some(slot) = about.get_mut(*first) {
                *slot = one;
            }
            if fuzz == 1 {
                all.push(about);
                continue;
            }
            for second in context.iter().skip(place + 1) {
                for other in kinds {
                    let mut about = about.clone();
                    if let Some(slot) = about.get_mut(*second) {
                        *slot = other;
                    }
                    all.push(about);
                }
            }
        }
    }
    all
}

fn fit(
    lines: &Lines<'_>,
    wanted: &[Wanted],
    about: &[About],
    hunk: &Hunk,
    start: usize,
    leniency: Leniency,
) -> Option<Site> {
    let mut places = vec![None; hunk.lines.len()];
    let mut at = start;
    for (line, about) in wanted.iter().zip(about) {
        match about {
            About::Absent => continue,
            About::Match if !lines.is(at, line, leniency) => return None,
            About::Differs if at >= lines.exact.len() => return None,
            About::Match | About::Differs => {}
        }
        if let Some(place) = places.get_mut(line.number) {
            *place = Some(at);
        }
        at += 1;
    }
    Some(Site {
        start,
        leniency,
        lines: places,
        end: at,
    })
}

/// Whether the hunk's result is there already, and only once.
fn done(lines: &Lines<'_>, hunk: &Hunk) -> Option<NoSite> {
    let result: Vec<&str> = hunk
        .lines
        .iter()
        .filter(|line| line.kind != LineKind::Remove)
        .map(|line| line.text.trim_end())
        .collect();
    if result.iter().all(|line| line.is_empty()) || !hunk.lines.iter().any(|line| line.kind == LineKind::Add) {
        return None;
    }
    let mut sites = lines
        .trimmed
        .windows(result.len())
        .enumerate()
        .filter(|(_, window)| *window == result.as_slice());
    let (at, _) = sites.next()?;
    sites.next().is_none().then_some(NoSite::Done(at))
}

/// Where most of the lines are, to show what is there instead.
fn nearest(lines: &Lines<'_>, wanted: &[Wanted]) -> Option<(usize, usize)> {
    let fits = |start: usize| {
        (start..)
            .zip(wanted)
            .filter(|(at, line)| !line.squeezed.is_empty() && lines.squeezed.get(*at) == Some(&line.squeezed))
            .count()
    };
    (0..lines.exact.len())
        .map(|start| (start, fits(start)))
        .filter(|(_, count)| *count > 0)
        .max_by_key(|(start, count)| (*count, std::cmp::Reverse(*start)))
}
