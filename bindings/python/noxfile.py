# SPDX-License-Identifier: BSD-2-Clause
"""The tests of the package as users install it: ./test runs the default sessions, `./test --list` names all, and `./test -s NAME -- ARGUMENTS`
gives one of them arguments of pytest.  CMAKE_C_COMPILER_LAUNCHER (ccache) goes before the compiler."""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

import nox

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build/python"
DIST = OUT / "dist"
PIP = "-m", "pip", "--disable-pip-version-check", "-q"
if launcher := os.environ.get("CMAKE_C_COMPILER_LAUNCHER"):
    os.environ["CC"] = f"{launcher} {os.environ.get('CC', 'cc')}"
# Commands without a network, if the system permits that.
OFFLINE = ["unshare", "--net", "--map-root-user"]
if shutil.which("unshare") is None or subprocess.run([*OFFLINE, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
    OFFLINE = []

nox.options.envdir = OUT
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["package", "other"]


def name_of(python):
    """Such as 3.13t; None if the interpreter does not run."""
    program = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2] + 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED')))"
    try:
        return subprocess.run([python, "-c", program], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


# Pythons of CPRNG_PYTHONS, or those in /usr/bin and pyenv, besides that of the environment.
PLACES = os.environ.get("CPRNG_PYTHONS", "/usr/bin/python3.1[2-9] /usr/bin/python3.1[2-9]t ~/.pyenv/versions/3.1[2-9]*/bin/python3")
FOUND = [python for place in PLACES.split() for python in sorted(glob.glob(os.path.expanduser(place)))]
OTHERS = {name: python for python in FOUND if (name := name_of(python))}
NEWEST = max((name for name in OTHERS if not name.endswith("t")), key=lambda name: int(name[2:]), default=None)


def wheel(session, python, folder):
    """Make a Python's wheel from the source distribution."""
    session.run(*OFFLINE, python, *PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, *DIST.glob("*.tar.gz"),
                external=True)  # fmt: skip


def tests(session, python, folder, **environment):
    """Install a folder's wheel, and run the tests."""
    session.run(python, *PIP, "install", "--no-index", "--no-deps", "--force-reinstall", *folder.glob("*.whl"), external=True)
    session.run(python, "-c", "import sys, numpy; print('----', sys.version, 'NumPy', numpy.__version__)", external=True)
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(OUT / "pycache")}
    with session.chdir(OUT):
        session.run(python, "-m", "pytest", "-q", "-rs", "-c", HERE / "pyproject.toml", HERE / "tests", *session.posargs, env=environment,
                    external=True)  # fmt: skip


@nox.session(venv_backend="none")
def dist(session):
    """Make the source distribution, and from it the wheel, without a network."""
    shutil.rmtree(DIST, ignore_errors=True)
    session.run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", DIST, ".", silent=True)
    wheel(session, sys.executable, DIST)


@nox.session(venv_backend="none", requires=["dist"])
def short(session):
    """Test the wheel in this environment, build/python/venv."""
    tests(session, sys.executable, DIST, CPRNG_DIST=str(DIST))


@nox.session(venv_backend="none", requires=["dist"])
def package(session):
    """The same with the long tests."""
    tests(session, sys.executable, DIST, CPRNG_DIST=str(DIST), CPRNG_BINDINGS="all")


@nox.session(requires=["dist"])
@nox.parametrize("python", [nox.param(python, id=name) for name, python in {name_of(sys.executable): sys._base_executable, **OTHERS}.items()])
def other(session):
    """Test it with other versions of NumPy and Python, the oldest first; and the wheel that the newest Python makes with the oldest."""
    session.install("--no-compile", "--require-hashes", "--only-binary", ":all:", "-r", "tests/requirements-others.txt")
    python, name = session.virtualenv.bin + "/python", name_of(session.python)
    made = OUT / f"dist-{name}"
    if name.endswith("t") or name == NEWEST:
        shutil.rmtree(made, ignore_errors=True)
        wheel(session, python, made)
    # A free-threaded interpreter has no stable ABI, so it needs its own wheel.
    tests(session, python, made if name.endswith("t") else DIST, CPRNG_BINDINGS="all")
    if name == NEWEST:
        try:
            shutil.copy(*DIST.glob("*.tar.gz"), made)
            tests(session, sys.executable, made, CPRNG_DIST=str(made), CPRNG_BINDINGS="all")
        finally:
            session.run(sys.executable, *PIP, "install", "--no-index", "--no-deps", "--force-reinstall", *DIST.glob("*.whl"), external=True)


@nox.session(venv_backend="none")
def windows(session):
    """Test only the wheel for Windows, in a Python for Windows under wine (tests/system/windows/run)."""
    wheels, site, library = OUT.parent / "wheels", OUT / "windows", OUT / "python3.def"
    session.run("./wheels", "--windows")
    (home,) = wheels.glob("cpython-*/org/bytedeco/cpython/windows-x86_64")
    shutil.rmtree(site, ignore_errors=True)
    for what in (["--require-hashes", "-r", "tests/requirements-windows.txt"], ["--no-index", "--no-deps", *wheels.glob("*-win_amd64.whl")]):
        session.run(wheels / "venv/bin/python", *PIP, "install", "--only-binary", ":all:", "--platform", "win_amd64", "--python-version", "3.13",
                    "--target", site, *what)  # fmt: skip
    # Make the missing python3.dll: it forwards each function of the stable ABI to python313.dll.
    names = re.findall(r"^[0-9a-f]* I __imp_(.*)$", session.run("x86_64-w64-mingw32-nm", home / "libs/python3.lib", silent=True), re.MULTILINE)
    library.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *(f"{name} = python313.{name}" for name in names), ""]))
    session.run("x86_64-w64-mingw32-gcc-posix", "-shared", "-nostdlib", "-Wl,--entry=0", library, "-o", home / "python3.dll")
    # Through a pipe: under wine 8 Python cannot write to a file as its standard output.
    run = subprocess.run(["wine", home / "python.exe", "-B", "-m", "pytest", "-q", "-rs", "-c", "pyproject.toml", "tests", *session.posargs], check=False, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": f"Z:{site}"})  # fmt: skip
    print(run.stdout)
    if run.returncode != 0:
        session.error("the tests failed under wine")
