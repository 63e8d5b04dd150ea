# SPDX-License-Identifier: BSD-2-Clause
"""make, make install, make uninstall and their variables.

CPRNG_WORK  a directory for builds, which the next run uses again
CC          the compiler
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CC = shlex.split(os.environ.get("CC", "cc"))
OTHER_USER = 65534
HEADER = (ROOT / "include/cprng/cprng.h").read_text()
VERSION = ".".join(re.findall(r"^#define CPRNG_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))


def run(*command, status=0, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL, timeout=1200, **options)  # fmt: skip
    assert result.returncode == status, (command, result.stdout, result.stderr)
    return result.stdout if status == 0 else result.stderr


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "CPRNG_"))}
    return {**kept, **more}


def make(*arguments, build, status=0, **more):
    """As the user of the tests, in this tree."""
    return run("make", "-C", ROOT, "--no-print-directory", "SETUP=no", "JOBS=2", f"USER_BUILD={build}", *arguments,
               status=status, env=environment(**more))  # fmt: skip


def tree(directory):
    """The files below a directory."""
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()}


def sections(file):
    return set(re.findall(r"^ +\[ *\d+\] (\S+)", run("readelf", "-SW", file), re.MULTILINE))


def log(build):
    """When each file was compiled or linked; ninja's notes of the configuration are left out."""
    rows = (line.split("\t") for line in (build / ".ninja_log").read_text().splitlines() if not line.startswith("#"))
    return {row[3]: row for row in rows if re.search(r"(\.o|\.a|\.so[.\d]*|^cprng)$", row[3])}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    directory = os.environ.get("CPRNG_WORK")
    return pathlib.Path(directory) if directory else tmp_path_factory.mktemp("install")


@pytest.fixture(scope="module")
def build(work):
    make(build=work / "user")
    return work / "user"


@pytest.fixture(scope="module")
def library(work):
    """Without a C++ compiler: any attempt to use one ends the configuration.  In a directory with a blank in its name."""
    directory = work / "the library"
    shutil.rmtree(directory, ignore_errors=True)
    make("COMMAND=no", build=directory, CXX="false", CMAKE_CXX_COMPILER="false")
    return directory


def test_user_build_has_no_tests_and_no_lab(build):
    """Catches that a user compiles the tests, and needs their packages."""
    targets = run("ninja", "-C", build, "-t", "targets", "all")
    assert "cprng_command" in targets
    assert not re.search(r"^(tests|lab)/", targets, re.MULTILINE)


def test_package_lists_what_the_library_exports(library):
    """Catches a function that is added, and is missing in the list of symbols that a Debian package must have."""
    listed = re.findall(r"^ (\S+) \S+$", (ROOT / "packaging/debian/libcprng0.symbols").read_text(), re.MULTILINE)
    exported = re.findall(r"^\S+ [^A] (\S+)$", run("nm", "-D", "--defined-only", library / "libcprng.so"), re.MULTILINE)
    assert sorted(name for name in listed if "@CPRNG" in name and not name.startswith("CPRNG")) == sorted(
        name.replace("@@", "@") for name in exported)  # fmt: skip


def test_install_and_uninstall(build, tmp_path):
    """Catches a file that is missing, not stripped, compiled again, or left behind."""
    before = log(build)
    shown = make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=build)
    assert log(build) == before, "installing compiled something"
    files = tree(tmp_path / "opt/cprng")
    assert {f"opt/cprng/{file}" for file in files} == tree(tmp_path)
    assert {"bin/cprng", "include/cprng/cprng.hpp", "share/man/man1/cprng.1", "share/man/man3/cprng_fast.3"} <= files
    assert {f"lib/libcprng.so.{VERSION}", "lib/libcprng.so.0", "lib/libcprng.so", "lib/libcprng.a"} <= files
    assert {"lib/cmake/cprng/cprng-config.cmake", "lib/pkgconfig/cprng.pc"} <= files
    assert str(len(files)) in shown
    assert VERSION in run(tmp_path / "opt/cprng/bin/cprng", "--version")
    pc = (tmp_path / "opt/cprng/lib/pkgconfig/cprng.pc").read_text()
    assert "prefix=/opt/cprng\n" in pc
    assert re.search(r"^URL: https://\S+$", pc, re.MULTILINE)

    assert {"lib/libcprng-preload.so", "lib/libcprng-preload-devices.so", "lib/ossl-modules/cprng.so",
            "share/cprng/openssl-cprng.cnf", "include/cprng/adapters/sodium.h"} <= files
    for binary in ("bin/cprng", f"lib/libcprng.so.{VERSION}", "lib/libcprng-preload.so", "lib/ossl-modules/cprng.so"):
        assert not sections(tmp_path / "opt/cprng" / binary) & {".symtab", ".debug_info"}
    assert ".debug_info" not in sections(tmp_path / "opt/cprng/lib/libcprng.a")
    assert os.stat(tmp_path / "opt/cprng/bin/cprng").st_size < 2 << 20

    (tmp_path / "opt/cprng/lib/other").write_text("stays")
    make("uninstall", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=build)
    assert tree(tmp_path) == {"opt/cprng/lib/other"}
    assert not (tmp_path / "opt/cprng/include").exists()
    assert "nothing of cprng" in make("uninstall", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=build, status=2)


def test_uninstall_leaves_the_directories_of_the_system(build, tmp_path):
    """Catches an uninstallation from /usr/local that leaves a file."""
    make("install", f"DESTDIR={tmp_path}", build=build)
    make("uninstall", f"DESTDIR={tmp_path}", build=build)
    assert tree(tmp_path) == set()


@pytest.mark.parametrize("libdir, written", [("lib64", "${prefix}/lib64"), ("/opt/libs", "/opt/libs")])
def test_libdir(build, tmp_path, libdir, written):
    """Catches a LIBDIR that is not honoured by all, or is remembered."""
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", f"LIBDIR={libdir}", build=build)
    directory = tmp_path / (tmp_path / "opt/cprng" / libdir).relative_to(tmp_path if libdir[0] != "/" else "/")
    assert {f"libcprng.so.{VERSION}", "libcprng.a", "pkgconfig/cprng.pc"} <= tree(directory)
    assert f"libdir={written}\n" in (directory / "pkgconfig/cprng.pc").read_text()
    # Units of systemd are no libraries.
    assert not [file for file in tree(tmp_path / "opt/cprng/lib") if not file.startswith("systemd/")]
    # It is not remembered.
    make("install", f"DESTDIR={tmp_path}/again", "PREFIX=/opt/cprng", build=build)
    assert (tmp_path / "again/opt/cprng/lib/libcprng.a").exists()


def test_prefix_usr_has_the_directory_of_the_architecture(build, tmp_path):
    """Catches libraries where neither the linker nor pkg-config looks."""
    multiarch = run(*CC, "-print-multiarch").strip()
    if not multiarch or not pathlib.Path("/usr/lib", multiarch).exists():
        pytest.skip("no directory for each architecture on this system")
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/usr", build=build)
    assert (tmp_path / f"usr/lib/{multiarch}/pkgconfig/cprng.pc").exists()
    assert f"libdir=${{prefix}}/lib/{multiarch}\n" in (tmp_path / f"usr/lib/{multiarch}/pkgconfig/cprng.pc").read_text()


def test_debug_information(build, tmp_path):
    """Catches debug information that is left in, or that no debugger finds."""
    make("install", f"DESTDIR={tmp_path}/not-stripped", "STRIP=no", build=build)
    make("install", f"DESTDIR={tmp_path}/split", "DEBUG_FILES=yes", build=build)
    for binary in ("bin/cprng", f"lib/libcprng.so.{VERSION}"):
        assert {".symtab", ".debug_info"} <= sections(tmp_path / "not-stripped/usr/local" / binary)
        split = tmp_path / "split/usr/local" / binary
        assert not sections(split) & {".symtab", ".debug_info"}
        assert ".debug_info" in sections(split.parent / ".debug" / f"{split.name}.debug")
    # What follows the link in a library finds the name and the source.
    shared = tmp_path / f"split/usr/local/lib/libcprng.so.{VERSION}"
    address = next(line.split()[0] for line in run("nm", "-D", shared).splitlines() if " cprng_fast@@" in line)
    assert re.search(r"^cprng_fast\n.*draws?\.c:\d+", run("addr2line", "-f", "-e", shared, address))
    make("uninstall", f"DESTDIR={tmp_path}/split", build=build)
    assert tree(tmp_path / "split") == set()


def test_library_alone_needs_no_cxx(library, tmp_path):
    """Catches a build of C that asks for a C++ compiler."""
    assert "CMAKE_CXX_COMPILER:FILEPATH" not in (library / "CMakeCache.txt").read_text()
    # That it is without the command is remembered: sudo make install has no C++ compiler either.
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=library, CXX="false")
    files = tree(tmp_path / "opt/cprng")
    assert {"include/cprng/cprng.h", "lib/libcprng.a", "share/man/man3/cprng.3", "share/man/man7/cprng.7"} <= files
    assert not [file for file in files if file.startswith(("bin/", "share/man/man1"))]
    program = tmp_path / "program"
    run(*CC, "-O2", ROOT / "tests/install/draws.c", f"-I{tmp_path}/opt/cprng/include", "-o", program,
        tmp_path / "opt/cprng/lib/libcprng.a")  # fmt: skip
    run(program)


def test_nothing_is_installed_when_a_step_before_fails(library, tmp_path):
    """Catches a step whose failure the shell passes over: what is installed would be half made."""
    try:
        make("install", "COMMAND=no", "DEBUG_FILES=yes", f"PREFIX={tmp_path}/prefix",
             "CONFIGURE=-DCMAKE_OBJCOPY=/bin/false", build=library, status=2, CXX="false")  # fmt: skip
        assert not tree(tmp_path)
    finally:
        make("COMMAND=no", "CONFIGURE=-UCMAKE_OBJCOPY", build=library, CXX="false")


def test_subdirectory_of_a_project_in_c(work, tmp_path):
    """Catches a project in C that needs C++ because it has the library as a subdirectory."""
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.22)\nproject(user LANGUAGES C)\nadd_subdirectory({ROOT} cprng)\n"
        f"add_executable(user {ROOT}/tests/install/draws.c)\ntarget_link_libraries(user PRIVATE cprng::static)\n"
    )
    shutil.rmtree(work / "subdirectory", ignore_errors=True)  # of another project's directory
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", work / "subdirectory", env=environment(CXX="false"))
    run("cmake", "--build", work / "subdirectory", "-j", "2", "-t", "user")
    run(work / "subdirectory/user")


@pytest.mark.parametrize("choice, message", [
    ("COMMAND=perhaps", "neither yes nor no"),
    ("STRIP=1", "neither yes nor no"),
    ("PREFIX=here", "is not absolute"),
])  # fmt: skip
def test_nonsense_is_refused(work, choice, message):
    """Catches a misspelt choice that is taken for its opposite."""
    assert message in make("install", choice, build=work / "nonsense", status=2)
    assert not (work / "nonsense").exists()


@pytest.fixture(scope="module")
def checkout():
    """A copy of the tree that belongs to another user than root."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can be another user")
    directory = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))
    directory.chmod(0o755)
    copy = directory / "cprng"
    for name in run(ROOT / "tools/files", "*", cwd=ROOT).splitlines():
        if not name.startswith(("lab/", "tests/")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run("chown", "-R", f"{OTHER_USER}:{OTHER_USER}", directory)
    yield copy
    shutil.rmtree(directory)


def as_user(checkout, *arguments, user=OTHER_USER, status=0):
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    command = ["make", "-C", checkout, "--no-print-directory", "SETUP=no", *arguments]
    if user != 0:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    return run(*command, env=env, status=status)


def of_root(checkout):
    return [str(path) for path in checkout.rglob("*") if path.lstat().st_uid == 0]


def test_root_installs_what_a_user_built(checkout, tmp_path):
    """Catches sudo make install that compiles, forgets COMMAND=no, or leaves files of root in the checkout."""
    as_user(checkout, "COMMAND=no")
    before = log(checkout / "build/user")
    assert len(before) > 20
    # Without COMMAND=no, and elsewhere.
    as_user(checkout, "install", f"DESTDIR={tmp_path}", "PREFIX=/usr", user=0)
    as_user(checkout, "uninstall", f"DESTDIR={tmp_path}", "PREFIX=/usr", user=0)
    as_user(checkout, "install", f"DESTDIR={tmp_path}", user=0)
    assert log(checkout / "build/user") == before
    assert of_root(checkout) == []
    assert (tmp_path / "usr/local/lib/libcprng.a").stat().st_uid == 0


def test_root_installs_what_nobody_built(checkout, tmp_path):
    """Catches the same of sudo make install alone."""
    shutil.rmtree(checkout / "build", ignore_errors=True)
    as_user(checkout, "install", f"DESTDIR={tmp_path}", "COMMAND=no", user=0)
    assert of_root(checkout) == []
    assert (tmp_path / "usr/local/lib/libcprng.a").exists()


def test_prefix_that_is_not_writable(checkout, tmp_path):
    """Catches a compilation of which nothing can be installed, and a message without advice."""
    shutil.rmtree(checkout / "build", ignore_errors=True)
    message = as_user(checkout, "install", f"PREFIX={tmp_path}/new", status=2)
    assert "is not writable" in message and "sudo make install" in message
    assert not (checkout / "build").exists()
