//! What a project's own words ask for: `You need libfoo >= 1.2`, `please install bison`.
//!
//! A guess is made only where one word stands in the place of a name and looks like one.

use std::sync::LazyLock;

use regex::Regex;

use crate::Kind;

/// Sentences with a name in them. The first group is the name; what stands around it helps to tell its kind.
static SENTENCES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const NAME: &str = r#"['"]?(?P<n>-l[\w.+-]*\w|[A-Za-z][\w.+/-]*\w(?:::\w+)*|[A-Za-z]\+\+)['"]?"#;
    const ARTICLE: &str = r"(?:the |an? |your system's |your |working |usable |suitable |valid |header (?:file )?|headers for |library |program |command |tool |development (?:files|headers|package) (?:for|of) |dependency |package |GNU )*";
    [
        format!(r"(?i)(?:can ?not|can't|could not|couldn't|unable to|failed to|did not) (?:find|locate|detect) {ARTICLE}{NAME}"),
        format!(r"(?i)you (?:must|need to|should) have {ARTICLE}{NAME} installed"),
        format!(r"(?i)(?:please |must |need to |to |you should )install {ARTICLE}{NAME}"),
        format!(r"(?i)(?:you need|needs|we need|requires?|depends on) (?:to (?:have|install) )?{ARTICLE}{NAME}"),
        format!(r"(?i){NAME}(?: [<>=]+ ?[\w.]+| version [\w.]+| v?[\d.]+\w*)?(?: \(?(?:library|libraries|headers?(?: files?)?|development (?:files|headers|package|libraries)|dev(?:el)?|program|command|tool|utility|package|(?:perl |python )?module|executable|binary)\)?)* (?:(?:was|is|are|were|has|have) )?(?:been )?(?:not (?:be )?(?:found|installed|available|present)|required|needed|missing|unavailable)"),
        format!(r"(?i)(?:missing|no|lacking) {ARTICLE}{NAME}(?: (?:library|libraries|headers?|development files|program|installation))*(?: (?:was |is )?(?:found|detected|installed|available))?(?:[.,;:!]|$)"),
        format!(r"(?i){NAME} (?:could|can) ?not be found"),
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(&pattern).ok())
    .collect()
});

/// What a sentence asks for, when it names something.
pub(crate) fn guess(text: &str) -> Option<(Kind, String)> {
    for sentence in SENTENCES.iter() {
        for groups in sentence.captures_iter(text) {
            let Some(found) = groups.name("n") else { continue };
            let name = found.as_str().trim_end_matches('.');
            if is_plausible(name) {
                return Some(classified(name, text));
            }
        }
    }
    None
}

/// The kind of a thing that is called `name` in `text`.
pub(crate) fn classified(name: &str, text: &str) -> (Kind, String) {
    if let Some(library) = name.strip_prefix("-l") {
        return (Kind::MissingLibrary, library.to_owned());
    }
    // A Perl module is a file below its search path.
    if name.contains("::") {
        return (Kind::MissingFile, format!("{}.pm", name.replace("::", "/")));
    }
    if is_header(name) {
        return (Kind::MissingHeader, name.to_owned());
    }
    let folded = name.to_ascii_lowercase();
    if is_program(&folded) {
        return (Kind::MissingCommand, folded);
    }
    // `libfoo-dev` is a package's name; its library is what is missing.
    let bare = ["-dev", "-devel"]
        .iter()
        .find_map(|end| folded.strip_suffix(end))
        .unwrap_or(&folded);
    if let Some(library) = bare.strip_prefix("lib").filter(|rest| rest.len() > 1) {
        return (Kind::MissingLibrary, library.to_owned());
    }
    let text = text.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&[
        "prerequisite",
        "prerequisites",
        "requirement",
        "requirements",
        "program",
        "command",
        "tool",
        "utility",
        "executable",
        "in path",
        "in your path",
        "$path",
    ]) && !says(&["librar", "header"])
    {
        return (Kind::MissingCommand, name.to_owned());
    }
    (Kind::MissingLibrary, bare.to_owned())
}

fn is_header(name: &str) -> bool {
    [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| name.ends_with(end))
}

/// Whether a word can be the name of something to install.
fn is_plausible(word: &str) -> bool {
    // Words of the sentences themselves, and what a configuration tests of the compiler.
    const WORDS: &str = "a above all also an and any appropriate are argument arguments at be below both build building but \
        by c c++ c++11 c++14 c++17 c++20 c11 c99 command compatible compiler compilers configuration \
        configure correct default dependencies dependency dev devel development directory either enough \
        error executable feature features file files find folder following for found from function functions \
        git has have header headers if in input install installed is it its latest least libraries library \
        linker linux local location missing module modules more must need needed neither newer no not of on \
        one open option options or other out out-of-source package packages path please prefix prerequisite \
        prerequisites program programs proper recent required requirement requirements root root_dir rule \
        rules run same set shared some something source sources static such suitable support supported \
        system target that the them them. there these this those to tool tools type usable use using valid \
        value variable version was we were what when where which with working you your";
    let folded = word.to_ascii_lowercase();
    word.len() > 1
        && word.len() <= 48
        && !WORDS.split(' ').any(|known| known == folded)
        && !word.starts_with('/')
        && !folded.starts_with("http")
        && !folded.contains("configure")
        && (!word.contains('/') || is_header(word))
        && ![".c", ".in"].iter().any(|end| word.ends_with(end))
        && !word.contains("..")
}

/// Programs that sentences name without saying that they are programs.
fn is_program(name: &str) -> bool {
    const PROGRAMS: &str = "asciidoc asciidoctor autoconf automake autopoint autoreconf awk bash bc bison cargo cmake curl \
        cython doxygen flex g++ gawk gcc gettext gfortran go gperf groff gtkdocize gzip help2man intltool \
        java javac lex libtool libtoolize m4 make makeinfo meson msgfmt nasm ninja node npm pandoc patch \
        perl pkg-config pkgconf protoc python python2 python3 qmake re2c ronn ruby rustc scons sed swig tar \
        tclsh texinfo unzip vala valac wget xgettext xmlto xsltproc xxd yacc yasm zip";
    PROGRAMS.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_its_place_is_guessed_and_nothing_else() {
        let cases = [
            ("You need libfoo >= 1.2 (https://example.org)", "MissingLibrary foo"),
            ("libfoo is required", "MissingLibrary foo"),
            ("please install foo", "MissingLibrary foo"),
            ("Please install the bison program first", "MissingCommand bison"),
            ("cannot find libevent headers", "MissingLibrary event"),
            ("Could not find a working foo.h", "MissingHeader foo.h"),
            ("foo.h not found", "MissingHeader foo.h"),
            ("could not find ncurses library", "MissingLibrary ncurses"),
            ("xsltproc is required to build the manual", "MissingCommand xsltproc"),
            ("The pcre library was not found", "MissingLibrary pcre"),
            ("libpcap-dev is missing", "MissingLibrary pcap"),
            ("frobnicate tool not found in PATH", "MissingCommand frobnicate"),
            ("cannot find -lssl", "MissingLibrary ssl"),
            ("*** readline not found!", "MissingLibrary readline"),
            ("GNU readline is required", "MissingLibrary readline"),
            ("No curses library found", "MissingLibrary curses"),
            ("Unable to locate zlib", "MissingLibrary zlib"),
            ("You must have autoconf installed to compile", "MissingCommand autoconf"),
            (
                "XML::Parser perl module is required for intltool",
                "MissingFile XML/Parser.pm",
            ),
            ("Configuration aborted due to missing prerequisites", ""),
            ("C compiler cannot create executables", ""),
            ("something went wrong", ""),
            ("no usable function found", ""),
            ("a newer version is required", ""),
            ("the required file was not found", ""),
        ];
        for (text, expected) in cases {
            let got = guess(text)
                .map(|(kind, name)| format!("{kind:?} {name}"))
                .unwrap_or_default();
            assert_eq!(got, expected, "{text}");
        }
        assert_eq!(SENTENCES.len(), 7);
    }
}
