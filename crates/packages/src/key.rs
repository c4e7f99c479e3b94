//! What can be looked up, and who answers.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::coherence::{Context, cohere};

macro_rules! families {
    ($($(#[$doc:meta])+ $variant:ident $family:literal $noun:literal $example:literal;)+) => {
        /// A name of some kind that a build asks for.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "name", rename_all = "snake_case")]
        pub enum Key {
            $($(#[$doc])+ $variant(String),)+
        }

        impl Key {
            /// Each family's word before the colon, what it is, and a name of it.
            pub const FAMILIES: &[(&str, &str, &str)] = &[$(($family, $noun, $example),)+];

            /// The word before the colon.
            pub fn family(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $family,)+
                }
            }

            /// The name that is looked up.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant(name) => name,)+
                }
            }

            /// The same family's key for another name.
            pub(crate) fn with_name(&self, name: &str) -> Self {
                match self {
                    $(Self::$variant(_) => Self::$variant(name.to_owned()),)+
                }
            }

            fn noun(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $noun,)+
                }
            }

            fn of_family(family: &str, name: String) -> Option<Self> {
                match family {
                    $($family => Some(Self::$variant(name)),)+
                    _ => None,
                }
            }
        }
    };
}

families! {
    /// A header as an `#include` writes it, such as `openssl/ssl.h`.
    Header "header" "header" "openssl/ssl.h";
    /// A pkg-config module, such as `gtk+-3.0`.
    PkgConfig "pc" "pkg-config module" "gtk+-3.0";
    /// A CMake package, such as `ZLIB`: a config file, a find module of a package, or a find module of CMake itself.
    CMake "cmake" "CMake package" "ZLIB";
    /// A target that a CMake package imports, such as `Boost::filesystem`.
    CMakeTarget "cmake-target" "CMake target" "Boost::filesystem";
    /// A function or macro of CMake's language that some package defines, such as `ecm_install_icons`.
    CMakeCommand "cmake-command" "CMake command" "ecm_install_icons";
    /// A library as `-l` writes it, such as `z`.
    Library "lib" "library" "z";
    /// A shared object as a program asks for it when it starts, such as `libz.so.1`.
    Soname "soname" "shared object" "libz.so.1";
    /// A program, such as `bison`.
    Command "cmd" "program" "bison";
    /// An Autoconf macro, such as `AM_PATH_GTK`.
    Macro "m4" "Autoconf macro" "AM_PATH_GTK";
    /// A Python module, such as `mako`.
    Python "py" "Python module" "mako";
    /// A Perl module, such as `XML::Parser`.
    Perl "perl" "Perl module" "XML::Parser";
    /// A Ruby library or gem, such as `nokogiri`.
    Ruby "ruby" "Ruby library" "nokogiri";
    /// A Node module, such as `express` or `@types/node`.
    Node "node" "Node module" "express";
    /// An R package, such as `Rcpp`.
    R "r" "R package" "Rcpp";
    /// A namespace of GObject introspection with its version, such as `Gtk-3.0`.
    Typelib "typelib" "typelib" "Gtk-3.0";
    /// A package of Vala, such as `gee-0.8`.
    Vapi "vapi" "Vala package" "gee-0.8";
    /// A font by its family's name, such as `DejaVu Sans`.
    Font "font" "font" "DejaVu Sans";
    /// A file of TeX, such as `a4wide.sty`.
    Tex "tex" "file of TeX" "a4wide.sty";
    /// A Maven artifact as `group:artifact`.
    Maven "mvn" "Maven artifact" "commons-io:commons-io";
    /// A Java class or package, such as `org.slf4j.Logger`.
    Java "java" "Java class" "org.slf4j.Logger";
    /// A Haskell package, such as `aeson`.
    Haskell "haskell" "Haskell package" "aeson";
    /// An OCaml library as `ocamlfind` names it, such as `zarith`.
    Ocaml "ocaml" "OCaml library" "zarith";
    /// A Lua module, such as `lpeg`.
    Lua "lua" "Lua module" "lpeg";
    /// A Go package by its import path.
    Go "go" "Go package" "golang.org/x/sys/unix";
    /// A crate, such as `serde`.
    Crate "crate" "crate" "serde";
    /// A file by absolute path, by its path below a search path (`XML/Parser.pm`), or by its name (`pgxs.mk`).
    Path "file" "file" "/usr/include/zlib.h";
}

/// A key's text that cannot be looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is no such family, or none is named at all.
    #[error("`{0}` names no family of names; write FAMILY:NAME, where FAMILY is one of {families}", families = family_list())]
    Family(String),
    /// Nothing stands after the colon.
    #[error("`{0}` names nothing: write the name after the colon")]
    Empty(String),
}

fn family_list() -> String {
    let families: Vec<_> = Key::FAMILIES.iter().map(|(family, _, _)| *family).collect();
    families.join(", ")
}

impl FromStr for Key {
    type Err = KeyError;

    /// Reads `FAMILY:NAME`. `cmake:` also takes targets, which are told by their `::`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (family, name) = text.split_once(':').ok_or_else(|| KeyError::Family(text.to_owned()))?;
        if name.trim().is_empty() {
            return Err(KeyError::Empty(text.to_owned()));
        }
        let key = Self::of_family(family, name.to_owned()).ok_or_else(|| KeyError::Family(family.to_owned()))?;
        Ok(match key {
            Self::CMake(name) if name.contains("::") => Self::CMakeTarget(name),
            key => key,
        })
    }
}

/// A package that has what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The package to install.
    pub package: String,
    /// The file that answers, or a reason such as `override table`.
    pub because: String,
    /// Larger is better; comparable within one answer only.
    pub score: f64,
}

/// Answers look-ups.
pub trait Resolver: Send + Sync {
    /// The packages that have it, best first; none when nothing is known.
    fn resolve(&self, key: &Key) -> Vec<Candidate>;

    /// The same, with those before others that go with what is there already: one Qt, one GTK, one Lua in one build.
    fn resolve_with(&self, key: &Key, context: &Context) -> Vec<Candidate> {
        let mut candidates = self.resolve(key);
        cohere(&mut candidates, context);
        candidates
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.noun(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_is_written_as_it_is_read() {
        for (family, _, example) in Key::FAMILIES {
            let key: Key = format!("{family}:{example}").parse().unwrap();
            assert_eq!((key.family(), key.name()), (*family, *example));
        }
        let target: Key = "cmake:Boost::filesystem".parse().unwrap();
        assert_eq!(target, Key::CMakeTarget("Boost::filesystem".to_owned()));
    }

    #[test]
    fn what_is_no_key_is_told_with_the_families() {
        for text in ["zlib.h", "headers:zlib.h", ":x", ""] {
            let error = text.parse::<Key>().unwrap_err().to_string();
            assert!(error.contains("header, pc, cmake"), "{error}");
        }
        assert!(
            "header: "
                .parse::<Key>()
                .unwrap_err()
                .to_string()
                .contains("after the colon")
        );
    }
}
