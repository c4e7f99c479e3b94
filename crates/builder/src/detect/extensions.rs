//! Modules of other programs: the kernel, PHP, nginx, Lua, R, Python, Node, Arduino boards.

use super::{Add, BuildSystem};
use crate::{
    pattern::Pattern,
    tree::{Tree, base, join, language},
};

static KERNEL_MODULE: Pattern = Pattern::new(r"(?m)^\s*(?:export\s+)?obj-(?:m|\$\(CONFIG_\w+\))\s*[:+]?=");
static PHP: Pattern = Pattern::new(r"PHP_NEW_EXTENSION\s*\(");
static NGINX: Pattern = Pattern::new(r"(?m)^\s*(?:ngx_addon_name|ngx_module_name|HTTP_MODULES)\s*=");
static ROCK_BUILTIN: Pattern = Pattern::new(r#"type\s*=\s*["'](builtin|module|make|cmake|command)["']"#);
static ROCK_SOURCE: Pattern = Pattern::new(r#"\.(?:c|cc|cpp|cxx)["']"#);
static PYTHON_EXTENSION: Pattern = Pattern::new(
    r"\b(?:Extension|Pybind11Extension|CMakeExtension|CUDAExtension|CppExtension|cythonize|ext_modules|cffi_modules)\b",
);
static PYTHON_NATIVE_BACKEND: Pattern = Pattern::new(
    r#"build-backend\s*=\s*["'](?:mesonpy|scikit_build_core\.build|py_build_cmake\.build|sipbuild\.api)["']"#,
);

pub(super) fn find(tree: &Tree, folder: &str, names: &[&str], add: &mut Add<'_>) {
    let text = |name: &str| tree.text(&join(folder, name)).unwrap_or_default();
    let has = |name: &str| names.contains(&name);
    for name in ["Kbuild", "Makefile", "makefile", "GNUmakefile"] {
        if has(name) && KERNEL_MODULE.is_match(&text(name)) && !has("Kconfig") {
            add(
                BuildSystem::KernelModule,
                Some(name),
                format!("{name} names modules for the Linux kernel"),
            );
            break;
        }
    }
    if has("config.m4") && PHP.is_match(&text("config.m4")) {
        add(
            BuildSystem::Phpize,
            Some("config.m4"),
            "config.m4 declares a PHP extension".to_owned(),
        );
    }
    if has("config") && NGINX.is_match(&text("config")) {
        add(
            BuildSystem::NginxModule,
            Some("config"),
            "config declares an nginx module".to_owned(),
        );
    }
    let mut rocks: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.len() > 9 && name.strip_suffix(".rockspec").is_some())
        .collect();
    // The development version describes this tree, released ones describe archives elsewhere.
    rocks.sort_by_key(|name| (!name.contains("scm") && !name.contains("dev"), std::cmp::Reverse(*name)));
    if let Some(name) = rocks.first() {
        let spec = text(name);
        if ROCK_SOURCE.is_match(&spec) || ROCK_BUILTIN.first(&spec) != Some("builtin") {
            add(
                BuildSystem::LuaRock,
                Some(name),
                format!("{name} describes a Lua module"),
            );
        }
    }
    if has("DESCRIPTION") && has("NAMESPACE") && text("DESCRIPTION").contains("Package:") {
        let sources = join(folder, "src");
        let native = tree.below(&sources).any(|path| {
            let fortran = std::path::Path::new(path)
                .extension()
                .is_some_and(|end| end == "f" || end == "f90");
            fortran || language(path).is_some()
        });
        if native {
            add(
                BuildSystem::RPackage,
                Some("DESCRIPTION"),
                "DESCRIPTION declares an R package with native code".to_owned(),
            );
        }
    }
    if has("setup.py") && PYTHON_EXTENSION.is_match(&text("setup.py")) {
        add(
            BuildSystem::PythonExtension,
            Some("setup.py"),
            "setup.py declares native extensions".to_owned(),
        );
    } else if has("pyproject.toml") {
        let project = text("pyproject.toml");
        if PYTHON_NATIVE_BACKEND.is_match(&project)
            || project.contains("ext-modules")
            || project.contains("cffi_modules")
        {
            add(
                BuildSystem::PythonExtension,
                Some("pyproject.toml"),
                "pyproject.toml builds native code".to_owned(),
            );
        }
    }
    if has("binding.gyp") {
        add(
            BuildSystem::NodeAddon,
            Some("binding.gyp"),
            "binding.gyp declares a Node add-on".to_owned(),
        );
    }
    let sketch = names.iter().copied().find(|name| {
        name.strip_suffix(".ino")
            .or_else(|| name.strip_suffix(".pde"))
            .is_some_and(|stem| super::is_quotable(name) && (stem == base(folder) || folder.is_empty()))
    });
    if let Some(name) = sketch {
        add(
            BuildSystem::Arduino,
            Some(name),
            format!("{name} is a sketch for a board"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        let all = [
            &KERNEL_MODULE,
            &PHP,
            &NGINX,
            &ROCK_BUILTIN,
            &ROCK_SOURCE,
            &PYTHON_EXTENSION,
            &PYTHON_NATIVE_BACKEND,
        ];
        assert!(all.iter().all(|pattern| pattern.compiles()));
    }
}
