# shellcheck shell=bash
# Shared by the scripts of this folder; sourced, never run.
#
# Installs only what is missing, asks for root only when something is, and says in plain words what a person has to do
# where it cannot go on.

# shellcheck disable=SC2034  # used by the scripts that source this file
# What a machine needs to build the program and to run boxes.
SYSTEM_PACKAGES=(build-essential ca-certificates git mmdebstrap uidmap gpgv debian-archive-keyring dpkg-dev xz-utils zstd)
# shellcheck disable=SC2034
# What the tests need on top: they sign an archive of their own, pull from a registry, build packages with rpm, and run
# programs of other architectures.
TEST_PACKAGES=(gpg docker-registry openssh-client qemu-user-static rpm)
# shellcheck disable=SC2034
# What tests use where the distribution has it: an Open Build Service back end.
OPTIONAL_TEST_PACKAGES=(curl obs-build obs-server)

say() {
    printf '%s\n' "$*"
}

# Prints what is wrong and what to do about it, one line an argument, and ends the script.
fail() {
    local line
    printf 'error: %s\n' "$1" >&2
    shift
    for line in "$@"; do
        printf '  %s\n' "$line" >&2
    done
    exit 4
}

# Ends the script because of its own command line.
usage() {
    printf 'error: %s\n  %s\n' "$1" "$2" >&2
    exit 2
}

# Runs a named step and prints how long it took; its exit code passes through. Inside a function that is run this way
# `set -e` sleeps, so what must not fail there ends in `|| fail`.
step() {
    local name=$1 began=$SECONDS code=0
    shift
    printf '\n==> %s\n' "$name"
    "$@" || code=$?
    if ((code == 0)); then
        printf '    %s: %s\n' "$name" "$(elapsed $((SECONDS - began)))"
    else
        printf '    %s: exit code %d after %s\n' "$name" "$code" "$(elapsed $((SECONDS - began)))" >&2
    fi
    return "$code"
}

elapsed() {
    printf '%d:%02d min' $(($1 / 60)) $(($1 % 60))
}

is_installed() {
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Runs a command as root: directly, or through sudo.
as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo -- "$@"
    fi
}

# Installs the packages of the arguments that are not there yet.
ensure_packages() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        fail "this machine has no apt" \
            "The set-up is written for Debian and Ubuntu. Elsewhere install the equivalents of these by hand:" \
            "$*" \
            "and then use cargo directly: cargo build --release --locked"
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        say "    all system packages are there"
        return 0
    fi
    say "    missing: ${missing[*]}"
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        fail "system packages are missing, and there is no sudo to install them with" \
            "Have an administrator run: apt-get install ${missing[*]}"
    fi
    # A non-interactive shell cannot answer sudo's question for a password.
    if ((EUID != 0)) && [[ ! -t 0 ]] && ! sudo --non-interactive true 2>/dev/null; then
        fail "system packages are missing, and sudo asks for a password that nobody is here to type" \
            "Run this first: sudo apt-get install ${missing[*]}"
    fi
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 --quiet)
    if ! as_root "${apt[@]}" update; then
        say "    the package lists could not all be refreshed; going on with those that are here"
    fi
    if ! as_root "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"; then
        fail "apt could not install ${missing[*]}" \
            "Its own message is above: mostly the network, a mirror, or a repository that is not enabled" \
            "(on Ubuntu mmdebstrap, uidmap and debian-archive-keyring may need: sudo add-apt-repository universe)." \
            "Then run this script again: it goes on where it stopped."
    fi
}

# Installs the packages of the arguments if the distribution has all of them; says so where it has not.
ensure_optional_packages() {
    local package absent=()
    for package in "$@"; do
        is_installed "$package" || [[ -n "$(apt-cache search --names-only "^$package\$" 2>/dev/null)" ]] || absent+=("$package")
    done
    if ((${#absent[@]} > 0)); then
        say "    this distribution has no ${absent[*]}: tests that need it are skipped"
        return 0
    fi
    ensure_packages "$@"
}

# Is version $1 at least version $2? Compares the first two numbers, as rust-version has no more.
version_reaches() {
    local have_major have_minor want_major want_minor
    IFS=. read -r have_major have_minor _ <<<"$1"
    IFS=. read -r want_major want_minor _ <<<"$2"
    have_minor=${have_minor%%[!0-9]*}
    ((have_major > want_major || (have_major == want_major && have_minor >= want_minor)))
}

# Makes sure that a Rust toolchain is on PATH and new enough; further arguments are components that it must have.
ensure_rust() {
    local wanted found component
    if ! command -v cargo >/dev/null && [[ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]]; then
        PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
        export PATH
    fi
    wanted=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' Cargo.toml)
    if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
        fail "there is no Rust toolchain on PATH" \
            "Install Rust $wanted or newer the way https://rustup.rs describes, open a new shell, and run this again."
    fi
    if ! found=$(rustc --version 2>&1); then
        fail "rustc does not run: $found" "With rustup: rustup default stable"
    fi
    found=${found#rustc }
    found=${found%% *}
    if ! version_reaches "$found" "$wanted"; then
        fail "Rust $found is too old: $wanted or newer is needed" \
            "With rustup: rustup update stable && rustup default stable" \
            "A distribution's own rustc is often older; https://rustup.rs describes how to get a new one beside it."
    fi
    for component in "$@"; do
        if ! cargo "$component" --version >/dev/null 2>&1; then
            fail "the toolchain has no cargo $component" "With rustup: rustup component add rustfmt clippy"
        fi
    done
    say "    Rust $found"
}

setting() {
    local value=''
    if [[ -r "$1" ]]; then
        read -r value <"$1" || true
    fi
    printf '%s' "$value"
}

# Says what stands between an ordinary user and a box. Root needs none of it. Only gives a range of ids where one is
# missing: switches of the kernel are the machine owner's to turn.
ensure_namespaces() {
    if [[ "$(setting /proc/sys/user/max_user_namespaces)" == 0 ]]; then
        fail "the kernel allows no user namespaces, and boxes are made of them" \
            "Run: sudo sysctl -w user.max_user_namespaces=65536"
    fi
    if ((EUID == 0)); then
        return 0
    fi
    if [[ "$(setting /proc/sys/kernel/unprivileged_userns_clone)" == 0 ]]; then
        fail "the kernel allows user namespaces to root only" \
            "Run: sudo sysctl -w kernel.unprivileged_userns_clone=1" \
            "or run this script as root."
    fi
    if [[ "$(setting /proc/sys/kernel/apparmor_restrict_unprivileged_userns)" == 1 ]]; then
        fail "AppArmor takes an ordinary user's rights away in a new user namespace (the default on Ubuntu 24.04)" \
            "Run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" \
            "(put the setting into a file of /etc/sysctl.d to keep it), or run this script as root."
    fi
    ensure_subordinate_ids
}

# A box maps 65536 user and group ids; they come from the ranges that /etc/subuid and /etc/subgid give to a user.
ensure_subordinate_ids() {
    local user first
    user=$(id --user --name)
    if has_range "$user" /etc/subuid && has_range "$user" /etc/subgid; then
        return 0
    fi
    first=$(cat /etc/subuid /etc/subgid 2>/dev/null |
        awk -F: 'BEGIN { end = 100000 } $2 + $3 > end { end = $2 + $3 } END { printf "%d", end }')
    local command=(usermod --add-subuids "$first-$((first + 65535))" --add-subgids "$first-$((first + 65535))" "$user")
    if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo --non-interactive true 2>/dev/null; }; then
        fail "user $user has no range of subordinate ids in /etc/subuid and /etc/subgid" \
            "Have an administrator run: ${command[*]}"
    fi
    say "    giving $user a range of subordinate ids: ${command[*]}"
    as_root "${command[@]}" || fail "that did not work, see above" "Have an administrator run: ${command[*]}"
}

has_range() {
    [[ -r "$2" ]] && awk -F: -v user="$1" -v id="$(id --user)" \
        '($1 == user || $1 == id) && $3 >= 65536 { found = 1 } END { exit !found }' "$2"
}

# Gives the tests a Docker daemon: the one that SEATRIAL_TEST_DOCKER names, the machine's own, or one of our own with its
# data in a folder of the cache, which `stop_docker` ends. Without any of them the tests that need one say so.
ensure_docker() {
    local data socket log
    if [[ -n ${SEATRIAL_TEST_DOCKER-} ]]; then
        say "    daemon: $SEATRIAL_TEST_DOCKER, as SEATRIAL_TEST_DOCKER says"
        return 0
    fi
    for socket in /run/docker.sock /var/run/docker.sock; do
        if [[ -S $socket && -w $socket ]] && daemon_answers "$socket"; then
            export SEATRIAL_TEST_DOCKER=$socket
            say "    daemon: the machine's own, at $socket"
            return 0
        fi
    done
    if ((EUID != 0)); then
        say "    no daemon, and only root can start one: tests of the docker back end are skipped"
        return 0
    fi
    command -v dockerd >/dev/null || ensure_packages docker.io
    data=${XDG_CACHE_HOME:-$HOME/.cache}/seatrial/test-docker
    mkdir -p "$data"
    # Two daemons must not share their data.
    exec {docker_lock}>"$data.lock"
    if ! flock --nonblock "$docker_lock"; then
        say "    another test command's daemon has $data: tests of the docker back end are skipped"
        return 0
    fi
    docker_folder=$(mktemp --directory --tmpdir seatrial-docker-XXXXXX)
    socket=$docker_folder/docker.sock log=$docker_folder/log
    # Containers of boxes have no network of the daemon's, so it needs none and leaves the machine's alone.
    dockerd --data-root "$data" --exec-root "$docker_folder/exec" --pidfile "$docker_folder/pid" \
        --host "unix://$socket" --bridge=none --iptables=false --ip-masq=false >"$log" 2>&1 {docker_lock}>&- &
    docker_pid=$!
    for _ in {1..300}; do
        if [[ -S $socket ]] && daemon_answers "$socket"; then
            export SEATRIAL_TEST_DOCKER=$socket
            say "    daemon: our own, at $socket, data in $data"
            return 0
        fi
        kill -0 "$docker_pid" 2>/dev/null || break
        sleep 0.1
    done
    say "    dockerd did not start: tests of the docker back end are skipped; its last words:"
    tail -n 3 "$log" | sed 's/^/    | /'
    stop_docker
}

# Does a daemon answer at socket $1?
daemon_answers() {
    perl -MIO::Socket::UNIX -e '
        alarm 5;
        my $daemon = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
        print $daemon "GET /_ping HTTP/1.0\r\n\r\n";
        exit(<$daemon> =~ / 200 / ? 0 : 1);' "$1" 2>/dev/null
}

# Ends the daemon that `ensure_docker` started, if it did.
stop_docker() {
    if [[ -n ${docker_pid-} ]]; then
        kill "$docker_pid" 2>/dev/null || true
        wait "$docker_pid" 2>/dev/null || true
        docker_pid=
    fi
    if [[ -n ${docker_folder-} ]]; then
        rm -rf -- "$docker_folder"
        docker_folder=
    fi
}
