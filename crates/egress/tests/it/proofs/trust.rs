//! Whatever speaks TLS in a box trusts the door, with the box's variables and without any.

use seatrial_egress::{AllowList, Policy};
use seatrial_sandbox::{Command, Sandbox};

use super::{
    doors::{self, World},
    forge::{Forge, HELLO},
    world::{self, Which},
};

/// Where it is.
const URL: &str = "https://forge.example/hello";

const JAVA: &str = "public class Get { public static void main(String[] a) throws Exception {
    System.out.write(new java.net.URL(a[0]).openStream().readAllBytes()); System.out.flush(); } }";
const GO: &str = "package main
import (\"io\"; \"net/http\"; \"os\")
func main() { r, e := http.Get(os.Args[1]); if e != nil { panic(e) }; io.Copy(os.Stdout, r.Body) }";

/// Each prints what is at `$URL`.
const CLIENTS: [(&str, &str); 9] = [
    ("curl", "curl -sS $URL"),
    ("wget", "wget -qO- $URL"),
    (
        "openssl",
        "printf 'GET /hello HTTP/1.0\\r\\nHost: forge.example\\r\\n\\r\\n' | openssl s_client -quiet -verify_return_error -connect forge.example:443 2>/dev/null | tail -1",
    ),
    (
        "python",
        "python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' $URL",
    ),
    (
        "requests",
        "PYTHONPATH=/usr/lib/python3/dist-packages python3 -c 'import sys; from pip._vendor import requests as r; print(r.get(sys.argv[1]).text)' $URL",
    ),
    (
        "perl",
        "perl -MIO::Socket::SSL -e '$s = IO::Socket::SSL->new(\"forge.example:443\") or die $!; print $s \"GET /hello HTTP/1.0\\r\\nHost: forge.example\\r\\n\\r\\n\"; print while <$s>' | tail -1",
    ),
    (
        "node",
        "node -e 'require(\"https\").get(process.argv[1], r => r.pipe(process.stdout))' $URL",
    ),
    ("java", "java -cp /proof Get $URL"),
    ("go", "/proof/get $URL"),
];

fn ask(sandbox: &mut dyn Sandbox, client: &str, command: &str, with_variables: bool) -> String {
    let clear = if with_variables {
        ""
    } else {
        "env -i PATH=\"$PATH\" URL=$URL "
    };
    let script = format!("{clear}bash -c \"$COMMAND\"");
    let script = Command::bash(script).with_env("URL", URL).with_env("COMMAND", command);
    let mut output = Vec::new();
    sandbox.exec(&script, &mut output).unwrap();
    let output = String::from_utf8_lossy(&output);
    if output.trim() == HELLO {
        return format!("{client}: trusts\n");
    }
    format!("{client}: {output}\n")
}

#[test]
fn proof_of_trust() {
    let Some(place) = world::world(Which::Tools) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let forge = Forge::start(folder.path());
    let (home, _) = doors::store(folder.path());
    let door = doors::open(
        Policy::Allow(AllowList::new(["forge.example"]).unwrap()),
        &World::Local {
            proxy: forge.proxy.clone(),
            root: &forge.root,
        },
        &home,
        None,
        &folder.path().join("door"),
    );
    let mut sandbox = place.start(door.door());
    sandbox.write_file("/proof/Get.java", JAVA.as_bytes(), 0o644).unwrap();
    sandbox.write_file("/proof/get.go", GO.as_bytes(), 0o644).unwrap();
    let compile = Command::bash("javac Get.java && CGO_ENABLED=0 go build -o get get.go").in_folder("/proof");
    let mut output = Vec::new();
    assert!(
        sandbox.exec(&compile, &mut output).unwrap().succeeded(),
        "{}",
        String::from_utf8_lossy(&output)
    );
    let expected = CLIENTS.map(|(name, _)| format!("{name}: trusts\n")).concat();
    let all = |sandbox: &mut dyn Sandbox, with_variables| -> String {
        CLIENTS
            .iter()
            .map(|(name, command)| ask(sandbox, name, command, with_variables))
            .collect()
    };
    assert_eq!(all(&mut *sandbox, true), expected, "{}", door.text());
    assert_eq!(
        all(&mut *sandbox, false),
        expected,
        "without variables: {}",
        door.text()
    );
    // The distribution's own way to make the files again keeps it.
    let again = Command::bash("update-ca-certificates --fresh");
    let mut output = Vec::new();
    let execution = sandbox.exec(&again, &mut output).unwrap();
    assert!(execution.succeeded(), "{}", String::from_utf8_lossy(&output));
    assert_eq!(all(&mut *sandbox, true), expected, "afterwards: {}", door.text());
    assert_eq!(
        all(&mut *sandbox, false),
        expected,
        "afterwards, without variables: {}",
        door.text()
    );
}

#[test]
fn proof_of_trust_that_is_installed_later() {
    let Some(place) = world::world(Which::Plain) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (home, _) = doors::store(folder.path());
    let list = Policy::Allow(AllowList::registries());
    let door = doors::open(list, &World::Real, &home, None, &folder.path().join("door"));
    let mut sandbox = place.start(door.door());
    let script =
        "set -e; own=/usr/local/share/ca-certificates/seatrial-door.crt; bundle=/etc/ssl/certs/ca-certificates.crt
        openssl verify -CAfile $bundle $own; openssl verify -CApath /etc/ssl/certs $own
        dpkg --force-depends --purge ca-certificates >/dev/null 2>&1; rm -rf /etc/ssl/certs/*
        (apt-get -q update && apt-get -q install ca-certificates) >/tmp/log 2>&1 || { cat /tmp/log; exit 9; }
        openssl verify -CAfile $bundle $own; openssl verify -CApath /etc/ssl/certs $own";
    let mut output = Vec::new();
    let execution = sandbox.exec(&Command::bash(script), &mut output).unwrap();
    let output = String::from_utf8_lossy(&output);
    if !execution.succeeded()
        && let Some(reason) = door.unreachable()
    {
        println!("skipped: the distribution's registry cannot be reached: {reason}");
        return;
    }
    let good = "/usr/local/share/ca-certificates/seatrial-door.crt: OK\n".repeat(4);
    assert_eq!(output, good, "{}", door.text());
}
