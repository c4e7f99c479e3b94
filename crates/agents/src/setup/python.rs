//! The published procedure for Python.

use std::fmt;

use super::Procedure;
use crate::steps::quoted;

/// What the root's files lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// `environment.yml`: a Conda environment by this name, and what else is declared.
    Conda(String, Generic),
    /// `uv.lock`.
    Uv,
    /// `poetry.lock`.
    Poetry,
    /// What is declared otherwise.
    Generic(Generic),
}

/// What is installed into the environment that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Generic {
    /// Every file of requirements in the root.
    Requirements(Vec<String>),
    /// The project itself, by the file that says how.
    Project(&'static str),
    /// `Pipfile`.
    Pipfile,
    /// Nothing is known.
    Nothing,
}

impl Decision {
    /// Decides. `has` says whether a file is in the root, `files` lists the root, `read` reads a file of it.
    pub(super) fn of(
        has: impl Fn(&str) -> bool,
        files: impl FnOnce() -> Vec<String>,
        read: &dyn Fn(&str) -> String,
    ) -> Self {
        if has("environment.yml") {
            let text = read("environment.yml");
            // The whole first line: the part that would cut the name out is never reached.
            let name = text.lines().next().unwrap_or_default().trim().to_owned();
            return Self::Conda(name, Generic::of(&has, files));
        }
        if has("uv.lock") {
            return Self::Uv;
        }
        if has("poetry.lock") {
            return Self::Poetry;
        }
        let known = ["pyproject.toml", "requirements.txt", "Pipfile", "setup.py"];
        if known.into_iter().any(&has) {
            return Self::Generic(Generic::of(&has, files));
        }
        Self::Generic(Generic::Nothing)
    }

    /// The script.
    pub(super) fn script(&self, procedure: Procedure) -> String {
        let published = procedure == Procedure::Published;
        let begin = if published {
            String::new()
        } else {
            "python3 -m venv /opt/environment\n. /opt/environment/bin/activate\n".to_owned()
        };
        match self {
            Self::Conda(name, generic) if published => format!(
                "conda env create -f environment.yml\nconda activate {}\n{}",
                quoted(name),
                generic.script(procedure)
            ),
            Self::Uv if published => {
                "uv venv\nsource .venv/bin/activate\nuv pip install -r requirements.txt\n".to_owned()
            }
            Self::Uv => "export UV_PROJECT_ENVIRONMENT=/opt/environment\nuv sync --frozen --all-extras --all-groups\n\
                 . /opt/environment/bin/activate\n"
                .to_owned(),
            Self::Poetry if published => "poetry install -n --no-root --all-groups --all-extras\n\
                 python_of_poetry=$(poetry run which python) || exit 1\n\
                 source \"$(dirname \"$python_of_poetry\")/activate\"\n"
                .to_owned(),
            Self::Poetry => {
                format!("{begin}poetry install -n --no-root --all-groups --all-extras\n")
            }
            Self::Conda(_, generic) | Self::Generic(generic) => format!("{begin}{}", generic.script(procedure)),
        }
    }
}

impl Generic {
    fn of(has: &impl Fn(&str) -> bool, files: impl FnOnce() -> Vec<String>) -> Self {
        let requirements: Vec<String> = files()
            .into_iter()
            .filter(|name| name.contains("requirements") && name.strip_suffix(".txt").is_some())
            .collect();
        if !requirements.is_empty() {
            return Self::Requirements(requirements);
        }
        for file in ["setup.py", "pyproject.toml", "setup.cfg"] {
            if has(file) {
                return Self::Project(file);
            }
        }
        if has("Pipfile") { Self::Pipfile } else { Self::Nothing }
    }

    fn script(&self, procedure: Procedure) -> String {
        match self {
            Self::Requirements(files) => {
                let lines = files
                    .iter()
                    .map(|file| format!("python -m pip install -r {}\n", quoted(file)));
                lines.collect::<Vec<_>>().concat()
            }
            Self::Project(_) => "python -m pip install -e .\n".to_owned(),
            Self::Pipfile if procedure == Procedure::Published => "pipenv install --deploy\n".to_owned(),
            Self::Pipfile => "pipenv install --dev\n".to_owned(),
            // The shell keeps eight bits of it.
            Self::Nothing => "exit 444\n".to_owned(),
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conda(name, generic) => write!(f, "conda `{name}`, then {generic}"),
            Self::Uv => f.write_str("uv"),
            Self::Poetry => f.write_str("poetry"),
            Self::Generic(generic) => generic.fmt(f),
        }
    }
}

impl fmt::Display for Generic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requirements(files) => write!(f, "requirements {}", files.join(" ")),
            Self::Project(file) => write!(f, "the project by {file}"),
            Self::Pipfile => f.write_str("pipenv"),
            Self::Nothing => f.write_str("nothing found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    fn decide(files: &str) -> Decision {
        let files: Vec<String> = files.split_whitespace().map(str::to_owned).collect();
        Decision::of(
            |name| files.iter().any(|file| file == name),
            || files.iter().filter(|file| !file.contains('/')).cloned().collect(),
            &|_| "name: hull\nchannels: []\n".to_owned(),
        )
    }

    #[test]
    fn the_first_file_of_the_list_decides() {
        let table = [
            "environment.yml",
            "environment.yml setup.py",
            "environment.yml requirements.txt",
            "environment.yml uv.lock pyproject.toml",
            "environment.yml poetry.lock pyproject.toml",
            "environment.yml Pipfile",
            "environment.yaml",
            "environment.yaml setup.py",
            "uv.lock pyproject.toml",
            "uv.lock",
            "uv.lock requirements.txt",
            "uv.lock poetry.lock",
            "uv.lock setup.py setup.cfg",
            "poetry.lock pyproject.toml",
            "poetry.lock",
            "poetry.lock requirements.txt",
            "poetry.lock Pipfile",
            "pyproject.toml",
            "pyproject.toml setup.py",
            "pyproject.toml setup.cfg",
            "pyproject.toml requirements.txt",
            "pyproject.toml dev-requirements.txt",
            "pyproject.toml requirements-dev.txt requirements.txt",
            "pyproject.toml Pipfile",
            "pyproject.toml pdm.lock",
            "pyproject.toml requirements/dev.txt",
            "pyproject.toml docs/requirements.txt",
            "requirements.txt",
            "requirements.txt setup.py",
            "requirements.txt test_requirements.txt",
            "requirements.in setup.py",
            "requirements-dev.txt",
            "requirements.txt Pipfile",
            "Pipfile",
            "Pipfile Pipfile.lock",
            "Pipfile setup.cfg",
            "Pipfile setup.py",
            "setup.py",
            "setup.py setup.cfg",
            "setup.cfg",
            "tox.ini",
            "hatch.toml",
            "README.md",
            "sub/setup.py",
        ];
        let mut text = String::new();
        for files in table {
            writeln!(text, "{files}: {}", decide(files)).unwrap();
        }
        expect![[r#"
            environment.yml: conda `name: hull`, then nothing found
            environment.yml setup.py: conda `name: hull`, then the project by setup.py
            environment.yml requirements.txt: conda `name: hull`, then requirements requirements.txt
            environment.yml uv.lock pyproject.toml: conda `name: hull`, then the project by pyproject.toml
            environment.yml poetry.lock pyproject.toml: conda `name: hull`, then the project by pyproject.toml
            environment.yml Pipfile: conda `name: hull`, then pipenv
            environment.yaml: nothing found
            environment.yaml setup.py: the project by setup.py
            uv.lock pyproject.toml: uv
            uv.lock: uv
            uv.lock requirements.txt: uv
            uv.lock poetry.lock: uv
            uv.lock setup.py setup.cfg: uv
            poetry.lock pyproject.toml: poetry
            poetry.lock: poetry
            poetry.lock requirements.txt: poetry
            poetry.lock Pipfile: poetry
            pyproject.toml: the project by pyproject.toml
            pyproject.toml setup.py: the project by setup.py
            pyproject.toml setup.cfg: the project by pyproject.toml
            pyproject.toml requirements.txt: requirements requirements.txt
            pyproject.toml dev-requirements.txt: requirements dev-requirements.txt
            pyproject.toml requirements-dev.txt requirements.txt: requirements requirements-dev.txt requirements.txt
            pyproject.toml Pipfile: the project by pyproject.toml
            pyproject.toml pdm.lock: the project by pyproject.toml
            pyproject.toml requirements/dev.txt: the project by pyproject.toml
            pyproject.toml docs/requirements.txt: the project by pyproject.toml
            requirements.txt: requirements requirements.txt
            requirements.txt setup.py: requirements requirements.txt
            requirements.txt test_requirements.txt: requirements requirements.txt test_requirements.txt
            requirements.in setup.py: the project by setup.py
            requirements-dev.txt: nothing found
            requirements.txt Pipfile: requirements requirements.txt
            Pipfile: pipenv
            Pipfile Pipfile.lock: pipenv
            Pipfile setup.cfg: the project by setup.cfg
            Pipfile setup.py: the project by setup.py
            setup.py: the project by setup.py
            setup.py setup.cfg: the project by setup.py
            setup.cfg: nothing found
            tox.ini: nothing found
            hatch.toml: nothing found
            README.md: nothing found
            sub/setup.py: nothing found
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn scripts_of_both_forms() {
        let mut text = String::new();
        for files in [
            "environment.yml setup.py",
            "uv.lock",
            "poetry.lock",
            "requirements.txt",
            "Pipfile",
            "README",
        ] {
            for procedure in [Procedure::Published, Procedure::Mended] {
                write!(text, "# {files}, {procedure:?}\n{}", decide(files).script(procedure)).unwrap();
            }
        }
        expect![[r##"
            # environment.yml setup.py, Published
            conda env create -f environment.yml
            conda activate 'name: hull'
            python -m pip install -e .
            # environment.yml setup.py, Mended
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            python -m pip install -e .
            # uv.lock, Published
            uv venv
            source .venv/bin/activate
            uv pip install -r requirements.txt
            # uv.lock, Mended
            export UV_PROJECT_ENVIRONMENT=/opt/environment
            uv sync --frozen --all-extras --all-groups
            . /opt/environment/bin/activate
            # poetry.lock, Published
            poetry install -n --no-root --all-groups --all-extras
            python_of_poetry=$(poetry run which python) || exit 1
            source "$(dirname "$python_of_poetry")/activate"
            # poetry.lock, Mended
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            poetry install -n --no-root --all-groups --all-extras
            # requirements.txt, Published
            python -m pip install -r requirements.txt
            # requirements.txt, Mended
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            python -m pip install -r requirements.txt
            # Pipfile, Published
            pipenv install --deploy
            # Pipfile, Mended
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            pipenv install --dev
            # README, Published
            exit 444
            # README, Mended
            python3 -m venv /opt/environment
            . /opt/environment/bin/activate
            exit 444
        "##]]
        .assert_eq(&text);
    }
}
