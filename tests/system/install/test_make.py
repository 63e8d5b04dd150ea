# SPDX-License-Identifier: BSD-2-Clause
"""make, make install, make uninstall and their variables, in a project of two files that compiles in a second."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
OTHER_USER = 65534
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(cprng C)
include(GNUInstallDirs)
file(WRITE ${PROJECT_BINARY_DIR}/left-out "a part: its package is missing\\n")
add_library(small STATIC small.c)
install(TARGETS small)
install(FILES include/cprng/cprng.h ${ABSENT} DESTINATION include/cprng)
install(FILES ${CMAKE_CURRENT_LIST_FILE} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig RENAME cprng.pc)
if(CPRNG_COMMAND)
	add_executable(cprng small.c)
	install(TARGETS cprng)
endif()
if(CPRNG_LAB)
	add_executable(cprng_tour small.c)
	set_target_properties(cprng_tour PROPERTIES OUTPUT_NAME cprng-tour)
endif()
"""
LIBRARY_ALONE = {"lib/libsmall.a", "lib/pkgconfig/cprng.pc", "include/cprng/cprng.h"}


def run(*command, status=0, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL, timeout=1200, **options)  # fmt: skip
    assert result.returncode == status, (command, result.stdout, result.stderr)
    return result.stdout if status == 0 else result.stderr


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CONFIGURE", "CPRNG_", "MAKE", "MFLAGS"))}
    return {**kept, **more}


def tree(directory):
    """The files below a directory."""
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()}


def directories(directory):
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_dir()}


def log(build):
    """The time at which each file was compiled or linked, without ninja's records of the configuration."""
    rows = (line.split("\t") for line in (build / ".ninja_log").read_text().splitlines() if not line.startswith("#"))
    return {row[3]: row for row in rows if re.search(r"(\.o|\.a|\.so[.\d]*|^cprng)$", row[3])}


def write_project(directory):
    (directory / "include/cprng").mkdir(parents=True)
    (directory / "include/cprng/cprng.h").touch()
    (directory / "small.c").write_text("int main(void)\n{\n\treturn 0;\n}\n")
    (directory / "CMakeLists.txt").write_text(PROJECT)
    shutil.copytree(ROOT / "tools", directory / "tools")
    for name in ("Makefile", "CMakePresets.json"):
        shutil.copy(ROOT / name, directory)
    return directory


def make_small(checkout, *arguments, status=0, user=None):
    """An environment without another compiler or a compiler cache, which other users cannot access."""
    command = [] if user is None else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return run(*command, "make", "-C", checkout, "--no-print-directory", "SETUP=no", *arguments, status=status,
               env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A project compiled in a directory whose name contains a blank."""
    return write_project(tmp_path_factory.mktemp("small") / "a project")


def test_what_make_says(small, tmp_path):
    """Catches lines of ninja and CMake in the output of `make`, a compilation without any line, a failure without these lines,
    and an installation that does not print what was left out and shell commands to remove and to use it."""
    said = make_small(small).splitlines()
    assert said[-1] == "without a part: its package is missing" and "step 4 of 4" in said
    assert all(re.fullmatch(r"step \d of 4", line) for line in said[:-1])
    said = make_small(small, "install", f"PREFIX={tmp_path}/a prefix")
    for words in ("without a part", f"uninstall PREFIX='{tmp_path}/a prefix' removes", f"PATH='{tmp_path}/a prefix/lib/pkgconfig'; "):
        assert words in said
    failed = subprocess.run([ROOT / "tools/quietly", "sh", "-c", "echo a; echo b >&2; exit 7"], capture_output=True, text=True,
                            check=False, env=environment(TMPDIR=str(tmp_path)))  # fmt: skip
    assert (failed.returncode, failed.stdout, failed.stderr) == (7, "a\nb\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["a prefix"]


def test_progress(tmp_path):
    """Catches a long build without progress lines, or with a line for each step, and a log that is lost or printed as a whole."""
    script = "for i in $(seq 400); do echo \"[$i/400] x [1/2]\"; done; echo '   dh_auto_test'; echo other; exit $0"
    lines = [f"step {i} of 400" for i in (1, *range(40, 401, 40))] + ["   dh_auto_test"]
    command = [ROOT / "tools/quietly", "--progress", "--log", tmp_path / "log", "sh", "-c", script]
    assert run(*command, "0").splitlines() == lines
    failed = subprocess.run([*command, "5"], capture_output=True, text=True, check=False)
    log = (tmp_path / "log").read_text().splitlines()
    assert len(log) == 402 and failed.returncode == 5 and failed.stdout.splitlines() == lines + log[-60:]
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@pytest.mark.parametrize("prefix, hint", [("/usr", False), ("/usr/local", False), ("/opt/here", True), ("/", True)])
def test_hint(small, tmp_path, prefix, hint):
    """Catches an unnecessary hint on pkg-config's path, for example in a staged package, and a missing hint."""
    if hint is False and not os.path.exists("/etc/debian_version"):
        pytest.skip("which directories are searched depends on the distribution")
    assert ("PKG_CONFIG_PATH=" in make_small(small, "install", f"PREFIX={prefix}", f"DESTDIR={tmp_path}")) == hint


def test_checkout_that_is_read_only():
    """Catches a message of CMake with a wrong cause when the checkout is not writable."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root can write, and no setpriv")
    user = OTHER_USER if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        os.chmod(directory, 0o755)
        checkout = write_project(pathlib.Path(directory) / "checkout")
        checkout.chmod(0o555)
        said = make_small(checkout, user=user, status=2)
        assert said.count("\n") == 2 and "build/user is not writable: make build USER_BUILD=DIRECTORY" in said, said
        said = make_small(checkout, "test", user=user, status=2)
        assert said.count("\n") == 2 and "build is not writable, which make test needs" in said and "USER_BUILD=DIRECTORY" in said, said
        (pathlib.Path(directory) / "elsewhere").mkdir(mode=0o777)
        os.chmod(f"{directory}/elsewhere", 0o777)
        make_small(checkout, f"USER_BUILD={directory}/elsewhere/build", user=user)
        assert (pathlib.Path(directory) / "elsewhere/build/libsmall.a").exists()
        checkout.chmod(0o755)


def test_site_without_programs(tmp_path):
    """Catches a traceback if the tools that make the pages are not installed."""
    said = run(ROOT / "tools/site", status=1, env={"PATH": str(tmp_path)})
    assert said.count("\n") == 1 and "mandoc" in said and "make site SETUP=yes" in said


@pytest.mark.parametrize("staged", [False, True])
def test_uninstall(small, tmp_path, staged):
    """Catches an uninstallation that leaves a file or directory, removes one that existed before, or needs the build, and a file
    that is overwritten in place although a running program may have mapped it."""
    (tmp_path / "new/share/man").mkdir(parents=True)
    (tmp_path / "new/share/man/other").touch()
    before = tree(tmp_path), directories(tmp_path)
    top, destdir = ("", tmp_path) if staged else (tmp_path, "")
    arguments = (f"PREFIX={top}/new/one/prefix/", f"LIBDIR={top}/libs/here", f"DESTDIR={destdir}")
    make_small(small, "install", *arguments[::2], "LIBDIR=lib64")
    with (tmp_path / "new/one/prefix/include/cprng/cprng.h").open() as header:
        make_small(small, "install", *arguments)
        assert os.fstat(header.fileno()).st_nlink == 0
    listed = small / f"build/user/installed{tmp_path}/new/one/prefix" if staged else tmp_path / "new/one/prefix/share/cprng"
    listed = {line.removeprefix(f"{top}/") for line in (listed / "installed-files").read_text().splitlines()}
    files = tree(tmp_path) - before[0] - {"new/one/prefix/share/cprng/installed-files"}
    assert {"new/one/prefix/lib64/libsmall.a", "libs/here/libsmall.a"} <= files
    assert listed == files | {f"{made}/" for made in directories(tmp_path) - before[1]}
    if not staged:
        shutil.rmtree(small / "build/user")
    make_small(small, "uninstall", *arguments)
    assert (tree(tmp_path), directories(tmp_path)) == before
    assert "cprng is not installed" in make_small(small, "uninstall", *arguments, status=2)


@pytest.mark.parametrize("line", ["{}/other", "{}/prefix/../other", "{}/nothing/"])
def test_list_of_another_user(small, tmp_path, line):
    """Catches an uninstallation by root that removes files named by another user's list."""
    (tmp_path / "nothing").mkdir()
    (tmp_path / "other").touch()
    (tmp_path / "prefix/share/cprng").mkdir(parents=True)
    line = line.format(tmp_path)
    (tmp_path / "prefix/share/cprng/installed-files").write_text(f"{tmp_path}/prefix/share/\n{line}\n")
    before = tree(tmp_path), directories(tmp_path)
    assert f"names {line}" in make_small(small, "uninstall", f"PREFIX={tmp_path}/prefix", status=2)
    assert (tree(tmp_path), directories(tmp_path)) == before


@pytest.mark.parametrize("arguments", [
    "PREFIX={}/share/cprng", "PREFIX={}/share/cprng/", "PREFIX={}/share/cprng/include", "PREFIX={}/share/cprng/new/one",
    "PREFIX={}/link", "PREFIX={}/link/new", "PREFIX={}", "PREFIX={}/other", "PREFIX={}/new LIBDIR={}/share/cprng/lib",
    "PREFIX=/ DESTDIR={}/share/cprng"])  # fmt: skip
@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_source_tree_is_no_prefix(tmp_path, arguments, action):
    """Catches a prefix that is the checkout, lies in it, leads into it by a link, or has the checkout at the path of an installed
    file: uninstalling would remove the sources' headers."""
    checkout = write_project(tmp_path / "share/cprng")
    (tmp_path / "link").symlink_to(checkout)
    (tmp_path / "other/include").mkdir(parents=True)
    (tmp_path / "other/include/cprng").symlink_to(checkout / "include/cprng")
    before = tree(tmp_path), directories(tmp_path)
    message = make_small(checkout, action, *arguments.replace("{}", str(tmp_path)).split(), status=2)
    assert "in the source tree" in message and "$HOME/.local" in message
    assert (tree(tmp_path), directories(tmp_path)) == before


def test_destdir_in_the_source_tree(small):
    """Catches a package that cannot be staged in the checkout."""
    make_small(small, "install", "DESTDIR=stage", "PREFIX=/usr")
    assert (small / "stage/usr/include/cprng/cprng.h").exists()
    make_small(small, "uninstall", "DESTDIR=stage", "PREFIX=/usr")
    assert tree(small / "stage") == set()


@pytest.mark.parametrize("arguments, message", [
    ("COMMAND=perhaps", "neither yes nor no"), ("STRIP=1", "neither yes nor no"), ("PREFIX=here", "is not absolute"),
    ("PREFIX={}/../here", "must have no"), ("PREFIX={} CONFIGURE=-DCMAKE_C_FLAGS=-nonsense", ""),
    ("PREFIX={} CONFIGURE=-DABSENT=/absent", ""), ("PREFIX={} CONFIGURE=-DCMAKE_STRIP=/bin/false", ""),
    ("PREFIX={} DEBUG_FILES=yes STRIP=no CONFIGURE=-DCMAKE_OBJCOPY=/bin/false", ""),
])  # fmt: skip
def test_nothing_is_installed_when_a_step_fails(small, tmp_path, arguments, message):
    """Catches a misspelt choice that is read as its opposite, and a failed step that the shell ignores."""
    build = tmp_path / "build"
    arguments = [argument.format(tmp_path / "prefix") for argument in arguments.split()]
    if not message:
        make_small(small, f"USER_BUILD={build}")
    assert message in make_small(small, "install", *arguments, f"USER_BUILD={build}", status=2)
    assert not (tmp_path / "prefix").exists() and not (message and build.exists())


def test_run_in_the_directory_of_the_tests(tmp_path):
    """Catches a destination of `make run` in what the tests install, and a tour that measures a sanitizer's library."""
    small = write_project(tmp_path / "a project")
    make_small(small, "run", "PREFIX=/elsewhere", "LIBDIR=/elsewhere")
    assert (small / "build/cprng-tour").exists() and "/elsewhere" not in (small / "build/CMakeCache.txt").read_text()
    assert not (small / "build/user").exists()
    run("cmake", "--preset", "default", "-DCPRNG_SANITIZE=address", cwd=small)
    make_small(small, "run")
    assert (small / "build/user/cprng-tour").exists()


def test_root_and_the_owner(tmp_path):
    """Catches a `sudo make install` that compiles again what the owner has compiled, forgets COMMAND=no, remembers LIBDIR, or
    leaves root's files in the checkout, and an installation by the owner that compiles before it fails."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can be another user")
    tmp_path.chmod(0o755)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        checkout = write_project(pathlib.Path(directory) / "checkout")
        run("chown", "-R", f"{OTHER_USER}:{OTHER_USER}", directory)
        message = make_small(checkout, "install", f"PREFIX={tmp_path}/new", user=OTHER_USER, status=2)
        assert "is not writable" in message and "sudo make install" in message and not (checkout / "build").exists()
        make_small(checkout, "install", f"DESTDIR={tmp_path}", "COMMAND=no", "LIBDIR=lib64")
        assert "usr/local/lib64/libsmall.a" in tree(tmp_path)
        compiled = log(checkout / "build/user")
        make_small(checkout, user=OTHER_USER)
        # A prefix that contains the checkout, as /usr/local contains /usr/local/src.
        make_small(checkout, "install", f"PREFIX={directory}")
        assert log(checkout / "build/user") == compiled != {}
        assert LIBRARY_ALONE <= tree(pathlib.Path(directory)) and not pathlib.Path(directory, "bin").exists()
        assert pathlib.Path(directory, "lib/libsmall.a").stat().st_uid == 0
        make_small(checkout, "uninstall", f"PREFIX={directory}")
        assert os.listdir(directory) == ["checkout"]
        assert [path for path in checkout.rglob("*") if path.lstat().st_uid == 0] == []


def test_lab_prints_no_tables(tmp_path):
    """Catches a `make lab` that prints the tables of its report, or that loses them."""
    (tmp_path / "cmake").write_text("#!/bin/sh\nfor i in $(seq 100); do echo $i; done\n")
    (tmp_path / "cprng-lab").write_text("#!/bin/sh\n[ $1 = report ] || seq -s ' ' 200\necho \"$*\" >>\"${0%/*}/calls\"\n")
    for name in ("cmake", "cprng-lab"):
        (tmp_path / name).chmod(0o755)
    printed = run("make", "-C", ROOT, "--no-print-directory", "SETUP=no", f"BUILD={tmp_path}", "lab", "LAB_COMMANDS=all others",
                  "LAB_ARGS=--quick", env=environment(PATH=f"{tmp_path}:{os.environ['PATH']}"))  # fmt: skip
    assert len(printed.splitlines()) == 3 and max(map(len, printed.splitlines())) < 132 + len(str(tmp_path)), printed
    runs = [f"{tmp_path}/lab-{name}.json" for name in ("all", "others")]
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"all --json {runs[0]} --quick", f"others --json {runs[1]} --quick", f"report {' '.join(runs)} -o {tmp_path}/lab-report.html"]
    assert len((tmp_path / "lab-others.txt").read_text().split()) == 200


def test_page_installs_the_packages(tmp_path):
    """Catches a command on the page that misses a Debian package, or that installs packages with debug information."""
    packages = re.findall(r"^Package: (\S+)$", (ROOT / "packaging/debian/control").read_text(), re.MULTILINE)
    (tmp_path / "build/deb").mkdir(parents=True)
    for name in [*packages, *(f"{package}-dbgsym" for package in packages)]:
        (tmp_path / f"build/deb/{name}_0.1.0-1_amd64.deb").touch()
    line = re.search(r"^    sudo apt install (.*)$", (ROOT / "docs/installing.md").read_text(), re.MULTILINE)[1]
    shown = run("sh", "-c", f"printf '%s\\n' {line}", cwd=tmp_path).split()
    assert sorted(shown) == sorted(f"./build/deb/{name}_0.1.0-1_amd64.deb" for name in packages)


def test_kernel_headers(tmp_path):
    """Catches a module build without headers that starts or prints Kbuild's error, and a module for another kernel that is
    built in the running kernel's directory."""
    (tmp_path / "src").mkdir()
    shutil.copytree(ROOT / "kernel/linux", tmp_path / "kernel/linux")
    headers = tmp_path / "headers"
    command = ["make", "-C", tmp_path / "kernel/linux", "--no-print-directory", f"KERNEL={headers}"]
    for arguments in ([], ["BUILD=../here"], ["clean"]):
        printed = run(*command, *arguments, status=2, env=environment())
        assert printed.count("\n") == 1 and f"{headers} has no headers of a configured kernel" in printed
    assert {path.name for path in tmp_path.iterdir()} == {"src", "kernel"}

    (headers / "include/config").mkdir(parents=True)
    (headers / "include/config/kernel.release").write_text("6.1.0-other\n")
    (headers / "Makefile").write_text("modules:\n\ttouch $(M)/cprng.ko\n")
    run(*command, env=environment())
    assert [path.name for path in (tmp_path / "build/kernel").iterdir()] == ["6.1.0-other"]
    assert (tmp_path / "build/kernel/6.1.0-other/cprng.ko").exists()
    run(*command, "clean", env=environment())
    assert not any((tmp_path / "build/kernel").iterdir())
