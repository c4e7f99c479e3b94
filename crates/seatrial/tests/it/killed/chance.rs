//! Chance that can be repeated.

/// A generator of numbers (SplitMix64).
pub(super) struct Chance {
    seed: u64,
    state: u64,
}

impl Chance {
    /// With the seed that the environment names, or one of the moment.
    pub(super) fn new() -> Self {
        let named = std::env::var("SEATRIAL_TEST_SEED")
            .ok()
            .and_then(|text| text.parse().ok());
        let seed = named.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.unwrap().as_nanos() as u64
        });
        Self { seed, state: seed }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}
