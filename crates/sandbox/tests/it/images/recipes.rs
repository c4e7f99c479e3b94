//! Images from recipes, and their locks.

use seatrial_sandbox::{Credentials, ImageLock, ImageRecipe, ImageStore, Network, Origin, RecipeBuild, SandboxError};

use super::support::Own;
use crate::support::{helper, script, small_tree};

fn build(own: &Own, text: &str) -> Result<seatrial_sandbox::Image, SandboxError> {
    let factory = own.factory();
    let build = RecipeBuild {
        factory: &factory,
        network: Network::Off,
        folder: own.folder.path().to_owned(),
        credentials: Credentials::default(),
        mirror: None,
    };
    own.images
        .build_recipe(&ImageRecipe::read(text).unwrap(), &build, &mut |_| {})
}

const RECIPE: &str = r#"
name = "small"
from = { archive = "small.tar" }
run = ["test -e /etc/hosts; echo one >/etc/one; ln /etc/one /etc/two; chown 5:6 /etc/one; mkdir -m 700 /srv", "cat /etc/two; echo x >/tmp/x"]
labels = { kind = "test" }
"#;

#[test]
fn the_steps_of_a_recipe_make_the_same_image_each_time() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    std::fs::write(own.folder.path().join("small.tar"), small).unwrap();
    let image = build(&own, RECIPE).unwrap();
    assert_eq!(image.origin, Origin::Recipe("small".to_owned()));
    assert_eq!(image.labels.get("kind").map(String::as_str), Some("test"));
    let text = script(
        &mut *own.start(image.id),
        "cat /etc/two; stat -c '%u %g %h' /etc/one /tmp; stat -c %a /srv; ls -A /tmp",
    );
    expect_test::expect![[r#"
        one
        5 6 2
        12 34 2
        700
    "#]]
    .assert_eq(&text);
    let again = build(&own, RECIPE).unwrap();
    assert_eq!(again.id, image.id);
    let mut lock = ImageLock::default();
    assert_eq!(
        lock.differences(&image),
        [format!("the lock has nothing for {}", image.platform)]
    );
    lock.record(&image);
    let lock = ImageLock::read(&lock.write().unwrap()).unwrap();
    assert!(lock.differences(&again).is_empty());
    assert_eq!(lock.digest(&image.platform), Some(image.id));
    let other = build(&own, &RECIPE.replace("echo one", "echo other")).unwrap();
    let differences = lock.differences(&other);
    assert!(differences[0].contains(&image.id.to_string()), "{differences:?}");
    // On a disk that has them, none of the host's files is in it.
    let rootfs = own.home.images().join(image.id.hex()).join("rootfs");
    for name in ["etc/hosts", "etc/hostname", "etc/resolv.conf"] {
        assert!(!rootfs.join(name).exists(), "{name}");
    }
}

#[test]
fn a_step_that_fails_says_what_it_said() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    std::fs::write(own.folder.path().join("small.tar"), small).unwrap();
    let error = build(&own, &RECIPE.replace("cat /etc/two", "echo the rudder broke; false")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("step 2 of 2") && text.contains("the rudder broke"),
        "{text}"
    );
    assert!(own.leftovers().is_empty(), "{:?}", own.leftovers());
    let missing = RECIPE.replace("small.tar", "none.tar");
    assert!(build(&own, &missing).is_err());
    let images = ImageStore::new(&own.home, helper());
    assert!(images.named("small").unwrap().is_none());
}
