//! Who asks: what a challenge offers, and what answers it.
//!
//! Signing is done by `ssh-keygen`, so that keys of any kind, on tokens or in an agent, work as they do for `ssh`.

use std::{
    fmt,
    io::{self, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use crate::ObsError;

/// Where system programs are. The caller's own `PATH` could name anything.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the caller has to prove who asks. All of it is optional: a bare back end asks for nothing.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The user.
    pub user: Option<String>,
    /// The password, for `Basic`.
    pub password: Option<String>,
    /// The key, for `Signature`.
    pub key: Option<SigningKey>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("user", &self.user)
            .field("password", &self.password.as_ref().map(|_| "(kept)"))
            .field("key", &self.key)
            .finish()
    }
}

/// A key that `ssh-keygen` signs with.
#[derive(Debug, Clone)]
pub struct SigningKey {
    /// The private key's file, or the public one of a key that the agent holds.
    pub file: PathBuf,
    /// The agent's socket.
    pub agent: Option<PathBuf>,
}

/// A way to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Signature,
    Basic,
}

impl Scheme {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Signature => "Signature",
            Self::Basic => "Basic",
        }
    }
}

/// One challenge of a `WWW-Authenticate` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) scheme: String,
    pub(crate) realm: String,
}

/// Reads the challenges of all such headers. Several may stand in one, each with its own parameters.
pub(crate) fn challenges<'a>(headers: impl Iterator<Item = &'a str>) -> Vec<Challenge> {
    let mut found: Vec<Challenge> = Vec::new();
    for header in headers {
        for part in split_outside_quotes(header) {
            let part = part.trim();
            let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
            // `Basic realm="x"` begins a challenge, `realm="x"` goes on with it.
            let parameter = if first.contains('=') {
                part
            } else {
                if !first.is_empty() {
                    found.push(Challenge {
                        scheme: first.to_owned(),
                        realm: String::new(),
                    });
                }
                rest.trim()
            };
            if let (Some((name, value)), Some(challenge)) = (parameter.split_once('='), found.last_mut())
                && name.trim().eq_ignore_ascii_case("realm")
            {
                let value = value.trim();
                let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                challenge.realm = inside.unwrap_or(value).replace("\\\"", "\"");
            }
        }
    }
    found
}

fn split_outside_quotes(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

impl Credentials {
    /// The next answer to a challenge: signature before password, and none twice.
    pub(crate) fn answer(&self, offered: &[Challenge], tried: &[Scheme]) -> Result<Option<(Scheme, String)>, ObsError> {
        let Some(user) = &self.user else {
            return Ok(None);
        };
        let challenge = |scheme: Scheme| {
            offered
                .iter()
                .find(|challenge| challenge.scheme.eq_ignore_ascii_case(scheme.name()))
                .filter(|_| !tried.contains(&scheme))
        };
        if let (Some(challenge), Some(key)) = (challenge(Scheme::Signature), &self.key) {
            match signature(user, &challenge.realm, key) {
                Ok(header) => return Ok(Some((Scheme::Signature, header))),
                // A key that is not to be had leaves the password.
                Err(_) if self.password.is_some() && challenge_offers(offered, Scheme::Basic) => {}
                Err(error) => return Err(error),
            }
        }
        if let (Some(_), Some(password)) = (challenge(Scheme::Basic), &self.password) {
            return Ok(Some((Scheme::Basic, basic(user, password))));
        }
        Ok(None)
    }

    /// Why nothing (more) can be answered, and what to do.
    pub(crate) fn lack(&self, tried: &[Scheme]) -> String {
        let refused: Vec<&str> = tried.iter().map(|scheme| scheme.name()).collect();
        match (refused.is_empty(), &self.user) {
            (false, Some(user)) => format!(
                "{} of user {user} was not accepted; check the user's name and the key or password",
                refused.join(" and ")
            ),
            (_, None) => "no user was given".to_owned(),
            (true, Some(_)) => "none of the given credentials fits; give an SSH key or a password".to_owned(),
        }
    }
}

fn challenge_offers(offered: &[Challenge], scheme: Scheme) -> bool {
    offered
        .iter()
        .any(|challenge| challenge.scheme.eq_ignore_ascii_case(scheme.name()))
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

fn signature(user: &str, realm: &str, key: &SigningKey) -> Result<String, ObsError> {
    let created = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs();
    let signature = sign(&format!("(created): {created}"), realm, key)?;
    let user = user.replace(['"', '\\'], "");
    Ok(format!(
        "Signature keyId=\"{user}\",algorithm=\"ssh\",headers=\"(created)\",created={created},signature=\"{signature}\""
    ))
}

/// Signs with `ssh-keygen`; the result is base64 without the armour.
fn sign(text: &str, realm: &str, key: &SigningKey) -> Result<String, ObsError> {
    let failed = |problem: String| ObsError::Program {
        program: "ssh-keygen".to_owned(),
        problem,
    };
    let mut command = Command::new("ssh-keygen");
    command
        .env_clear()
        .env("PATH", PATH)
        .env("LC_ALL", "C.UTF-8")
        // A locked key must fail and not ask on a terminal that may not be there.
        .env("SSH_ASKPASS_REQUIRE", "force")
        .env("SSH_ASKPASS", "/bin/false")
        .args(["-q", "-Y", "sign", "-f"])
        .arg(&key.file)
        .args(["-n", realm])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(agent) = &key.agent {
        command.env("SSH_AUTH_SOCK", agent);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            failed("is not installed; install it with `apt-get install openssh-client`".to_owned())
        }
        _ => failed(format!("cannot be run: {error}")),
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that ended early says why below.
        drop(pipe.write_all(text.as_bytes()));
    }
    let output = child.wait_with_output()?;
    let armoured = String::from_utf8_lossy(&output.stdout);
    let signature: String = armoured
        .lines()
        .filter(|line| !line.starts_with("-----"))
        .map(str::trim)
        .collect();
    if !output.status.success() || signature.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let mut said = said.lines().map(str::trim).filter(|line| !line.is_empty());
        return Err(failed(format!(
            "could not sign with {}: {}; a key with a passphrase has to be in the agent",
            key.file.display(),
            said.next_back().unwrap_or("it gave no reason")
        )));
    }
    Ok(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_told_apart() {
        let headers = [
            "Signature realm=\"Use your developer account\",headers=\"(created)\", Basic realm=\"a, \\\"b\\\"\"",
            "Negotiate",
        ];
        let found = challenges(headers.into_iter());
        let pairs: Vec<_> = found
            .iter()
            .map(|challenge| (challenge.scheme.as_str(), challenge.realm.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("Signature", "Use your developer account"),
                ("Basic", "a, \"b\""),
                ("Negotiate", "")
            ]
        );
    }

    #[test]
    fn signature_comes_first_and_a_missing_key_leaves_the_password() {
        let offered = challenges(["Basic realm=\"x\", Signature realm=\"y\""].into_iter());
        let mut credentials = Credentials {
            user: Some("someone".to_owned()),
            password: Some("secret".to_owned()),
            key: Some(SigningKey {
                file: PathBuf::from("/nonexistent/key"),
                agent: None,
            }),
        };
        let (scheme, header) = credentials.answer(&offered, &[]).unwrap().unwrap();
        assert_eq!((scheme, header.as_str()), (Scheme::Basic, "Basic c29tZW9uZTpzZWNyZXQ="));
        credentials.password = None;
        assert!(credentials.answer(&offered, &[]).is_err());
        credentials.key = None;
        assert!(credentials.answer(&offered, &[]).unwrap().is_none());
        assert!(
            !format!(
                "{:?}",
                Credentials {
                    password: Some("secret".to_owned()),
                    ..credentials
                }
            )
            .contains("secret")
        );
    }
}
