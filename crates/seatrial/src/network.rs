//! What the words about the network mean.

use seatrial_egress::AllowList;
use seatrial_trial::NetworkPlan;

use crate::{
    args::{NetworkArgs, NetworkMode},
    failure::Failure,
};

impl NetworkArgs {
    /// The plan, with what may be asked for without being named.
    pub(crate) fn plan(&self, usual: &AllowList) -> Result<NetworkPlan, Failure> {
        let named = AllowList::new(self.allow.iter().map(String::as_str))
            .map_err(|error| Failure::usage(format!("--allow: {error}")))?;
        Ok(match self.network {
            NetworkMode::Recorded => NetworkPlan::Recorded {
                allow: named.and(usual),
            },
            NetworkMode::Open | NetworkMode::None if !self.allow.is_empty() => {
                return Err(Failure::usage(
                    "--allow says what may be recorded, so it goes with `--network recorded` only",
                ));
            }
            NetworkMode::Open => NetworkPlan::Open,
            NetworkMode::None => NetworkPlan::Off,
        })
    }
}
