//! The small image that all columns share: copied together in a box of the image that the tests have anyway.

use std::{
    fs,
    path::{Path, PathBuf},
};

use seatrial_core::{Digest, Platform};
use seatrial_sandbox::{
    BoxSpec, Command, ImageRequest, ImageStore, Limits, NativeFactory, Network, SandboxError, SandboxFactory,
};
use seatrial_store::Home;

use crate::bench::helper;

/// Packs the small root file system. Nothing in it depends on when that happens, so that a daemon that has it need not
/// be given it again.
const SMALL: &str = r#"
set -e
mkdir -p /small/usr/{bin,lib,lib64,sbin,share/things} /small/{proc,dev,sys,tmp,etc,root,mnt,run,var/tmp}
for name in bin lib lib64 sbin; do ln -s usr/$name /small/$name; done
chmod 1777 /small/tmp /small/var/tmp
cp /etc/passwd /etc/group /etc/debian_version /small/etc/
echo root:*:19000:0:99999:7::: > /small/etc/shadow
echo an image for tests > /small/etc/issue
for name in one two three four; do echo $name > /small/usr/share/things/$name; done
for name in bash cat chmod chown chroot cmp cp cut date dd dmesg env expr find grep head hostname id ln ls mkdir \
    mkfifo mknod mount mv nice nohup printf python3 readlink realpath rm rmdir sed seq setsid sh sleep sort stat sysctl \
    tail tar tee test touch tr true truncate umount uname unshare wc xargs; do
    found=$(command -v $name) || continue
    [ -x "$found" ] || found=$(type -P $name) || continue
    program=$(realpath "$found")
    cp "$program" /small/usr/bin/$name
    for library in $(ldd "$program" | grep -o '/[^ ]*'); do
        folder=$(realpath "$(dirname "$library")")
        mkdir -p "/small$folder"
        cp -Ln "$folder/$(basename "$library")" "/small$folder/"
    done
done
modules=$(python3 -c 'import os; print(os.path.dirname(os.__file__))')
mkdir -p "/small$modules"
cp -a "$modules/." "/small$modules/"
rm -rf "/small$modules"/{test,idlelib,ensurepip,lib2to3,pydoc_data,config-*,__pycache__} "/small$modules"/*/__pycache__
chown 12:34 /small/mnt
tar --sort=name --mtime=@1000000000 --numeric-owner -C /small -cf /small.tar .
"#;

/// The archive of the small image, or why there is none.
pub(crate) fn archive() -> Result<PathBuf, String> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("SEATRIAL_TEST_HOME").unwrap_or_else(|| {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .unwrap()
            .join("seatrial/test-home")
    });
    let home = Home::open(root).unwrap();
    let made = large_image(&home).and_then(|image| {
        let name = Digest::of(format!("{} {SMALL}", image.hex()).as_bytes()).short();
        let place = home.cache("conformance")?.join(format!("{name}.tar"));
        if !place.is_file() {
            make(&home, image, &place)?;
        }
        Ok(place)
    });
    made.map_err(|error| match error {
        SandboxError::NoProgram { .. } | SandboxError::Kernel { .. } | SandboxError::Image(_) => error.to_string(),
        other => panic!("{other}"),
    })
}

fn large_image(home: &Home) -> Result<Digest, SandboxError> {
    let images = ImageStore::new(home, helper());
    let platform = Platform::default_host();
    let found = match images.find(&platform)? {
        Some(image) => image,
        None => images.build(&ImageRequest::default_for(&platform), &mut |_| {})?,
    };
    Ok(found.id)
}

fn make(home: &Home, image: Digest, place: &Path) -> Result<(), SandboxError> {
    let factory = NativeFactory::new(home, helper())?;
    let spec = BoxSpec {
        image,
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec)?;
    let mut said = Vec::new();
    let execution = sandbox.exec(&Command::bash(SMALL), &mut said)?;
    assert!(execution.succeeded(), "{}", String::from_utf8_lossy(&said));
    let making = place.with_extension(format!("{}", std::process::id()));
    fs::write(&making, sandbox.read_file("/small.tar", u64::MAX)?.bytes).unwrap();
    fs::rename(&making, place).unwrap();
    Ok(())
}

/// Takes the small image into a data folder.
pub(crate) fn import(home: &Path, archive: &Path) -> Result<Digest, SandboxError> {
    let images = ImageStore::new(&Home::open(home).unwrap(), helper());
    Ok(images.import_tar(archive, &Platform::default_host())?.id)
}
