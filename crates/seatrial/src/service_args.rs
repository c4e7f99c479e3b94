//! Words about an Open Build Service.

use std::path::PathBuf;

/// Words about an Open Build Service.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ServiceArgs {
    /// The API of an Open Build Service where a proved repair is built too, on every architecture that was asked for
    #[arg(long, value_name = "URL")]
    pub(crate) obs: Option<String>,
    /// The project there; made where it is missing [default: home:USER:seatrial]
    #[arg(long, value_name = "PROJECT", requires = "obs")]
    pub(crate) obs_project: Option<String>,
    /// The project's repository [default: the one that fits]
    #[arg(long, value_name = "NAME", requires = "obs")]
    pub(crate) obs_repository: Option<String>,
    /// What a repository that has to be made builds with, such as `Debian:12/standard`
    #[arg(long, value_name = "PROJECT/REPOSITORY", requires = "obs")]
    pub(crate) obs_base: Option<String>,
    /// The user there; the password is read from `OBS_PASSWORD`
    #[arg(long, value_name = "NAME", env = "OBS_USER", requires = "obs")]
    pub(crate) obs_user: Option<String>,
    /// An SSH key of that user
    #[arg(long, value_name = "FILE", requires = "obs")]
    pub(crate) obs_key: Option<PathBuf>,
    /// The file of the session's cookies, which only its owner may read
    #[arg(long, value_name = "FILE", requires = "obs")]
    pub(crate) obs_cookies: Option<PathBuf>,
    /// Projects that are not the user's own may be written to: for a back end of one's own
    #[arg(long, requires = "obs")]
    pub(crate) obs_any_project: bool,
    /// Seconds that one architecture is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 7200, requires = "obs")]
    pub(crate) obs_timeout: u64,
}
