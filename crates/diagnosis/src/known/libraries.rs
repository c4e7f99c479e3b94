//! Which library defines a symbol that the linker does not find.

use std::sync::LazyLock;

use crate::{FlagsOf, Remedy};

/// The table.
const TABLE: &str = include_str!("libraries.txt");

/// A library with what it defines: symbols by their beginning, and symbols by their whole name.
struct Library {
    /// As `-l` writes it.
    name: &'static str,
    beginnings: Vec<String>,
    names: Vec<String>,
}

static LIBRARIES: LazyLock<Vec<Library>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (name, symbols) = line.split_once(": ")?;
            let mut library = Library {
                name,
                beginnings: Vec::new(),
                names: Vec::new(),
            };
            for symbol in symbols.split(' ') {
                let symbol = symbol.replace('%', " ");
                match symbol.strip_suffix('*') {
                    Some(beginning) => library.beginnings.push(beginning.to_owned()),
                    None => library.names.push(symbol),
                }
            }
            Some(library)
        })
        .collect()
});

/// The library that defines a symbol.
pub(crate) fn library_of(symbol: &str) -> Option<&'static str> {
    let symbol = symbol.strip_prefix("__imp_").unwrap_or(symbol);
    let symbol = symbol.split_once('@').map_or(symbol, |(name, _)| name);
    let bare = symbol
        .strip_prefix("vtable for ")
        .or_else(|| symbol.strip_prefix("typeinfo for "))
        .or_else(|| symbol.strip_prefix("non-virtual thunk to "))
        .unwrap_or(symbol);
    let name = |symbol: &str| {
        LIBRARIES
            .iter()
            .find(|library| library.names.iter().any(|name| name == symbol))
    };
    let beginning = |symbol: &str| {
        LIBRARIES.iter().find(|library| {
            library
                .beginnings
                .iter()
                .any(|beginning| symbol == beginning || fits(symbol, beginning))
        })
    };
    name(symbol)
        .or_else(|| beginning(symbol))
        .or_else(|| beginning(bare))
        .map(|library| library.name)
}

/// Whether a symbol begins so: a beginning of letters is followed by a capital letter, such as `gl` in `glBegin`, unless
/// it is long enough to be of use by itself.
fn fits(symbol: &str, beginning: &str) -> bool {
    let Some(rest) = symbol.strip_prefix(beginning) else {
        return false;
    };
    let open = beginning.len() >= 5 || beginning.ends_with(['_', ':']) || beginning.bytes().any(|b| b.is_ascii_digit());
    open || rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        || (beginning.len() >= 3
            && rest.starts_with(|c: char| c.is_ascii_lowercase())
            && !beginning.ends_with(|c: char| c.is_ascii_uppercase()))
        || (beginning.starts_with('Q') && beginning.len() >= 4)
}

/// What may cure an undefined symbol.
pub(crate) fn cures(symbol: &str) -> Vec<Remedy> {
    let flags = |flags: &[&str]| Remedy::AddFlags {
        to: FlagsOf::Linker,
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
    };
    let edit = |how: &str| Remedy::EditSource { how: how.to_owned() };
    if symbol == "main" {
        return vec![edit(
            "this object holds no program: build it as a library, or name the source with `main`",
        )];
    }
    if matches!(symbol, "major" | "minor" | "makedev") {
        return vec![Remedy::Include {
            header: "sys/sysmacros.h".to_owned(),
        }];
    }
    if symbol == "pthread_create" || symbol.starts_with("pthread_") {
        return vec![flags(&["-pthread"])];
    }
    if symbol.starts_with("omp_") || symbol.starts_with("GOMP_") {
        return vec![flags(&["-fopenmp"])];
    }
    let mut cures = Vec::new();
    if let Some(library) = library_of(symbol) {
        cures.push(flags(&[&format!("-l{library}")]));
        if !matches!(
            library,
            "m" | "dl" | "rt" | "pthread" | "util" | "resolv" | "stdc++" | "stdc++fs" | "atomic"
        ) {
            cures.push(Remedy::ProvideOther {
                of: "library".to_owned(),
                name: library.to_owned(),
            });
        }
    } else if let Some(class) = symbol.strip_prefix("vtable for ") {
        cures.push(edit(&format!(
            "compile the source that defines the first virtual function of {class}, or let moc read its header"
        )));
    } else if symbol.contains("::staticMetaObject")
        || symbol.contains("::qt_metacall")
        || symbol.contains("::metaObject")
    {
        cures.push(Remedy::RunFirst { what: "moc".to_owned() });
    }
    if symbol.contains("std::__cxx11::") {
        cures.push(Remedy::AddFlags {
            to: FlagsOf::Cxx,
            flags: vec!["-D_GLIBCXX_USE_CXX11_ABI=0".to_owned()],
        });
    }
    cures.push(flags(&["-Wl,--no-as-needed"]));
    cures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_lead_to_their_library() {
        for (symbol, library) in [
            ("sin", Some("m")),
            ("pthread_create", Some("pthread")),
            ("dlsym", Some("dl")),
            ("clock_gettime", Some("rt")),
            ("crypt", Some("crypt")),
            ("BZ2_bzDecompress", Some("bz2")),
            ("lzma_code", Some("lzma")),
            ("inflateInit2_", Some("z")),
            ("gzopen64", Some("z")),
            ("SSL_CTX_new", Some("ssl")),
            ("EVP_DigestInit_ex", Some("crypto")),
            ("curl_easy_setopt", Some("curl")),
            ("XOpenDisplay", Some("X11")),
            ("XRRGetScreenResources", Some("Xrandr")),
            ("glBegin", Some("GL")),
            ("gluPerspective", Some("GLU")),
            ("glutInit", Some("glut")),
            ("glfwInit", Some("glfw")),
            ("global_table", None),
            ("cblas_dgemm", Some("cblas")),
            ("dgesv_", Some("lapack")),
            ("initscr", Some("ncurses")),
            ("stdscr", Some("tinfo")),
            ("readline", Some("readline")),
            ("__atomic_load_16", Some("atomic")),
            ("boost::system::generic_category()", Some("boost_system")),
            (
                "boost::filesystem::detail::status(boost::filesystem::path const&)",
                Some("boost_filesystem"),
            ),
            ("QString::fromAscii(char const*, int)", Some("Qt5Core")),
            ("QWidget::show()", Some("Qt5Widgets")),
            ("vtable for QDialog", Some("Qt5Widgets")),
            ("google::protobuf::Message::DebugString() const", Some("protobuf")),
            ("cv::imread(cv::String const&, int)", Some("opencv_core")),
            ("testing::InitGoogleTest(int*, char**)", Some("gtest")),
            ("std::thread::_State::~_State()", Some("stdc++")),
            ("std::filesystem::__cxx11::path::_M_split_cmpts()", Some("stdc++fs")),
            ("my_own_function", None),
            ("vtable for Shape", None),
            ("lua_newstate", Some("lua5.4")),
            ("sqlite3_open", Some("sqlite3")),
            ("PyObject_Call", Some("python3")),
            ("deflate", Some("z")),
        ] {
            assert_eq!(library_of(symbol), library, "{symbol}");
        }
    }

    #[test]
    fn no_library_stands_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for library in LIBRARIES.iter() {
            assert!(seen.insert(library.name), "{} stands twice", library.name);
        }
    }
}
