//! Samples of the rows of `python`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "python-distutils",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
ModuleNotFoundError: No module named 'distutils'"#,
        "distutils",
    )
    .line(3),
    sample(
        "python-numpy-distutils",
        r#"  File "setup.py", line 3, in <module>
    from numpy.distutils.core import setup
ModuleNotFoundError: No module named 'numpy.distutils'"#,
        "python",
    )
    .documented(),
    sample(
        "python-removed-module",
        r#"Traceback (most recent call last):
  File "/build/y02/setup.py", line 1, in <module>
    import imp, asyncore
ModuleNotFoundError: No module named 'imp'"#,
        "python",
    )
    .line(4),
    sample(
        "python-removed-module",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
    import cgi
ModuleNotFoundError: No module named 'cgi'"#,
        "python",
    )
    .line(4),
    sample(
        "python-pkg-resources",
        r#"        File "<string>", line 1, in <module>
      ModuleNotFoundError: No module named 'pkg_resources'
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip."#,
        "pkg_resources",
    )
    .line(2),
    sample(
        "python-2-module",
        r#"Traceback (most recent call last):
  File "/build/y08/d.py", line 1, in <module>
    import urllib2
ModuleNotFoundError: No module named 'urllib2'"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-module",
        r#"Traceback (most recent call last):
  File "/build/y08/e.py", line 1, in <module>
    import ConfigParser
ModuleNotFoundError: No module named 'ConfigParser'"#,
        "python2",
    )
    .line(4),
    sample(
        "python-back-end",
        r"ERROR: Exception:
pip._vendor.pyproject_hooks._impl.BackendUnavailable: Cannot import 'hatchling.build'",
        "hatchling.build",
    )
    .documented(),
    sample(
        "python-module",
        r#"  File "<frozen importlib._bootstrap>", line 1176, in _find_and_load
  File "<frozen importlib._bootstrap>", line 1140, in _find_and_load_unlocked
ModuleNotFoundError: No module named 'poetry'"#,
        "poetry",
    )
    .line(3),
    sample(
        "python-module",
        r#"        File "<string>", line 2, in <module>
      ModuleNotFoundError: No module named 'yaml_tools'
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip."#,
        "yaml_tools",
    )
    .line(2),
    sample(
        "python-module",
        r#"  File "/build/y01/setup.py", line 2, in <module>
    import yaml_tools.helper
ModuleNotFoundError: No module named 'yaml_tools'"#,
        "yaml_tools",
    )
    .line(3),
    sample(
        "python-module",
        r#"  File "<frozen importlib._bootstrap>", line 1360, in _find_and_load
  File "<frozen importlib._bootstrap>", line 1324, in _find_and_load_unlocked
ModuleNotFoundError: No module named 'setuptools'"#,
        "setuptools",
    )
    .line(3),
    sample(
        "python-module",
        r"           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
test_a.py:1: in <module>
    import nope_mod
E   ModuleNotFoundError: No module named 'nope_mod'
=========================== short test summary info ============================
ERROR test_a.py",
        "nope_mod",
    )
    .line(4),
    sample(
        "python-module",
        r"/usr/bin/python3: No module named pytest",
        "pytest",
    )
    .documented(),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/setup.py", line 1
    print "hello"
    ^^^^^^^^^^^^^
SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/a.py", line 3
    except ValueError, e:
           ^^^^^^^^^^^^^
SyntaxError: multiple exception types must be parenthesized"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/g.py", line 1
    exec "x=1"
    ^^^^^^^^^^
SyntaxError: Missing parentheses in call to 'exec'. Did you mean exec(...)?"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/f.py", line 1
    x = 0777
        ^
SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/b.py", line 3
    y=2
TabError: inconsistent use of tabs and spaces in indentation"#,
        "python2",
    )
    .line(3),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/c.py", line 1, in <module>
    x = unicode("a")
        ^^^^^^^
NameError: name 'unicode' is not defined"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/h.py", line 1, in <module>
    for i in xrange(3): pass
             ^^^^^^
NameError: name 'xrange' is not defined. Did you mean: 'range'?"#,
        "python2",
    )
    .line(4),
    sample(
        "python-2-syntax",
        r#"  File "/build/y08/i.py", line 1, in <module>
    {}.has_key(1)
    ^^^^^^^^^^
AttributeError: 'dict' object has no attribute 'has_key'"#,
        "python2",
    )
    .line(4),
    sample(
        "python-syntax",
        r#"  File "/build/y08/j.py", line 1
    raise ValueError, "x"
                    ^
SyntaxError: invalid syntax"#,
        "python2",
    )
    .line(4),
    sample(
        "python-numpy-alias",
        r"    raise AttributeError(__former_attrs__[attr], name=None)
AttributeError: module 'numpy' has no attribute 'float'.
`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, use `float` by itself. Doing this will not modify any behavior and is safe. If you specifically wanted the numpy scalar type, use `np.float64` here.
The aliases was originally deprecated in NumPy 1.20; for more details and guidance see the original release note at:
    https://numpy.org/devdocs/release/1.20.0-notes.html#deprecations",
        "numpy.float",
    )
    .line(2),
    sample(
        "python-numpy-abi",
        r"A module that was compiled using NumPy 1.x cannot be run in
NumPy 2.1.0 as it may crash. To support both 1.x and 2.x",
        "numpy",
    )
    .documented(),
    sample(
        "python-numpy-abi",
        r"ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
        "numpy",
    )
    .documented(),
    sample(
        "python-setuptools-importer",
        r#"  File "/build/y05/setup.py", line 1, in <module>
    import pkgutil; pkgutil.ImpImporter
                    ^^^^^^^^^^^^^^^^^^^
AttributeError: module 'pkgutil' has no attribute 'ImpImporter'. Did you mean: 'zipimporter'?"#,
        "setuptools",
    )
    .line(4),
    sample(
        "python-removed-name",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: module 'collections' has no attribute 'Mapping'"#,
        "collections.Mapping",
    )
    .line(3),
    sample(
        "python-removed-name",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: module 'inspect' has no attribute 'getargspec'. Did you mean: 'getargs'?"#,
        "inspect.getargspec",
    )
    .line(3),
    sample(
        "python-removed-name",
        r#"Traceback (most recent call last):
  File "<string>", line 2, in <module>
AttributeError: module 'asyncio' has no attribute 'coroutine'. Did you mean: 'coroutines'?"#,
        "asyncio.coroutine",
    )
    .line(3),
    sample(
        "python-removed-name",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: module 'configparser' has no attribute 'SafeConfigParser'. Did you mean: 'RawConfigParser'?"#,
        "configparser.SafeConfigParser",
    )
    .line(3),
    sample(
        "python-removed-name",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: module 'ssl' has no attribute 'wrap_socket'"#,
        "ssl.wrap_socket",
    )
    .line(3),
    sample(
        "python-removed-import",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/collections/__init__.py)"#,
        "collections.Mapping",
    )
    .line(3),
    sample(
        "python-removed-method",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: 'ConfigParser' object has no attribute 'readfp'. Did you mean: 'read'?"#,
        "ConfigParser.readfp",
    )
    .line(3),
    sample(
        "python-removed-method",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
AttributeError: 'TestCase' object has no attribute 'assertEquals'. Did you mean: 'assertEqual'?"#,
        "TestCase.assertEquals",
    )
    .line(3),
    sample(
        "python-removed-argument",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
TypeError: translation() got an unexpected keyword argument 'codeset'"#,
        "translation",
    )
    .line(3),
    sample(
        "python-import-moved",
        r"ImportError: cannot import name 'soft_unicode' from 'markupsafe' (/usr/lib/python3/dist-packages/markupsafe/__init__.py)",
        "markupsafe",
    )
    .documented(),
    sample(
        "pip-externally-managed",
        r"error: externally-managed-environment

× This environment is externally managed
╰─> To install Python packages system-wide, try apt install",
        "python",
    ),
    sample(
        "pip-other-python",
        r"  Preparing metadata (pyproject.toml): finished with status 'done'
INFO: pip is looking at multiple versions of new to determine which version is compatible with other requirements. This could take a while.
ERROR: Package 'new' requires a different Python: 3.11.7 not in '>=3.14'",
        "python",
    )
    .line(3),
    sample(
        "pip-conflict",
        r"INFO: pip is looking at multiple versions of botocore to determine which version is compatible with other requirements. This could take a while.
ERROR: Cannot install botocore==1.29.0, requests==2.31.0 and urllib3==2.5.0 because these package versions have conflicting dependencies.

The conflict is caused by:
    The user requested urllib3==2.5.0
    requests 2.31.0 depends on urllib3<3 and >=1.21.1
    botocore 1.29.0 depends on urllib3<1.27 and >=1.25.4",
        "botocore requests urllib3",
    )
    .line(2),
    sample(
        "pip-impossible",
        r"ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/#dealing-with-dependency-conflicts",
        "",
    ),
    sample(
        "uv-conflict",
        r"  × No solution found when resolving dependencies:
  ╰─▶ Because foo==1.0 depends on bar>=2 and you require bar<2, we can conclude that foo==1.0 cannot be used.",
        "foo",
    )
    .documented(),
    sample(
        "pip-no-version",
        r"Looking in links: /opt/wheels
ERROR: Could not find a version that satisfies the requirement seatrial-no-such-thing-xyz (from versions: none)
ERROR: No matching distribution found for seatrial-no-such-thing-xyz",
        "seatrial-no-such-thing-xyz",
    )
    .line(2),
    sample(
        "pip-no-version",
        r"ERROR: No matching distribution found for six==99.1",
        "six",
    ),
    sample(
        "pip-no-version",
        r"ERROR: No matching distribution found for numpy==1.21.0",
        "numpy",
    ),
    sample(
        "pip-wheel-platform",
        r"ERROR: thing-1.0-cp39-cp39-win_amd64.whl is not a supported wheel on this platform.",
        "thing-1.0-cp39-cp39-win_amd64.whl",
    )
    .documented(),
    sample(
        "pip-renamed",
        r"      The 'sklearn' PyPI package is deprecated, use 'scikit-learn'
      rather than 'sklearn' for pip commands.",
        "sklearn",
    )
    .documented(),
    sample(
        "pip-wrapper",
        r"ERROR: Could not build wheels for e, which is required to install pyproject.toml-based projects",
        "e",
    ),
    sample(
        "pip-checksum-plain",
        r"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.",
        "",
    )
    .documented(),
    sample(
        "setuptools-2to3",
        r"  ╰─> [1 lines of output]
      error in old setup command: use_2to3 is invalid.
      [end of output]",
        "setuptools",
    )
    .line(2),
    sample(
        "setuptools-wheel",
        r"   or: setup.py cmd --help

error: invalid command 'bdist_wheel'",
        "wheel",
    )
    .line(3),
    sample(
        "setuptools-test",
        r"   or: setup.py cmd --help

error: invalid command 'test'",
        "setuptools",
    )
    .documented(),
    sample(
        "setuptools-command",
        r"   or: setup.py cmd --help

error: invalid command 'frobnicate'",
        "frobnicate",
    )
    .line(3),
    sample(
        "setuptools-packaging",
        r"TypeError: canonicalize_version() got an unexpected keyword argument 'strip_trailing_zero'",
        "setuptools",
    )
    .documented(),
    sample(
        "setuptools-layout",
        r"      error: Multiple top-level packages discovered in a flat-layout: ['b', 'a'].

      To avoid accidental inclusion of unwanted files or directories,
      setuptools will not proceed with this build.",
        "pyproject.toml",
    ),
    sample(
        "python-project-file",
        r"      ValueError: invalid pyproject.toml config: `project`.
      configuration error: `project` must contain ['version'] properties
      [end of output]",
        "project",
    )
    .line(2),
    sample(
        "setuptools-scm",
        r"LookupError: setuptools-scm was unable to detect version for /build/thing.",
        "version",
    )
    .documented(),
    sample(
        "tox-interpreter",
        r"py399: failed with could not find python interpreter matching any of the specs py399
  py399: FAIL code 1 (4.64 seconds)",
        "py399",
    ),
    sample(
        "cython-removed",
        r#"        File "<string>", line 201, in get_source_files
      AttributeError: 'build_ext' object has no attribute 'cython_sources'
      [end of output]"#,
        "cython",
    )
    .line(2),
    sample(
        "cython-definitions",
        r"b.pyx:2:8: 'nope.pxd' not found",
        "nope",
    ),
    sample(
        "python-old-extension",
        r"      e.c: In function ‘f’:
      e.c:2:32: error: lvalue required as left operand of assignment
          2 | void f(PyObject*o){ Py_TYPE(o) = 0; }
            |                                ^",
        "Py_TYPE",
    )
    .line(3),
    sample(
        "python-old-extension-api",
        r"src/x.c:1234:9: error: '_PyLong_AsInt' undeclared (first use in this function)",
        "_PyLong_AsInt",
    )
    .documented(),
    sample(
        "python-pg-config",
        r"      Error: pg_config executable not found.",
        "pg_config",
    )
    .documented(),
    sample(
        "python-mysql",
        r#"        File "<string>", line 27, in find_package_name
      Exception: Can not find valid pkg-config name.
      Specify MYSQLCLIENT_CFLAGS and MYSQLCLIENT_LDFLAGS env vars manually
      [end of output]"#,
        "mysqlclient",
    )
    .line(2),
    sample(
        "python-xmlsec",
        r"      Exception: xmlsec1 is not installed",
        "xmlsec1",
    )
    .documented(),
    sample(
        "python-rust",
        r"      error: can't find Rust compiler",
        "cargo",
    )
    .documented(),
    sample(
        "python-cmake",
        r"      CMake must be installed to build the following extensions: thing",
        "cmake",
    )
    .documented(),
    sample(
        "python-jpeg",
        r"      The headers or library files could not be found for zlib,
      a required dependency when compiling Pillow from source.",
        "z",
    )
    .documented(),
    sample(
        "python-hdf5",
        r"      error: libhdf5.so: cannot open shared object file: No such file or directory",
        "hdf5",
    )
    .documented(),
];
