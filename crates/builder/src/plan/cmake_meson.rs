//! Steps of CMake and Meson: always out of tree.

use seatrial_core::{Purpose, Step};

use super::{Settings, step};

pub(super) fn cmake(folder: &str, settings: &Settings, steps: &mut Vec<Step>) {
    let build = if settings.in_tree { folder } else { "$OUT/build" };
    let path = settings.path_line();
    let arguments = settings.configure_arguments(&[
        "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_INSTALL_PREFIX=\"$PREFIX\"",
        "-DCMAKE_VERBOSE_MAKEFILE=ON",
        "-DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON",
    ]);
    let flags = format!("CFLAGS=\"{}\" CXXFLAGS=\"{}\"", settings.c(), settings.cxx());
    let flags = if settings.link_flags.is_empty() || settings.shims {
        flags
    } else {
        format!(
            "{flags} LDFLAGS=\"-Wl,--no-as-needed {}\"",
            settings.link_flags.join(" ")
        )
    };
    steps.push(step(
        Purpose::Configure,
        "a CMake project, with debug information",
        build,
        format!("{path}{flags} cmake \"{folder}\"{arguments}"),
    ));
    steps.push(step(
        Purpose::Build,
        "all targets; a broken one does not stop the others",
        build,
        format!(
            "{path}cmake --build . -- -k {}{}",
            settings.jobs(),
            settings.build_words()
        ),
    ));
    steps.push(step(
        Purpose::Install,
        "what the project installs",
        build,
        format!("{path}cmake --install ."),
    ));
}

pub(super) fn meson(folder: &str, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    let arguments = settings.configure_arguments(&["--buildtype=debug", "--wrap-mode=nodownload"]);
    steps.push(step(
        Purpose::Configure,
        "a Meson project, with debug information",
        folder,
        format!(
            "{path}CFLAGS=\"{}\" CXXFLAGS=\"{}\" meson setup \"$OUT/build\" . --prefix=\"$PREFIX\" --libdir=lib{arguments}",
            settings.c(),
            settings.cxx()
        ),
    ));
    steps.push(step(
        Purpose::Build,
        "all targets; a broken one does not stop the others",
        "$OUT/build",
        format!("{path}ninja -v -k 0 {}{}", settings.jobs(), settings.build_words()),
    ));
    steps.push(step(
        Purpose::Install,
        "what the project installs",
        "$OUT/build",
        format!("{path}meson install --no-rebuild"),
    ));
}
