//! Definitions out of a parsed file.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

use super::{
    Definition, Structure,
    grammars::{Naming, Rule, TARGETS, Tongue},
    spec_file,
};

/// Larger files are data, whatever their names.
pub(super) const LARGEST: usize = 2 << 20;
/// Time for one file.
const TIME: Duration = Duration::from_secs(2);
/// Definitions of one file.
const MOST: usize = 20_000;
/// How deep nodes are looked into: a file may nest without end.
const DEEPEST: usize = 400;
/// Bytes of a name.
const NAME_BYTES: usize = 200;

/// The rule of each kind of node, by the number that the grammar gives it.
type Rules = Vec<Option<&'static Rule>>;

/// Parsers that are used again.
#[derive(Default)]
pub(super) struct Extractor {
    parsers: BTreeMap<Tongue, (Parser, Rules)>,
}

impl Extractor {
    pub(super) fn structure(&mut self, path: &str, content: &[u8]) -> Option<Structure> {
        let tongue = Tongue::of(path, content)?;
        if content.len() > LARGEST || content.get(..4096.min(content.len()))?.contains(&0) {
            return None;
        }
        let Some(grammar) = tongue.grammar() else {
            return Some(spec_file::structure(content));
        };
        let (parser, rules) = match self.parsers.entry(tongue) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut parser = Parser::new();
                parser.set_language(&grammar).ok()?;
                let rule_of = |id: usize| {
                    let id = u16::try_from(id).ok().filter(|id| grammar.node_kind_is_named(*id))?;
                    let kind = grammar.node_kind_for_id(id)?;
                    tongue.rules().iter().find(|rule| rule.node == kind)
                };
                place.insert((parser, (0..grammar.node_kind_count()).map(rule_of).collect()))
            }
        };
        let end = Instant::now() + TIME;
        let mut watch = |_: &ParseState| {
            if Instant::now() > end {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut pieces = |at: usize, _| content.get(at..).unwrap_or_default();
        let options = ParseOptions::new().progress_callback(&mut watch);
        let Some(tree) = parser.parse_with_options(&mut pieces, None, Some(options)) else {
            parser.reset();
            return Some(Structure {
                language: tongue.name().to_owned(),
                definitions: Vec::new(),
                partial: true,
            });
        };
        let mut walk = Walk {
            rules,
            content,
            definitions: Vec::new(),
            cut: false,
        };
        walk.run(tree.root_node());
        Some(Structure {
            language: tongue.name().to_owned(),
            partial: walk.cut || tree.root_node().has_error(),
            definitions: walk.definitions,
        })
    }
}

struct Walk<'a> {
    rules: &'a Rules,
    content: &'a [u8],
    definitions: Vec<Definition>,
    cut: bool,
}

impl<'a> Walk<'a> {
    /// Goes through all nodes with one cursor; the file decides how deep that is, so nothing here calls itself.
    fn run(&mut self, root: Node<'a>) {
        let mut cursor = root.walk();
        // Levels of nodes at which a definition was entered.
        let mut open: Vec<usize> = Vec::new();
        let mut level = 0;
        loop {
            let node = cursor.node();
            if let Some(definition) = self.definition(node, open.len()) {
                if self.definitions.len() == MOST {
                    self.cut = true;
                    return;
                }
                self.definitions.push(definition);
                open.push(level);
            }
            if level == DEEPEST {
                self.cut = true;
            }
            if level < DEEPEST && cursor.goto_first_child() {
                level += 1;
                continue;
            }
            loop {
                if open.last() == Some(&level) {
                    open.pop();
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                level -= 1;
            }
        }
    }

    fn definition(&self, node: Node<'a>, depth: usize) -> Option<Definition> {
        let rule = self.rules.get(usize::from(node.kind_id())).copied().flatten()?;
        if rule.with_body && node.child_by_field_name("body").is_none() {
            return None;
        }
        let mut kind = rule.kind;
        let name = match rule.naming {
            Naming::Field(field) => self.text(node.child_by_field_name(field)?),
            Naming::Declarator => self.declared(node)?,
            Naming::Implementation => {
                let of = self.text(node.child_by_field_name("type")?);
                match node.child_by_field_name("trait") {
                    Some(implemented) => format!("{} for {of}", self.text(implemented)),
                    None => of,
                }
            }
            Naming::FirstArgument => self.first_argument(node.named_child(0)?)?,
            Naming::IfFunction(field) => {
                let value = node.child_by_field_name("value")?;
                let functions = [
                    "arrow_function",
                    "function_expression",
                    "function",
                    "generator_function",
                    "class",
                ];
                if !functions.contains(&value.kind()) {
                    return None;
                }
                if value.kind() == "class" {
                    kind = "class";
                }
                self.text(node.child_by_field_name(field)?)
            }
            Naming::Target => {
                let command = self.text(node.named_child(0)?).to_ascii_lowercase();
                kind = TARGETS.iter().find(|(name, _)| *name == command)?.1;
                self.first_argument(node)?
            }
        };
        if name.is_empty() {
            return None;
        }
        Some(Definition {
            kind: kind.to_owned(),
            name,
            from: node.start_position().row + 1,
            // A node that takes its line's end with it ends on the line before.
            to: if node.end_position().column == 0 && node.end_position().row > node.start_position().row {
                node.end_position().row
            } else {
                node.end_position().row + 1
            },
            depth,
        })
    }

    fn first_argument(&self, command: Node<'a>) -> Option<String> {
        let list = children(command).find(|child| child.kind() == "argument_list")?;
        let argument = children(list).find(|child| child.kind() == "argument")?;
        Some(self.text(argument).trim_matches('"').to_owned())
    }

    /// The name that a declarator of C declares.
    fn declared(&self, node: Node<'a>) -> Option<String> {
        let mut at = node.child_by_field_name("declarator")?;
        for _ in 0..DEEPEST {
            match at.kind() {
                "identifier"
                | "field_identifier"
                | "type_identifier"
                | "qualified_identifier"
                | "destructor_name"
                | "operator_name"
                | "operator_cast"
                | "template_function"
                | "primitive_type" => return Some(self.text(at)),
                _ => {}
            }
            at = at.child_by_field_name("declarator").or_else(|| {
                children(at).find(|child| child.kind().ends_with("declarator") || child.kind().ends_with("identifier"))
            })?;
        }
        None
    }

    fn text(&self, node: Node<'a>) -> String {
        let bytes = self.content.get(node.byte_range()).unwrap_or_default();
        let bytes = bytes.get(..NAME_BYTES.min(bytes.len())).unwrap_or_default();
        String::from_utf8_lossy(bytes)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.named_child_count()).filter_map(move |at| node.named_child(at.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(path: &str, content: &str, expected: &Expect) {
        let structure = Extractor::default().structure(path, content.as_bytes()).unwrap();
        let mut shown = format!(
            "{}{}\n",
            structure.language,
            if structure.partial { " partial" } else { "" }
        );
        for definition in structure.definitions {
            let Definition {
                kind,
                name,
                from,
                to,
                depth,
            } = definition;
            writeln!(shown, "{}{from}-{to} {kind} {name}", "  ".repeat(depth)).unwrap();
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn every_grammar_fits_the_parser() {
        for tongue in Tongue::ALL {
            let Some(grammar) = tongue.grammar() else { continue };
            Parser::new().set_language(&grammar).unwrap();
            for rule in tongue.rules() {
                assert!(
                    grammar.id_for_node_kind(rule.node, true) != 0,
                    "{tongue:?} has no {}",
                    rule.node
                );
            }
        }
    }

    #[test]
    fn c() {
        check(
            "a.c",
            "#define MAX 3\n#define SQ(x) ((x)*(x))\nstruct hull { int a; struct { int b; } c; };\nstruct later;\ntypedef struct { int x; } keel_t;\nenum e { A, B };\nstatic const char *\nname(const struct hull *h)\n{\n  return 0;\n}\nint (*pick(void))(int) { return 0; }\nint proto(void);\n",
            &expect![[r#"
                c
                1-1 macro MAX
                2-2 macro SQ
                3-3 struct hull
                5-5 type keel_t
                6-6 enum e
                7-11 function name
                12-12 function pick
            "#]],
        );
    }

    #[test]
    fn cpp() {
        check(
            "a.h",
            "namespace sea {\ntemplate <class T> class Hull : public Base {\npublic:\n  Hull();\n  ~Hull() {}\n  int size() const { return 1; }\n  bool operator==(const Hull &o) const { return true; }\n};\nusing Keel = Hull<int>;\n}\nint sea::Hull<int>::depth() { return 2; }\n",
            &expect![[r#"
                c++
                1-10 namespace sea
                  2-8 class Hull
                    5-5 function ~Hull
                    6-6 function size
                    7-7 function operator==
                  9-9 type Keel
                11-11 function sea::Hull<int>::depth
            "#]],
        );
    }

    #[test]
    fn python() {
        check(
            "a.py",
            "class A(B):\n    @property\n    def x(self):\n        def inner():\n            pass\n        return 1\n\nasync def go():\n    pass\n",
            &expect![[r#"
                python
                1-6 class A
                  3-6 function x
                    4-5 function inner
                8-9 function go
            "#]],
        );
    }

    #[test]
    fn java_and_kotlin() {
        check(
            "A.java",
            "package x;\npublic class A {\n  enum E { X }\n  interface I { void f(); }\n  record R(int a) {}\n  A() {}\n  int g() { return 1; }\n}\n",
            &expect![[r#"
                java
                2-8 class A
                  3-3 enum E
                  4-4 interface I
                    4-4 method f
                  5-5 record R
                  6-6 constructor A
                  7-7 method g
            "#]],
        );
        check(
            "a.kt",
            "package x\nclass A(val b: Int) {\n  fun f(): Int = 1\n  companion object { fun g() {} }\n}\nobject O\nfun top() {}\ninterface I {\n  fun h()\n}\n",
            &expect![[r#"
                kotlin partial
                2-5 class A
                  3-3 function f
                  4-4 function g
                6-6 object O
                7-7 function top
                8-10 class I
                  9-9 function h
            "#]],
        );
    }

    #[test]
    fn go_and_rust() {
        check(
            "a.go",
            "package x\ntype Hull struct { a int }\nfunc (h *Hull) Size() int { return 1 }\nfunc Main() {}\n",
            &expect![[r#"
                go
                2-2 type Hull
                3-3 method Size
                4-4 function Main
            "#]],
        );
        check(
            "a.rs",
            "mod m {\n  pub trait T { fn f(&self); }\n}\nstruct S<T>(T);\nimpl<T> m::T for S<T> {\n  fn f(&self) {}\n}\nconst X: u8 = 1;\nmacro_rules! mac { () => {} }\n",
            &expect![[r#"
                rust
                1-3 module m
                  2-2 trait T
                    2-2 function f
                4-4 struct S
                5-7 impl m::T for S<T>
                  6-6 function f
                8-8 constant X
                9-9 macro mac
            "#]],
        );
    }

    #[test]
    fn scripts_of_browsers() {
        check(
            "a.js",
            "export class A { f() {} get g() { return 1 } }\nconst h = (x) => x;\nfunction* k() {}\nconst n = 3;\n",
            &expect![[r#"
                javascript
                1-1 class A
                  1-1 method f
                  1-1 method g
                2-2 function h
                3-3 function k
            "#]],
        );
        check(
            "a.ts",
            "interface I { a: number }\ntype T = string;\nenum E { A }\nnamespace N { export function f(): void {} }\nabstract class C { m(): void {} }\n",
            &expect![[r#"
                typescript
                1-1 interface I
                2-2 type T
                3-3 enum E
                4-4 namespace N
                  4-4 function f
                5-5 class C
                  5-5 method m
            "#]],
        );
        check(
            "a.tsx",
            "export const App = () => <div/>;\n",
            &expect![[r#"
            typescript
            1-1 function App
        "#]],
        );
    }

    #[test]
    fn shells_cmake_and_spec_files() {
        check(
            "configure",
            "#!/bin/sh\nfoo() {\n  :\n}\nfunction bar { :; }\n",
            &expect![[r#"
            shell
            2-4 function foo
            5-5 function bar
        "#]],
        );
        check(
            "CMakeLists.txt",
            "project(hull C)\noption(WITH_X \"x\" ON)\nfunction(make_it name)\n  add_library(${name} a.c)\nendfunction()\nmacro(m)\nendmacro()\nADD_EXECUTABLE(ship main.c)\nfind_package(ZLIB REQUIRED)\nmessage(hi)\n",
            &expect![[r#"
                cmake
                1-1 project hull
                2-2 option WITH_X
                3-5 function make_it
                  4-4 library ${name}
                6-7 macro m
                8-8 program ship
                9-9 dependency ZLIB
            "#]],
        );
        check(
            "hull.spec",
            "%global ver 1.0\nName: hull\nVersion: %{ver}\nPatch0: a.patch\n\n%description\nA hull.\n\n%package devel\nSummary: x\n\n%description devel\nHeaders.\n\n%prep\n%autosetup\n\n%build\n%configure\n%if 1\nmake\n%endif\n\n%files devel\n%{_includedir}/x.h\n",
            &expect![[r#"
                spec
                1-1 macro ver
                2-2 tag Name: hull
                3-3 tag Version: %{ver}
                4-4 tag Patch0: a.patch
                6-8 section description
                9-11 section package devel
                  10-10 tag Summary: x
                12-14 section description devel
                15-17 section prep
                18-23 section build
                24-25 section files devel
            "#]],
        );
    }

    #[test]
    fn broken_files_give_what_they_have() {
        check(
            "a.c",
            "int f(void) { return 0; }\nint g(void { ??? \n}}}}\nint h(void) { return 1; }\n",
            &expect![[r#"
            c partial
            1-1 function f
        "#]],
        );
        let deep = "{".repeat(5000);
        let structure = Extractor::default()
            .structure("a.c", format!("int f(void) {deep}").as_bytes())
            .unwrap();
        assert!(structure.partial);
        for (path, content) in [
            ("a.c", &b"\0\0"[..]),
            ("a.txt", b"x"),
            ("a", b"x"),
            ("a.c", &vec![b' '; LARGEST + 1]),
        ] {
            assert!(Extractor::default().structure(path, content).is_none(), "{path}");
        }
    }
}
