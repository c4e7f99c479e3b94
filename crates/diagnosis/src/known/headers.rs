//! Which header declares a name of the C library or of the C++ library, and which standard brought or removed it.

use std::sync::LazyLock;

/// Names that C++17 or C++20 removed from the library.
pub(crate) const REMOVED: &[&str] = &[
    "auto_ptr",
    "auto_ptr_ref",
    "bind1st",
    "bind2nd",
    "binary_function",
    "binary_negate",
    "binder1st",
    "binder2nd",
    "const_mem_fun_t",
    "get_temporary_buffer",
    "mem_fun",
    "mem_fun1",
    "mem_fun_ref",
    "not1",
    "not2",
    "pointer_to_binary_function",
    "pointer_to_unary_function",
    "ptr_fun",
    "random_shuffle",
    "raw_storage_iterator",
    "result_of",
    "return_temporary_buffer",
    "set_unexpected",
    "unary_function",
    "unary_negate",
    "uncaught_exception",
    "unexpected_handler",
];

/// Functions that the C library declares only where extensions are asked for.
pub(crate) const NEEDS_GNU: &[&str] = &[
    "accept4",
    "asprintf",
    "canonicalize_file_name",
    "copy_file_range",
    "dup3",
    "environ",
    "execvpe",
    "explicit_bzero",
    "fallocate",
    "gettid",
    "getline",
    "memmem",
    "mempcpy",
    "memrchr",
    "mkostemp",
    "mkstemps",
    "pipe2",
    "ppoll",
    "pthread_setaffinity_np",
    "pthread_setname_np",
    "qsort_r",
    "reallocarray",
    "sched_setaffinity",
    "secure_getenv",
    "setresuid",
    "strcasestr",
    "strchrnul",
    "strdup",
    "strndup",
    "strsep",
    "strptime",
    "strverscmp",
    "unshare",
    "vasprintf",
    "wcsdup",
];

/// Keywords and names of the library by the standard that brought them; those that are words of any project's too only
/// count inside of `std`.
const STANDARDS: &[(&str, &[&str], &[&str])] = &[
    (
        "c++11",
        &[
            "constexpr",
            "decltype",
            "noexcept",
            "nullptr",
            "static_assert",
            "thread_local",
            "char16_t",
            "char32_t",
        ],
        &[],
    ),
    (
        "c++14",
        &[
            "make_unique",
            "integer_sequence",
            "index_sequence",
            "make_index_sequence",
            "enable_if_t",
            "decay_t",
            "remove_reference_t",
            "conditional_t",
        ],
        &["exchange", "shared_timed_mutex"],
    ),
    (
        "c++17",
        &[
            "string_view",
            "is_same_v",
            "is_base_of_v",
            "is_convertible_v",
            "is_integral_v",
            "is_arithmetic_v",
            "is_enum_v",
            "is_trivially_copyable_v",
            "void_t",
            "invoke_result_t",
            "from_chars",
            "to_chars",
            "shared_mutex",
            "scoped_lock",
        ],
        &[
            "any",
            "any_cast",
            "apply",
            "as_const",
            "bool_constant",
            "byte",
            "clamp",
            "conjunction",
            "data",
            "disjunction",
            "empty",
            "execution",
            "filesystem",
            "gcd",
            "in_place",
            "inclusive_scan",
            "invoke",
            "invoke_result",
            "lcm",
            "make_optional",
            "memory_resource",
            "negation",
            "not_fn",
            "nullopt",
            "optional",
            "pmr",
            "reduce",
            "sample",
            "size",
            "string_view",
            "transform_reduce",
            "uncaught_exceptions",
            "variant",
            "visit",
            "holds_alternative",
            "get_if",
            "wstring_view",
        ],
    ),
    (
        "c++20",
        &[
            "char8_t",
            "co_await",
            "co_return",
            "co_yield",
            "concept",
            "consteval",
            "constinit",
            "requires",
            "remove_cvref_t",
            "source_location",
            "jthread",
            "stop_token",
        ],
        &[
            "assume_aligned",
            "atomic_ref",
            "barrier",
            "bit_cast",
            "bit_ceil",
            "bit_floor",
            "bit_width",
            "concepts",
            "convertible_to",
            "coroutine_handle",
            "counting_semaphore",
            "countl_zero",
            "countr_zero",
            "derived_from",
            "endian",
            "erase_if",
            "floating_point",
            "format",
            "has_single_bit",
            "identity",
            "integral",
            "invocable",
            "latch",
            "lerp",
            "midpoint",
            "numbers",
            "popcount",
            "ranges",
            "regular",
            "same_as",
            "semiregular",
            "span",
            "ssize",
            "strong_ordering",
            "partial_ordering",
            "weak_ordering",
            "suspend_always",
            "type_identity_t",
            "views",
        ],
    ),
    (
        "c++23",
        &[],
        &[
            "byteswap",
            "expected",
            "flat_map",
            "flat_set",
            "forward_like",
            "generator",
            "mdspan",
            "move_only_function",
            "print",
            "println",
            "stacktrace",
            "to_underlying",
            "unexpected",
            "unreachable",
        ],
    ),
];

/// The standard that brought a name, where it is newer than what compilers take when they are not told.
pub(crate) fn standard_of(name: &str, in_std: bool) -> Option<&'static str> {
    STANDARDS
        .iter()
        .find(|(_, anywhere, inside)| anywhere.contains(&name) || (in_std && inside.contains(&name)))
        .map(|(standard, ..)| *standard)
}

/// The table of headers.
const TABLE: &str = include_str!("headers.txt");

/// A header with what it declares.
struct Header {
    /// As C++ writes it.
    cxx: &'static str,
    /// As C writes it; empty for a header of the C++ library.
    c: &'static str,
    names: Vec<&'static str>,
}

static HEADERS: LazyLock<Vec<Header>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (heading, names) = line.split_once(": ")?;
            let mut words = heading.split(' ').skip(1);
            Some(Header {
                cxx: words.next()?,
                c: words.next().unwrap_or_default(),
                names: names.split(' ').collect(),
            })
        })
        .collect()
});

/// The header that declares a name, as the language of the source writes it.
pub(crate) fn header_of(name: &str, is_c: bool, in_std: bool) -> Option<&'static str> {
    let of_cxx = || {
        HEADERS
            .iter()
            .find(|header| header.c.is_empty() && header.names.contains(&name))
    };
    let of_c = || {
        HEADERS
            .iter()
            .find(|header| !header.c.is_empty() && header.names.contains(&name))
    };
    in_std
        .then(of_cxx)
        .flatten()
        .or_else(of_c)
        .map(|header| if is_c { header.c } else { header.cxx })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_declared_by_one_header_only() {
        let mut seen = std::collections::BTreeSet::new();
        for header in HEADERS.iter() {
            for name in &header.names {
                assert!(
                    seen.insert((header.c.is_empty(), *name)),
                    "two headers are said to declare {name}"
                );
            }
        }
        assert!(seen.len() > 900, "{}", seen.len());
    }

    #[test]
    fn a_header_is_spelt_as_its_language_spells_it() {
        assert_eq!(header_of("uint8_t", false, false), Some("cstdint"));
        assert_eq!(header_of("uint8_t", true, false), Some("stdint.h"));
        assert_eq!(header_of("sort", false, true), Some("algorithm"));
        assert_eq!(header_of("sort", false, false), None);
        assert_eq!(header_of("getpid", true, false), Some("unistd.h"));
    }

    #[test]
    fn a_projects_own_word_belongs_to_no_standard() {
        assert_eq!(standard_of("optional", true), Some("c++17"));
        assert_eq!(standard_of("optional", false), None);
        assert_eq!(standard_of("nullptr", false), Some("c++11"));
    }
}
