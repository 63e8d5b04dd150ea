# SPDX-License-Identifier: BSD-2-Clause
"""The installed package: versions, types, documentation."""

import array
import doctest
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

import cprng
from cprng import _core

HERE = pathlib.Path(__file__).resolve().parent
NUMPY = importlib.util.find_spec("numpy") is not None
PACKAGE = pathlib.Path(cprng.__file__).parent


def test_version():
    """Catches a package whose version differs from its library's or its metadata."""
    assert cprng.__version__ == _core.version == importlib.metadata.version("cprng")
    header = HERE.parents[2] / "include/cprng/cprng.h"
    if header.is_file():
        numbers = re.findall(r"^#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header.read_text(), re.MULTILINE)
        assert cprng.__version__ == ".".join(numbers)


def test_licence_is_there():
    """Catches an installation without the licence, which must be included."""
    (distribution,) = importlib.metadata.distributions(name="cprng")
    assert any(file.name == "LICENSE" for file in distribution.files or [])


def test_stable_abi():
    """Catches a module for one version of Python where one for all versions is possible."""
    from sysconfig import get_config_var

    suffix = ".pyd" if sys.platform == "win32" else ".abi3.so"
    assert (pathlib.Path(_core.__file__).name == f"_core{suffix}") == (not get_config_var("Py_GIL_DISABLED"))


@pytest.mark.skipif(not (HERE.parent / "native").is_dir(), reason="the tests are not beside the sources")
def test_what_older_versions_do_not_have():
    """Catches argument formats with '#' and an uncounted None: compiled with Python 3.13, both fail under 3.11."""
    for path in (HERE.parent / "native").glob("*.[ch]"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"(?:PyArg_Parse\w*|Py_BuildValue|PyObject_Call\w+)\([^;]*?;", text, re.DOTALL)
        assert not [call for call in found if re.search(r'"[^"]*#[^"]*"', call)], path.name
        assert "Py_RETURN_" not in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), path.name
    assert "PyArg_ParseTuple" in (HERE.parent / "native/stream.c").read_text(encoding="utf-8")


@pytest.mark.parametrize("call", [cprng.invalidate, lambda: cprng.shuffle([1, 2]), lambda: cprng.fill_double(array.array("d", [0.0]))])
def test_none_is_counted(call):
    """Catches a result None without its own reference: Python 3.11, which can run a 3.13 wheel, would free None."""
    before = sys.getrefcount(None)
    for _ in range(1000):
        call()
    assert abs(sys.getrefcount(None) - before) < 500


def test_nothing_of_the_library_is_exported():
    """Catches a module whose symbols bind to another copy of the library in the process."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is missing")
    listing = subprocess.run([nm, "-D", "--defined-only", _core.__file__], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in listing.splitlines()} == {"PyInit__core"}


def test_module_is_bound_at_once_and_stays():
    """Catches a module that can be unloaded while the library's memory exists, or that binds calls while registers hold secrets."""
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is missing")
    listing = subprocess.run([readelf, "-dlW", _core.__file__], capture_output=True, text=True, check=True).stdout
    assert "GNU_RELRO" in listing and re.search(r"FLAGS_1\).*\bNOW\b.*\bNODELETE\b", listing)


def documented():
    """(name, text) of all documentation with examples."""
    modules = ["cprng"] + [f"cprng.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem != "__init__"]
    for name in modules:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as missing:
            assert missing.name in ("numpy", "dask")
            continue
        yield name, module.__doc__, vars(module)
        for member, value in vars(module).items():
            if getattr(value, "__module__", None) == name or (name == "cprng" and member in cprng.__all__):
                yield f"{name}.{member}", value.__doc__, vars(module)
                for inner, method in vars(value).items() if isinstance(value, type) else ():
                    text = getattr(method, "__doc__", None)
                    if isinstance(text, str) and ">>>" in text:
                        yield f"{name}.{member}.{inner}", text, vars(module)


@pytest.mark.parametrize("name, text, names", [pytest.param(*row, id=row[0]) for row in documented() if row[1] and ">>>" in row[1]])
def test_examples(name, text, names):
    """Catches a documentation example with another result."""
    examples = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
    assert examples.examples
    failed, tried = doctest.DocTestRunner(verbose=False).run(examples)
    assert tried and not failed


def public():
    """(name, function) of the package's own functions, and of its classes' methods."""
    classes = [getattr(cprng, name) for name in cprng.__all__ if isinstance(getattr(cprng, name), type)]
    if importlib.util.find_spec("dask"):
        classes.append(importlib.import_module("cprng.dask").Generator)
    for place, names in ((cprng, cprng.__all__), *((one, dir(one)) for one in classes)):
        for name in names:
            value = getattr(place, name)
            owner = getattr(value, "__objclass__", value)
            if not name.startswith("_") and inspect.isroutine(value) and (owner.__module__ or "").startswith("cprng"):
                yield f"{place.__name__}.{name}", value


@pytest.mark.parametrize("name, function", [pytest.param(*row, id=row[0]) for row in public()])
def test_sections(name, function):
    """Catches a public function or method without numpydoc's sections, or with others than its arguments."""
    sections = re.findall(r"^ *(\w+)\n *-{4,}$", function.__doc__, re.MULTILINE)
    assert sections == [one for one in ("Parameters", "Returns", "Raises", "Examples") if one in sections]
    assert "Returns" in sections or name.rpartition(".")[2] in ("shuffle", "invalidate", "reseed", "seed", "getstate", "setstate")
    assert "Examples" in sections or not name.startswith("cprng.") or hasattr(function, "__func__")
    described = {one for line in re.findall(r"^ *([\w, ]+) : ", function.__doc__, re.MULTILINE) for one in line.split(", ")}
    assert described == {*inspect.signature(function).parameters} - {"self"}


@pytest.mark.skipif(not NUMPY, reason="NumPy is missing")
def test_with_numpy_all_names_are_there():
    """Catches a name of the NumPy part that is missing from the import of all names."""
    assert {"DrawBitGenerator", "Stream", "integers"} <= {*cprng.__all__}


@pytest.mark.parametrize("program, printed", [
    ("from cprng import *; print(len(token_bytes(5)), {'DrawBitGenerator', 'Stream', 'integers'} & {*globals()})", "5 set()"),
    ("import cprng; print([hasattr(cprng, name) for name in ('Stream', 'DrawBitGenerator', 'integers', 'choice')])",
     "[False, False, False, True]"),
    ("import cprng\ntry:\n cprng.Stream\nexcept AttributeError as error:\n print(error)",
     "cprng.Stream needs NumPy 1.25 or later: pip install numpy"),
    ("import cprng, pydoc; print(len(pydoc.render_doc(cprng)) > 5000)", "True"),
])  # fmt: skip
def test_without_numpy(program, printed):
    """Catches names of the NumPy part that break programs that do not use them and lack NumPy."""
    blocked = f"import sys; sys.modules['numpy'] = None\n{program}"
    run = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == printed, run.stderr


@pytest.mark.parametrize("blocked", ["", "import sys; sys.modules['numpy'] = None; "])
def test_completion(blocked):
    """Catches names that completion lacks before the first use of the NumPy part, or that it offers without NumPy."""
    program = "import cprng, rlcompleter; print([rlcompleter.Completer({'cprng': cprng}).complete(t, 0) for t in ('cprng.Str', 'cprng.def', 'cprng.tri')])"
    run = subprocess.run([sys.executable, "-c", blocked + program], capture_output=True, text=True, check=True)
    assert [name and name.rstrip("()") for name in eval(run.stdout)] == (
        [None, None, "cprng.triangular"] if blocked or not NUMPY else ["cprng.Stream", "cprng.default_rng", "cprng.triangular"])


def test_types(tmp_path):
    """Catches a public name without types, and types that mypy --strict rejects, alone or with a user's program.
    """
    pytest.importorskip("mypy")
    pytest.importorskip("dask")
    assert (PACKAGE / "py.typed").is_file()
    (tmp_path / "good.py").write_text("""
import array
from typing import Any
import cprng
import cprng.dask
import numpy as np

key: bytes = cprng.random_bytes(32)
below: int = cprng.randbelow(10)
name: str = cprng.choice(["a", "b"])
view: bytearray = cprng.fill_bytes(bytearray(8))
numbers: "array.array[float]" = cprng.fill_double(array.array("d", [0.0]))
rng: np.random.Generator = np.random.Generator(cprng.DrawBitGenerator())
streams: list[cprng.Stream] = cprng.Stream(42).spawn(3)
die: int = cprng.Random().randint(1, 6)
block = cprng.dask.Generator(42).random(10)

array64: "np.ndarray[Any, np.dtype[np.float64]]" = cprng.fill_normal(np.empty(10))
cprng.Stream(42).fill_normal(np.empty(10))
cprng.fill_bytes(np.empty(10, dtype=np.uint8))
drawn: np.int64 = cprng.integers(10)
many: "np.ndarray[Any, np.dtype[np.int64]]" = cprng.integers(0, 10, 5)
named: "np.ndarray[Any, np.dtype[np.int64]]" = cprng.Stream(42).integers(10, size=(2, 3))
short: "np.ndarray[Any, np.dtype[np.int8]]" = cprng.integers(0, 10, 5, np.int8)
one_short: np.int8 = cprng.Stream(42).integers(10, dtype=np.int8)
number: float = cprng.Stream(42).normal()
normals: "np.ndarray[Any, np.dtype[np.float64]]" = cprng.Stream(42).normal(size=10)
uniform: "np.ndarray[Any, np.dtype[np.float64]]" = cprng.Stream(42).random(10)
floats: "np.ndarray[Any, np.dtype[np.float32]]" = cprng.Stream(42).random(10, dtype=np.float32)
generator: np.random.Generator = cprng.default_rng(42)
state: np.random.RandomState = cprng.random_state(cprng.Stream(42))
cprng.Stream(42).normal([0.0, 1.0], np.ones(2)), cprng.integers([0, 1], 5)
letters: list[str] = cprng.Stream(42).sample(["a", "b"], 1)
indices: list[int] = cprng.Stream(42).sample(np.int64(5), 1)
cprng.Stream(42).offset = np.int64(8)
bits: int = cprng.getrandbits(k=5) + cprng.randbelow(exclusive_upper_bound=5)
cprng.Stream(42).shuffle(np.arange(6))
cprng.shuffle(np.arange(6))
""")
    (tmp_path / "bad.py").write_text("""
import cprng
key: str = cprng.random_bytes(32)
cprng.randbelow('6')
text: str = cprng.integers(10)
texts: list[str] = cprng.Stream(42).integers(10, size=3)
cprng.fill_normal(5)
""")

    modules = ["cprng", "good", "bad", *(f"cprng.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem != "__init__")]
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"),
                            *(word for name in modules for word in ("-m", name))], capture_output=True, text=True, check=False, cwd=tmp_path)  # fmt: skip
    errors = [line for line in found.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[:2] for line in errors] == [["bad.py", str(line)] for line in range(3, 8)], found.stdout


def blocks(text):
    """The indented or fenced blocks of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_readme(capsys):
    """Catches a README that does not begin with the installation, or whose five lines do not run, or claim that NumPy's own numbers
    are the same in every language."""
    (shell, installation), (language, program), *_ = blocks((HERE.parent / "README.md").read_text(encoding="utf-8"))
    assert shell == "sh" and installation.splitlines()[-1].startswith("pip install './bindings/python")
    assert language == "python" and len(program.splitlines()) == 5
    pytest.importorskip("numpy")
    (line,) = [line for line in program.splitlines() if "the same numbers in every language" in line]
    name, names, stream = line.split(" = ")[0], {}, cprng.Stream("experiment 7")
    exec(program, names)
    assert names[name].tolist() == [stream.normal() for _ in range(3)] and capsys.readouterr().out


@pytest.mark.skipif(not (HERE.parent / "noxfile.py").is_file(), reason="the tests are not in a checkout")
def test_sessions_of_nox(tmp_path):
    """Catches a system without unshare, or a Python that does not run, that keep all sessions from running."""
    pytest.importorskip("nox")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name, mode in (("closed", 0o600), ("broken", 0o700)):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(mode)
    listed = subprocess.run([sys.executable, "-m", "nox", "-f", HERE.parent / "noxfile.py", "--list"], capture_output=True, text=True,
                            env={**os.environ, "PATH": str(tmp_path), "CPRNG_PYTHONS": f"{tmp_path}/*"}, check=False)  # fmt: skip
    assert listed.returncode == 0 and "* package ->" in listed.stdout, listed.stderr


# Only the tree contains the guide.
PAGES = [page for page in (HERE.parent / "README.md", HERE.parents[2] / "docs/python.md") if page.is_file()]


@pytest.mark.large
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_line_that_installs(page, tmp_path):
    """Catches a page whose first lines do not install the package, omit packages that a bare Debian lacks, or ask an index for a
    name that is not reserved there."""
    root = HERE.parents[2]
    if not (root / "bindings/python/pyproject.toml").is_file():
        pytest.skip("the tests are not in a checkout")
    pytest.importorskip("setuptools", minversion="77")
    language, lines = blocks(page.read_text(encoding="utf-8"))[0]
    packages, *environment, line = lines.splitlines()
    assert {"gcc", "python3-dev", "python3-venv"} <= set(shlex.split(packages, comments=True))
    script = "\n".join([*environment, "command -v pip"])
    made = subprocess.run(["sh", "-e", "-c", script], env={**os.environ, "HOME": str(tmp_path / "home")}, capture_output=True, text=True, check=True)
    assert made.stdout.startswith(str(tmp_path / "home")), made.stdout
    words = shlex.split(line, comments=True)
    assert language == "sh" and words[:2] == ["pip", "install"] and words[2].startswith("./")
    # Without the packages from the index: NumPy and the build tools.
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation", "--target", tmp_path]
    subprocess.run([sys.executable, "-m", *words[:2], *options, *words[2:]], check=True, cwd=root)
    program = "import cprng; print(cprng.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.startswith(str(tmp_path))


def test_no_page_names_the_index():
    """Catches a line that installs the package by name from an index, which does not have it."""
    for page in [*PAGES, *PACKAGE.glob("*.py")]:
        assert not re.search(r"pip install '?cprng\b", page.read_text(encoding="utf-8")), page.name


@pytest.mark.parametrize("program", [
    program for page in [*PAGES, *HERE.parents[2].glob("README.md")] for language, program in blocks(page.read_text(encoding="utf-8")) if language == "python"])
def test_programs_of_the_pages(program, tmp_path):
    """Catches a program of the README or the guide that fails."""
    # Most need numpy through cprng itself.
    for name in {"numpy", *re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)}:
        pytest.importorskip(name)
    if "cprng.dask" in program:
        pytest.importorskip("dask")
    # In a separate folder, for the files that it writes; JAX programs need no accelerator.
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path,
                         env={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert run.returncode == 0, run.stderr
