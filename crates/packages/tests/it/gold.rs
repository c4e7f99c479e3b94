//! Names that builds ask for, and what a packager would install: over the real archive of the default release.

use std::{env, path::PathBuf};

use seatrial_core::Platform;
use seatrial_packages::{Key, PackageIndex, Resolver};
use seatrial_store::Home;

/// Names and the packages that are right, one row each; several packages where several are.
const HEADERS: &str = "
zlib.h zlib1g-dev
bzlib.h libbz2-dev
lzma.h liblzma-dev
zstd.h libzstd-dev
lz4.h liblz4-dev
openssl/ssl.h libssl-dev
gnutls/gnutls.h libgnutls28-dev
gcrypt.h libgcrypt20-dev
sodium.h libsodium-dev
curl/curl.h libcurl4-openssl-dev libcurl4-gnutls-dev
libxml/parser.h libxml2-dev
libxslt/xslt.h libxslt1-dev
expat.h libexpat1-dev
yaml.h libyaml-dev
json-c/json.h libjson-c-dev
jansson.h libjansson-dev
sqlite3.h libsqlite3-dev
db.h libdb-dev
gdbm.h libgdbm-dev
lmdb.h liblmdb-dev
mysql.h default-libmysqlclient-dev libmariadb-dev
libpq-fe.h libpq-dev
postgres.h postgresql-server-dev-all postgresql-server-dev-15
sql.h unixodbc-dev
png.h libpng-dev
jpeglib.h libjpeg-dev libjpeg62-turbo-dev
tiffio.h libtiff-dev
gif_lib.h libgif-dev
webp/decode.h libwebp-dev
Magick++.h libmagick++-dev libmagick++-6.q16-dev
ft2build.h libfreetype-dev libfreetype6-dev
fontconfig/fontconfig.h libfontconfig-dev libfontconfig1-dev
cairo.h libcairo2-dev
pango/pango.h libpango1.0-dev
glib.h libglib2.0-dev
gtk/gtk.h libgtk-3-dev libgtk2.0-dev
X11/Xlib.h libx11-dev
X11/extensions/Xrandr.h libxrandr-dev
xcb/xcb.h libxcb1-dev
GL/gl.h libgl-dev libgl1-mesa-dev
GL/glew.h libglew-dev
GL/glut.h freeglut3-dev libglut-dev
GLFW/glfw3.h libglfw3-dev
SDL2/SDL.h libsdl2-dev
SDL/SDL.h libsdl1.2-dev
vulkan/vulkan.h libvulkan-dev
alsa/asoundlib.h libasound2-dev
pulse/simple.h libpulse-dev
jack/jack.h libjack-jackd2-dev libjack-dev
sndfile.h libsndfile1-dev
vorbis/vorbisfile.h libvorbis-dev
libavcodec/avcodec.h libavcodec-dev
pcap.h libpcap0.8-dev libpcap-dev
pcap/pcap.h libpcap0.8-dev libpcap-dev
libusb-1.0/libusb.h libusb-1.0-0-dev
libudev.h libudev-dev
sys/capability.h libcap-dev
sys/acl.h libacl1-dev
security/pam_appl.h libpam0g-dev
seccomp.h libseccomp-dev
ncurses.h libncurses-dev
curses.h libncurses-dev
readline/readline.h libreadline-dev
event.h libevent-dev
event2/event.h libevent-dev
ev.h libev-dev
uv.h libuv1-dev
pcre.h libpcre3-dev
pcre2.h libpcre2-dev
gmp.h libgmp-dev
mpfr.h libmpfr-dev
fftw3.h libfftw3-dev
gsl/gsl_math.h libgsl-dev
Eigen/Dense libeigen3-dev
boost/version.hpp libboost-dev libboost1.74-dev
gtest/gtest.h libgtest-dev
nlohmann/json.hpp nlohmann-json3-dev
fmt/format.h libfmt-dev
spdlog/spdlog.h libspdlog-dev
google/protobuf/message.h libprotobuf-dev
zmq.h libzmq3-dev
Python.h python3-dev libpython3-dev libpython3.11-dev
lua.h liblua5.3-dev liblua5.1-0-dev liblua5.4-dev liblua5.2-dev
tcl.h tcl-dev tcl8.6-dev
ruby.h ruby-dev ruby3.1-dev
perl.h libperl-dev
jni.h default-jdk-headless default-jdk openjdk-17-jdk-headless
clang-c/Index.h libclang-dev libclang-14-dev
R.h r-base-dev r-base-core
mpi.h mpi-default-dev libopenmpi-dev
hdf5.h libhdf5-dev
netcdf.h libnetcdf-dev
opencv2/opencv.hpp libopencv-dev
QApplication qtbase5-dev qt6-base-dev
wx/wx.h libwxgtk3.2-dev wx3.2-headers
FL/Fl.H libfltk1.3-dev
uuid/uuid.h uuid-dev
magic.h libmagic-dev
archive.h libarchive-dev
popt.h libpopt-dev
libelf.h libelf-dev
bfd.h binutils-dev
";

const PKG_CONFIG: &str = "
glib-2.0 libglib2.0-dev
gtk+-3.0 libgtk-3-dev
gtk+-2.0 libgtk2.0-dev
gtk4 libgtk-4-dev
libxml-2.0 libxml2-dev
zlib zlib1g-dev
libpng libpng-dev
libcurl libcurl4-openssl-dev libcurl4-gnutls-dev
openssl libssl-dev
sdl2 libsdl2-dev
SDL2_image libsdl2-image-dev
x11 libx11-dev
xft libxft-dev
freetype2 libfreetype-dev libfreetype6-dev
fontconfig libfontconfig-dev libfontconfig1-dev
cairo libcairo2-dev
dbus-1 libdbus-1-dev
libsystemd libsystemd-dev
libudev libudev-dev
alsa libasound2-dev
libpulse libpulse-dev
wayland-client libwayland-dev
wayland-protocols wayland-protocols
xkbcommon libxkbcommon-dev
libusb-1.0 libusb-1.0-0-dev
ncursesw libncurses-dev
json-c libjson-c-dev
jansson libjansson-dev
sqlite3 libsqlite3-dev
libsoup-2.4 libsoup2.4-dev
gstreamer-1.0 libgstreamer1.0-dev
libavformat libavformat-dev
python3 python3-dev libpython3-dev
";

const CMAKE: &str = "
ZLIB zlib1g-dev
BZip2 libbz2-dev
PNG libpng-dev
JPEG libjpeg-dev libjpeg62-turbo-dev
OpenSSL libssl-dev
CURL libcurl4-openssl-dev libcurl4-gnutls-dev
EXPAT libexpat1-dev
LibXml2 libxml2-dev
Freetype libfreetype-dev libfreetype6-dev
Boost libboost-dev libboost-all-dev
boost_filesystem libboost-filesystem-dev libboost-filesystem1.74-dev
Qt5Widgets qtbase5-dev
Qt5Svg libqt5svg5-dev
Qt5LinguistTools qttools5-dev
Qt6Widgets qt6-base-dev
ECM extra-cmake-modules
KF5I18n libkf5i18n-dev
SDL2 libsdl2-dev
GLEW libglew-dev
GLUT freeglut3-dev libglut-dev
glfw3 libglfw3-dev
OpenGL libgl-dev libgl1-mesa-dev
X11 libx11-dev
ALSA libasound2-dev
Curses libncurses-dev
GTest libgtest-dev
Eigen3 libeigen3-dev
fmt libfmt-dev
spdlog libspdlog-dev
nlohmann_json nlohmann-json3-dev
yaml-cpp libyaml-cpp-dev
Protobuf libprotobuf-dev
OpenCV libopencv-dev
PkgConfig pkgconf pkg-config
Doxygen doxygen
SQLite3 libsqlite3-dev
LLVM llvm-dev llvm-14-dev
";

const LIBRARIES: &str = "
z zlib1g-dev
bz2 libbz2-dev
lzma liblzma-dev
crypto libssl-dev
ssl libssl-dev
curl libcurl4-openssl-dev libcurl4-gnutls-dev
xml2 libxml2-dev
png libpng-dev
jpeg libjpeg-dev libjpeg62-turbo-dev
tiff libtiff-dev
X11 libx11-dev
Xext libxext-dev
GL libgl-dev
GLU libglu1-mesa-dev
GLEW libglew-dev
glut freeglut3-dev libglut-dev
SDL2 libsdl2-dev
asound libasound2-dev
ncurses libncurses-dev
ncursesw libncurses-dev
readline libreadline-dev
pcap libpcap0.8-dev libpcap-dev
event libevent-dev
gmp libgmp-dev
fftw3 libfftw3-dev
boost_system libboost-system-dev libboost-system1.74-dev
boost_thread libboost-thread-dev libboost-thread1.74-dev
sqlite3 libsqlite3-dev
pq libpq-dev
mysqlclient default-libmysqlclient-dev libmariadb-dev
usb-1.0 libusb-1.0-0-dev
cap libcap-dev
fl libfl-dev
uuid uuid-dev
nss3 libnss3-dev
lcms liblcms2-dev
MagickCore libmagickcore-dev
boost_python3 libboost-python-dev
glfw3 libglfw3-dev
OpenAL libopenal-dev
nl libnl-3-dev
";

const COMMANDS: &str = "
bison bison
flex flex
gperf gperf
cmake cmake
meson meson
ninja ninja-build
aclocal automake
aclocal-1.14 automake
libtoolize libtool
autopoint autopoint gettext
msgfmt gettext
pkg-config pkgconf pkg-config
xsltproc xsltproc
doxygen doxygen
makeinfo texinfo
protoc protobuf-compiler
swig swig
nasm nasm
yasm yasm
glib-compile-resources libglib2.0-dev-bin
wayland-scanner libwayland-bin
python python-is-python3
python3 python3 python3-minimal
help2man help2man
bc bc
xxd xxd
javac default-jdk-headless default-jdk
yacc bison
qmake qt5-qmake qtbase5-dev
scons scons
git git
pager less
phpize php-dev
javap default-jdk-headless
x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64
ocaml ocaml
perl perl
moc-qt5 qtbase5-dev-tools
freetype-config libfreetype-dev
gsed sed
ipython ipython3
display imagemagick
";

const MACROS: &str = "
PKG_CHECK_MODULES pkgconf pkg-config
LT_INIT libtool
AC_PROG_LIBTOOL libtool
AX_PTHREAD autoconf-archive
AM_GNU_GETTEXT autopoint gettext
AM_ICONV gettext
AC_PROG_INTLTOOL intltool
IT_PROG_INTLTOOL intltool
GTK_DOC_CHECK gtk-doc-tools
AM_PATH_SDL2 libsdl2-dev
AM_PATH_GTK_2_0 libgtk2.0-dev
AM_PATH_LIBGCRYPT libgcrypt20-dev
GOBJECT_INTROSPECTION_CHECK libgirepository1.0-dev
XORG_MACROS_VERSION xutils-dev
";

/// How a table's names become keys.
type MakeKey = fn(String) -> Key;

fn home() -> PathBuf {
    env::var_os("SEATRIAL_TEST_HOME").map_or_else(
        || {
            let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
                || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache"),
                PathBuf::from,
            );
            cache.join("seatrial/test-home")
        },
        PathBuf::from,
    )
}

#[test]
fn the_first_answer_is_what_a_packager_would_install() {
    let platform = Platform::default_host();
    if platform.arch != seatrial_core::Arch::X86_64 {
        println!("skipped: the table is written for x86_64");
        return;
    }
    let index = Home::open(home())
        .map_err(Into::into)
        .and_then(|home| PackageIndex::open_or_build(&home, &platform, None));
    let index = match index {
        Ok(index) => index,
        Err(error) => {
            println!("skipped: no package index without the archive: {error}");
            return;
        }
    };
    let families: [(&str, MakeKey); 6] = [
        (HEADERS, Key::Header),
        (PKG_CONFIG, Key::PkgConfig),
        (CMAKE, Key::CMake),
        (LIBRARIES, Key::Library),
        (COMMANDS, Key::Command),
        (MACROS, Key::Macro),
    ];
    let (mut all, mut right) = (0, 0);
    let mut misses = Vec::new();
    for (table, key) in families {
        for row in table.lines().filter(|row| !row.is_empty()) {
            let mut words = row.split(' ');
            let key = key(words.next().unwrap_or_default().to_owned());
            let accepted: Vec<&str> = words.collect();
            let found = index.resolve(&key);
            all += 1;
            match found.first() {
                Some(first) if accepted.contains(&first.package.as_str()) => right += 1,
                first => {
                    let (package, because) = first.map_or(("nothing", ""), |first| (&first.package, &first.because));
                    misses.push(format!(
                        "{key}: {package} ({because}), expected {}\n",
                        accepted.join(" or ")
                    ));
                }
            }
        }
    }
    let misses = misses.concat();
    println!("{right} of {all} right\n{misses}");
    assert!(right * 100 >= all * 95, "{right} of {all} right\n{misses}");
}
