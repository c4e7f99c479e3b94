//! What a box cannot see or touch.

use seatrial_sandbox::{BoxSpec, Command, HostNetwork, Limits, NativeFactory, Network, SandboxFactory};

use crate::support::{helper, home, image, run, script, start};

#[test]
fn with_the_hosts_network_packages_can_be_installed() {
    let Some(mut sandbox) = start(Network::Host, Limits::default()) else {
        return;
    };
    let before = sandbox.snapshot().unwrap();
    let (execution, output) = run(&mut *sandbox, &Command::bash("apt-get install -y hello && hello"));
    if !execution.succeeded() {
        let text = output.out() + &output.err();
        if text.contains("Temporary failure resolving")
            || text.contains("Could not connect")
            || text.contains("Failed to fetch")
        {
            println!(
                "skipped: no mirror can be reached: {}",
                text.lines().last().unwrap_or_default()
            );
            return;
        }
        panic!("{text}");
    }
    assert!(output.out().contains("Hello, world!"), "{}", output.out());
    let changes = sandbox.changes(&before).unwrap();
    assert!(
        changes.iter().any(|change| change.path == "/usr/bin/hello"),
        "{changes:?}"
    );
    sandbox.rollback(&before).unwrap();
    assert_eq!(script(&mut *sandbox, "command -v hello || echo gone"), "gone\n");
}

#[test]
fn proxies_of_the_host_reach_only_boxes_with_a_network() {
    let Some(image) = image() else { return };
    let proxies = [("https_proxy".to_owned(), "http://proxy.test:3128".to_owned())].into();
    let host = HostNetwork {
        proxies,
        ..HostNetwork::default()
    };
    let factory = NativeFactory::new(&home(), helper(), host).unwrap();
    for (network, wanted) in [(Network::Host, "http://proxy.test:3128"), (Network::Off, "")] {
        let mut sandbox = factory
            .start(&BoxSpec {
                image,
                limits: Limits::default(),
                network,
            })
            .unwrap();
        assert_eq!(script(&mut *sandbox, "echo $https_proxy").trim(), wanted);
    }
}
