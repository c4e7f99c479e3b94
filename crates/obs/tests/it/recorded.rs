//! Answers that a real back end gave, read as what they are.

use expect_test::expect;
use seatrial_obs::{Client, LogEnd, LogLimits, PackagePath, Target};

use crate::{
    service::settings,
    wire::{Asked, Reply, Server},
};

fn answer(asked: &Asked) -> Reply {
    let path = asked.target.split('?').next().unwrap();
    let text = match path.rsplit('/').next().unwrap() {
        "_result" => include_str!("../recorded/result.xml"),
        "_jobhistory" => include_str!("../recorded/jobs.xml"),
        "_history" if path.starts_with("/build/") => include_str!("../recorded/history.xml"),
        "_history" => include_str!("../recorded/revisions.xml"),
        "_log" => {
            let start: usize = asked.parameter("start").unwrap().parse().unwrap();
            include_str!("../recorded/log.txt").get(start..).unwrap()
        }
        _ => include_str!("../recorded/sources.xml"),
    };
    Reply::xml(text)
}

#[test]
fn what_a_back_end_said_is_read() {
    let server = Server::start(answer);
    let client = Client::new(settings(&server.api)).unwrap();
    let package = PackagePath::new("Test", "hello").unwrap();
    let target = Target::new(package.clone(), "standard", "x86_64").unwrap();

    let mut told = String::new();
    for place in client.results("Test", &[], &[], &[]).unwrap().repositories {
        told.push_str(&format!(
            "{}/{} {} dirty {}\n",
            place.repository, place.arch, place.code, place.is_dirty
        ));
        for state in place.packages {
            told.push_str(&format!(
                "{} {} {:?} {}\n",
                state.package,
                state.code,
                state.code.class(),
                state.details
            ));
        }
    }
    let seen = client.observe(&target).unwrap();
    told.push_str(&format!("{} dirty {} {}\n", seen.code, seen.is_dirty, seen.details));
    let listing = client.list(&package).unwrap();
    told.push_str(&format!("{} {}\n", listing.revision, listing.srcmd5));
    for entry in listing.entries {
        told.push_str(&format!("{} {} {:?}\n", entry.name, entry.md5, entry.size));
    }
    for revision in client.revisions(&package, 9).unwrap() {
        told.push_str(&format!(
            "{} {} {} {}\n",
            revision.revision, revision.time, revision.user, revision.comment
        ));
    }
    for build in client.builds(&target, 9).unwrap() {
        told.push_str(&format!(
            "{} {} {} {:?}\n",
            build.revision, build.srcmd5, build.version, build.duration
        ));
    }
    let port = Target::new(PackagePath::new("Test", "i7z").unwrap(), "standard", "aarch64").unwrap();
    for job in client.jobs(&port, 9).unwrap() {
        told.push_str(&format!(
            "{} {} {} s, {}\n",
            job.srcmd5,
            job.code,
            job.end - job.start,
            job.reason
        ));
    }
    let log = client.log(&target, LogLimits::default()).unwrap().unwrap();
    assert_eq!(log.end, Some(LogEnd::Failed));
    told.push_str(&format!("{} bytes of {:?}\n", log.total, log.srcmd5));
    expect![[r#"
        standard/x86_64 building dirty false
        armonly excluded Refused 
        brokenpkg broken Failure Test/nosuchpkg: package 'nosuchpkg' does not exist
        disabledpkg disabled Refused 
        emptypkg broken Failure no source uploaded
        failpkg failed Failure 
        hello building InProgress building on worker
        lockedpkg locked Refused 
        needshello blocked InProgress hello
        okpkg succeeded Success 
        ssepkg succeeded Success 
        unrespkg unresolvable Failure nothing provides libdoesnotexist-dev >= 9
        building dirty false building on worker
        2 c2bbe84c2b6ad1970dcf20adb3f76eb7
        failpkg_1.0.dsc 43f391513d48888c5b6b6f279983037c Some(486)
        failpkg_1.0.tar.xz 2471b56c15828be2fec1cfae39c552b5 Some(748)
        1 1796006043 owner upload
        2 1796008628 owner fix: drop missing header
        1 0964f04e7eec558cb4a43e5113f45674 2.10-1 Some(194)
        9fd5d552f2101206f4ee01bcb2ef6f16 failed 83 s, new build
        960 bytes of Some("1052aa78fbad66b53ba0a08b2e20b5b9")
    "#]]
    .assert_eq(&told);
}
