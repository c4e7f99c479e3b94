//! The session's cookies, kept in a file that only its owner reads.
//!
//! One file holds the cookies of any number of services: a line each, with host, name, value, time of expiry and whether
//! it may go over plain HTTP. A session's cookie without an expiry is kept too, as it saves the next start a log-in.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use fs_err as fs;

const FIRST_LINE: &str = "seatrial-cookies 1";

#[derive(Debug, Clone, PartialEq, Eq)]
struct Cookie {
    host: String,
    name: String,
    value: String,
    /// Seconds since 1970; 0 when it has none.
    expires: u64,
    secure: bool,
}

/// The cookies.
#[derive(Debug, Default)]
pub(crate) struct Jar {
    path: Option<PathBuf>,
    cookies: Vec<Cookie>,
}

impl Jar {
    /// Reads the file, if there is one. A damaged file is as good as none: it costs one log-in.
    pub(crate) fn open(path: Option<PathBuf>) -> io::Result<Self> {
        let mut cookies = Vec::new();
        if let Some(path) = &path {
            match fs::read_to_string(path) {
                Ok(text) => {
                    if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
                        fs::set_permissions(path, PermissionsExt::from_mode(0o600))?;
                    }
                    cookies = read(&text);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { path, cookies })
    }

    /// The `Cookie` header for a host.
    pub(crate) fn header(&self, host: &str, tls: bool) -> Option<String> {
        let now = now();
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .filter(|cookie| cookie.host == host && (tls || !cookie.secure) && !is_over(cookie, now))
            .map(|cookie| format!("{}={}", cookie.name, cookie.value))
            .collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Takes the `Set-Cookie` headers of an answer; writes the file when something changed.
    pub(crate) fn take<'a>(&mut self, host: &str, headers: impl Iterator<Item = &'a str>) -> io::Result<()> {
        let before = self.cookies.clone();
        for header in headers {
            if let Some(cookie) = parse(host, header) {
                self.cookies
                    .retain(|old| old.host != cookie.host || old.name != cookie.name);
                if !is_over(&cookie, now()) {
                    self.cookies.push(cookie);
                }
            }
        }
        if self.cookies == before {
            return Ok(());
        }
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder)?;
        // A temporary file is made for its owner only, and takes the other's place whole.
        let mut file = tempfile::Builder::new().prefix(".cookies-").tempfile_in(folder)?;
        let mut text = format!("{FIRST_LINE}\n");
        for cookie in &self.cookies {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}",
                cookie.host,
                cookie.name,
                cookie.value,
                cookie.expires,
                u8::from(cookie.secure)
            );
        }
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn read(text: &str) -> Vec<Cookie> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        return Vec::new();
    }
    lines
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some(Cookie {
                host: fields.next()?.to_owned(),
                name: fields.next()?.to_owned(),
                value: fields.next()?.to_owned(),
                expires: fields.next()?.parse().ok()?,
                secure: fields.next()? == "1",
            })
        })
        .collect()
}

fn parse(host: &str, header: &str) -> Option<Cookie> {
    let mut parts = header.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    if name.is_empty() || !plain(name) || !plain(value) {
        return None;
    }
    let mut cookie = Cookie {
        host: host.to_owned(),
        name: name.to_owned(),
        value: value.to_owned(),
        expires: 0,
        secure: false,
    };
    let mut age = None;
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key.to_ascii_lowercase().as_str() {
            "secure" => cookie.secure = true,
            "max-age" => age = value.parse::<i64>().ok(),
            "expires" => {
                if let Ok(time) = httpdate::parse_http_date(&value.replace('-', " ")) {
                    cookie.expires = seconds(time).max(1);
                }
            }
            _ => {}
        }
    }
    if let Some(age) = age {
        // Zero or less means: forget it.
        cookie.expires = u64::try_from(age).map_or(1, |age| if age == 0 { 1 } else { now().saturating_add(age) });
    }
    Some(cookie)
}

fn is_over(cookie: &Cookie, now: u64) -> bool {
    cookie.expires != 0 && cookie.expires <= now
}

fn now() -> u64 {
    seconds(SystemTime::now())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_outlive_the_client_and_are_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/cookies");
        let mut jar = Jar::open(Some(path.clone())).unwrap();
        let set = [
            "session=abc; Path=/; HttpOnly",
            "safe=1; Secure; Max-Age=600",
            "old=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT",
            "later=2; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
            "nonsense",
        ];
        jar.take("a.example", set.into_iter()).unwrap();
        assert_eq!(jar.header("a.example", false).unwrap(), "session=abc; later=2");
        assert_eq!(jar.header("b.example", true), None);
        let again = Jar::open(Some(path.clone())).unwrap();
        assert_eq!(again.header("a.example", true).unwrap(), "session=abc; safe=1; later=2");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        jar.take("a.example", ["session=; Max-Age=0", "safe=; Max-Age=-1"].into_iter())
            .unwrap();
        assert_eq!(jar.header("a.example", true).unwrap(), "later=2");
    }

    #[test]
    fn a_file_that_others_can_read_is_closed_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cookies");
        fs::write(&path, "seatrial-cookies 1\nh\ta\tb\t0\t0\nbroken line\n").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        let jar = Jar::open(Some(path.clone())).unwrap();
        assert_eq!(jar.header("h", false).unwrap(), "a=b");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(Jar::open(Some(path)).unwrap().header("h", false), None);
    }
}
