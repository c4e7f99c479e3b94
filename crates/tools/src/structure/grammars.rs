//! Languages: which files, which grammar, and which of its nodes define something.

use tree_sitter::Language;

/// How the name of a definition is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// A field of the node.
    Field(&'static str),
    /// Through fields `declarator`, one in the other, as C writes it.
    Declarator,
    /// `impl Trait for Type`.
    Implementation,
    /// The first argument of a CMake command that is a child of the node.
    FirstArgument,
    /// A field, where the node's value is a function.
    IfFunction(&'static str),
    /// A CMake command that makes a target or an option: the first argument.
    Target,
}

/// A node that defines something.
pub(super) struct Rule {
    pub(super) node: &'static str,
    pub(super) kind: &'static str,
    pub(super) naming: Naming,
    /// Only with a field `body`: otherwise it merely names something.
    pub(super) with_body: bool,
}

const fn rule(node: &'static str, kind: &'static str, naming: Naming) -> Rule {
    Rule {
        node,
        kind,
        naming,
        with_body: false,
    }
}

const fn bodied(node: &'static str, kind: &'static str) -> Rule {
    Rule {
        node,
        kind,
        naming: Naming::Field("name"),
        with_body: true,
    }
}

const NAME: Naming = Naming::Field("name");

/// A language that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tongue {
    Bash,
    C,
    CMake,
    Cpp,
    Go,
    Java,
    JavaScript,
    Kotlin,
    Python,
    Rust,
    Tsx,
    TypeScript,
    /// Read without a grammar.
    SpecFile,
}

impl Tongue {
    #[cfg(test)]
    pub(super) const ALL: [Self; 13] = [
        Self::Bash,
        Self::C,
        Self::CMake,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Kotlin,
        Self::Python,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
        Self::SpecFile,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bash => "shell",
            Self::C => "c",
            Self::CMake => "cmake",
            Self::Cpp => "c++",
            Self::Go => "go",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Kotlin => "kotlin",
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Tsx | Self::TypeScript => "typescript",
            Self::SpecFile => "spec",
        }
    }

    /// By the file's name, else by its first line.
    pub(super) fn of(path: &str, content: &[u8]) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == "CMakeLists.txt" {
            return Some(Self::CMake);
        }
        let Some((_, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
            return Self::of_first_line(content);
        };
        Some(match ending {
            "h" if is_cpp(content) => Self::Cpp,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "c++" | "C" | "hh" | "hpp" | "hxx" | "h++" | "H" | "ipp" | "tpp" | "inl" => {
                Self::Cpp
            }
            "cmake" => Self::CMake,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "kt" | "kts" => Self::Kotlin,
            "py" | "pyi" | "pyw" => Self::Python,
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "sh" | "bash" | "bats" | "ksh" => Self::Bash,
            "spec" => Self::SpecFile,
            _ => return None,
        })
    }

    fn of_first_line(content: &[u8]) -> Option<Self> {
        let line = content.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line);
        let program = line
            .split_whitespace()
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .find(|word| *word != "env" && !word.starts_with('-'))?;
        match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" | "ksh" => Some(Self::Bash),
            "python" => Some(Self::Python),
            "node" => Some(Self::JavaScript),
            _ => None,
        }
    }

    pub(super) fn grammar(self) -> Option<Language> {
        Some(
            match self {
                Self::Bash => tree_sitter_bash::LANGUAGE,
                Self::C => tree_sitter_c::LANGUAGE,
                Self::CMake => tree_sitter_cmake::LANGUAGE,
                Self::Cpp => tree_sitter_cpp::LANGUAGE,
                Self::Go => tree_sitter_go::LANGUAGE,
                Self::Java => tree_sitter_java::LANGUAGE,
                Self::JavaScript => tree_sitter_javascript::LANGUAGE,
                Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
                Self::Python => tree_sitter_python::LANGUAGE,
                Self::Rust => tree_sitter_rust::LANGUAGE,
                Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
                Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                Self::SpecFile => return None,
            }
            .into(),
        )
    }

    pub(super) fn rules(self) -> &'static [Rule] {
        match self {
            Self::Bash => const { &[rule("function_definition", "function", NAME)] },
            Self::C => C,
            Self::Cpp => CPP,
            Self::CMake => {
                const {
                    &[
                        rule("function_def", "function", Naming::FirstArgument),
                        rule("macro_def", "macro", Naming::FirstArgument),
                        rule("normal_command", "", Naming::Target),
                    ]
                }
            }
            Self::Go => {
                const {
                    &[
                        rule("function_declaration", "function", NAME),
                        rule("method_declaration", "method", NAME),
                        rule("type_spec", "type", NAME),
                        rule("type_alias", "type", NAME),
                    ]
                }
            }
            Self::Java => {
                const {
                    &[
                        rule("class_declaration", "class", NAME),
                        rule("interface_declaration", "interface", NAME),
                        rule("enum_declaration", "enum", NAME),
                        rule("record_declaration", "record", NAME),
                        rule("annotation_type_declaration", "annotation", NAME),
                        rule("method_declaration", "method", NAME),
                        rule("constructor_declaration", "constructor", NAME),
                    ]
                }
            }
            Self::JavaScript => SCRIPT,
            Self::TypeScript | Self::Tsx => TYPED_SCRIPT,
            Self::Kotlin => {
                const {
                    &[
                        rule("class_declaration", "class", NAME),
                        rule("object_declaration", "object", NAME),
                        rule("companion_object", "object", NAME),
                        rule("function_declaration", "function", NAME),
                        rule("type_alias", "type", Naming::Field("type")),
                    ]
                }
            }
            Self::Python => {
                const {
                    &[
                        rule("function_definition", "function", NAME),
                        rule("class_definition", "class", NAME),
                    ]
                }
            }
            Self::Rust => {
                const {
                    &[
                        rule("function_item", "function", NAME),
                        rule("function_signature_item", "function", NAME),
                        rule("struct_item", "struct", NAME),
                        rule("enum_item", "enum", NAME),
                        rule("union_item", "union", NAME),
                        rule("trait_item", "trait", NAME),
                        rule("impl_item", "impl", Naming::Implementation),
                        rule("mod_item", "module", NAME),
                        rule("macro_definition", "macro", NAME),
                        rule("type_item", "type", NAME),
                        rule("const_item", "constant", NAME),
                        rule("static_item", "static", NAME),
                    ]
                }
            }
            Self::SpecFile => &[],
        }
    }
}

const C: &[Rule] = &[
    rule("function_definition", "function", Naming::Declarator),
    bodied("struct_specifier", "struct"),
    bodied("union_specifier", "union"),
    bodied("enum_specifier", "enum"),
    rule("type_definition", "type", Naming::Declarator),
    rule("preproc_function_def", "macro", NAME),
    rule("preproc_def", "macro", NAME),
];

const CPP: &[Rule] = &[
    rule("function_definition", "function", Naming::Declarator),
    bodied("class_specifier", "class"),
    bodied("struct_specifier", "struct"),
    bodied("union_specifier", "union"),
    bodied("enum_specifier", "enum"),
    rule("namespace_definition", "namespace", NAME),
    rule("alias_declaration", "type", NAME),
    rule("concept_definition", "concept", NAME),
    rule("type_definition", "type", Naming::Declarator),
    rule("preproc_function_def", "macro", NAME),
    rule("preproc_def", "macro", NAME),
];

const SCRIPT: &[Rule] = &[
    rule("function_declaration", "function", NAME),
    rule("generator_function_declaration", "function", NAME),
    rule("class_declaration", "class", NAME),
    rule("method_definition", "method", NAME),
    rule("variable_declarator", "function", Naming::IfFunction("name")),
];

const TYPED_SCRIPT: &[Rule] = &[
    rule("function_declaration", "function", NAME),
    rule("generator_function_declaration", "function", NAME),
    rule("function_signature", "function", NAME),
    rule("class_declaration", "class", NAME),
    rule("abstract_class_declaration", "class", NAME),
    rule("interface_declaration", "interface", NAME),
    rule("type_alias_declaration", "type", NAME),
    rule("enum_declaration", "enum", NAME),
    rule("internal_module", "namespace", NAME),
    rule("module", "module", NAME),
    rule("method_definition", "method", NAME),
    rule("variable_declarator", "function", Naming::IfFunction("name")),
];

/// CMake commands that make something with a name, and what.
pub(super) const TARGETS: [(&str, &str); 7] = [
    ("project", "project"),
    ("add_executable", "program"),
    ("add_library", "library"),
    ("add_custom_target", "target"),
    ("add_test", "test"),
    ("option", "option"),
    ("find_package", "dependency"),
];

/// Whether a header is one of C++: words that C has not, at the start of a line.
fn is_cpp(content: &[u8]) -> bool {
    content.split(|byte| *byte == b'\n').take(2000).any(|line| {
        let line = line.trim_ascii_start();
        [
            &b"class "[..],
            b"namespace ",
            b"template ",
            b"template<",
            b"public:",
            b"private:",
            b"using ",
        ]
        .iter()
        .any(|word| line.starts_with(word))
    })
}
