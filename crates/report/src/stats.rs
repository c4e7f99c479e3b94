//! Figures with their uncertainty.
//!
//! Pure functions over counts. Nothing here knows what was counted.

use serde::Serialize;

/// The 97.5th percentile of the standard normal distribution, for two-sided intervals of 95 %.
const Z_95: f64 = 1.959_963_984_540_054;

/// Two bounds of a share, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The Wilson score interval of 95 % for a share of `passed` out of `total`; `None` when that is no share.
///
/// E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). It keeps its
/// coverage near 0, near 1 and for few trials, where the textbook interval does not.
pub fn wilson(passed: u64, total: u64) -> Option<Interval> {
    if total == 0 || passed > total {
        return None;
    }
    let total_f = total as f64;
    let share = passed as f64 / total_f;
    let z2 = Z_95 * Z_95;
    let scale = 1.0 + z2 / total_f;
    let middle = (share + z2 / (2.0 * total_f)) / scale;
    let half = Z_95 * (share * (1.0 - share) / total_f + z2 / (4.0 * total_f * total_f)).sqrt() / scale;
    // At the ends the bound is exact; rounding must not push it inside or out.
    let low = if passed == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if passed == total { 1.0 } else { (middle + half).min(1.0) };
    Some(Interval { low, high })
}

/// The unbiased estimate of the chance that at least one of `k` attempts passes, from `passed` out of `attempts`;
/// `None` when there were fewer than `k` attempts.
///
/// M. Chen et al., "Evaluating large language models trained on code" (2021), section 2.1: one minus the share of
/// `k`-subsets of the attempts that hold no pass. Computed as a product, because the binomials overflow early.
pub fn pass_at_k(attempts: u64, passed: u64, k: u64) -> Option<f64> {
    if k == 0 || k > attempts || passed > attempts {
        return None;
    }
    let failed = attempts - passed;
    if failed < k {
        return Some(1.0);
    }
    let none = (failed + 1..=attempts).fold(1.0, |product, i| product * (1.0 - k as f64 / i as f64));
    Some(1.0 - none)
}

/// The exact two-sided McNemar test: how likely a division of the pairs that differ at least as uneven as this one is, when
/// either side is as likely. 1 when no pair differs.
///
/// Q. McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12 (1947), with
/// the binomial distribution in place of its approximation. Terms are computed as logarithms, because the binomials
/// overflow early.
pub fn mcnemar(only_first: u64, only_second: u64) -> f64 {
    let (few, all) = (only_first.min(only_second), only_first.saturating_add(only_second));
    if only_first == only_second {
        return 1.0;
    }
    let all_f = all as f64;
    let mut term = -all_f * std::f64::consts::LN_2;
    let mut sum = term.exp();
    for k in 1..=few {
        term += ((all - k + 1) as f64 / k as f64).ln();
        sum += term.exp();
    }
    (2.0 * sum).min(1.0)
}

/// The median; of an even number of values, the mean of the middle two. `None` when there are none.
pub fn median(values: &[u64]) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *sorted.get(sorted.len() / 2 - 1)?;
    Some(lower.midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four are the published ones of R. G. Newcombe, "Two-sided confidence intervals for the single
    /// proportion", Statistics in Medicine 17 (1998), table I, score method without continuity correction.
    #[test]
    fn wilson_agrees_with_published_values() {
        for (passed, total, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1.0),
            (30, 48, 0.4836, 0.7478),
        ] {
            let found = wilson(passed, total).unwrap();
            assert!((found.low - low).abs() < 5e-5, "{passed}/{total}: {found:?}");
            assert!((found.high - high).abs() < 5e-5, "{passed}/{total}: {found:?}");
        }
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(2, 1), None);
    }

    /// Counted by hand: of the ten pairs out of five attempts with two passes, three hold no pass, and so on.
    #[test]
    fn pass_at_k_counts_subsets() {
        for (attempts, passed, k, expected) in [
            (5, 2, 1, 0.4),
            (5, 2, 2, 0.7),
            (5, 2, 3, 0.9),
            (5, 2, 4, 1.0),
            (200, 1, 100, 0.5),
            (10, 0, 5, 0.0),
            (10, 10, 1, 1.0),
            (1, 1, 1, 1.0),
        ] {
            let found = pass_at_k(attempts, passed, k).unwrap();
            assert!((found - expected).abs() < 1e-12, "{attempts} {passed} {k}: {found}");
        }
        assert_eq!(pass_at_k(3, 1, 4), None);
        assert_eq!(pass_at_k(3, 1, 0), None);
        assert_eq!(pass_at_k(3, 4, 1), None);
    }

    /// Summed by hand: of 2^6 divisions of six pairs, two put all on one side, twelve more all but one.
    #[test]
    fn mcnemar_counts_divisions() {
        for (first, second, expected) in [
            (0, 0, 1.0),
            (3, 3, 1.0),
            (6, 0, 2.0 / 64.0),
            (1, 5, 14.0 / 64.0),
            (5, 1, 14.0 / 64.0),
            (2, 3, 1.0),
            (10, 0, 2.0 / 1024.0),
        ] {
            let found = mcnemar(first, second);
            assert!((found - expected).abs() < 1e-12, "{first} {second}: {found}");
        }
        assert!(mcnemar(0, 5000) < 1e-300 && mcnemar(2600, 2400) > 0.004);
    }

    #[test]
    fn the_median_is_the_middle() {
        for (values, expected) in [
            (vec![], None),
            (vec![7], Some(7)),
            (vec![9, 1, 5], Some(5)),
            (vec![4, 1, 2, 9], Some(3)),
        ] {
            assert_eq!(median(&values), expected);
        }
    }
}
