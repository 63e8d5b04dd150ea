# SPDX-License-Identifier: BSD-2-Clause
"""make, make install, make uninstall and their variables.

CPRNG_WORK  a directory for builds, which the next run uses again
CC          the compiler
"""

import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CC = shlex.split(os.environ.get("CC", "cc"))
OTHER_USER = 65534
HEADER = (ROOT / "include/cprng/cprng.h").read_text()
VERSION = ".".join(re.findall(r"^#define CPRNG_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))


def run(*command, status=0, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL, timeout=1200, **options)  # fmt: skip
    assert result.returncode == status, (command, result.stdout, result.stderr)
    return result.stdout if status == 0 else result.stderr


# For builds that are installed, but whose code is not looked at: half the time of compilation.
FAST = "CONFIGURE=-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1"


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


def directories(directory):
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_dir()}


def sections(file):
    return set(re.findall(r"^ +\[ *\d+\] (\S+)", run("readelf", "-SW", file), re.MULTILINE))


def log(build):
    """The time of each file's compilation or linking, without ninja's records of the configuration."""
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
def compiled(work):
    """A build of the library alone, without a C++ compiler: any use of one fails the configuration; and make's output.  The
    directory's name contains a blank."""
    directory = work / "the library"
    shutil.rmtree(directory, ignore_errors=True)
    return directory, make("COMMAND=no", FAST, build=directory, CXX="false", CMAKE_CXX_COMPILER="false")


@pytest.fixture(scope="module")
def library(compiled):
    return compiled[0]


def test_compilation_prints_nothing_that_succeeds(compiled, tmp_path):
    """Catches lines of ninja and CMake among what `make` says, and a failure without them."""
    assert all(line.startswith("without ") for line in compiled[1].splitlines()), compiled[1]
    quietly = ROOT / "tools/quietly"
    assert run(quietly, "--progress", "sh", "-c", "echo a; echo b >&2") == ""
    failed = subprocess.run([quietly, "sh", "-c", "echo a; echo b >&2; exit 7"], capture_output=True, text=True, check=False,
                            env=environment(TMPDIR=str(tmp_path)))  # fmt: skip
    assert (failed.returncode, failed.stdout, failed.stderr) == (7, "a\nb\n", "")
    assert not any(tmp_path.iterdir())


def test_lab_prints_no_tables(tmp_path):
    """Catches `make lab` that prints the tables of its report, or loses them."""
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


def test_user_build_has_no_tests_and_no_lab(build):
    """Catches a user's build that compiles the tests, or needs their packages."""
    targets = run("ninja", "-C", build, "-t", "targets", "all")
    assert "cprng_command" in targets
    assert not re.search(r"^(tests|lab)/", targets, re.MULTILINE)


def test_package_lists_what_the_library_exports(library):
    """Catches an added function that is missing in the Debian package's list of symbols."""
    listed = re.findall(r"^ (\S+) \S+$", (ROOT / "packaging/debian/libcprng0.symbols").read_text(), re.MULTILINE)
    exported = re.findall(r"^\S+ [^A] (\S+)$", run("nm", "-D", "--defined-only", library / "libcprng.so"), re.MULTILINE)
    assert sorted(name for name in listed if "@CPRNG" in name and not name.startswith("CPRNG")) == sorted(
        name.replace("@@", "@") for name in exported)  # fmt: skip


def test_page_installs_the_packages(tmp_path):
    """Catches a line of the page that leaves out a Debian package, or installs those with debug information."""
    packages = re.findall(r"^Package: (\S+)$", (ROOT / "packaging/debian/control").read_text(), re.MULTILINE)
    (tmp_path / "build/deb").mkdir(parents=True)
    for name in [*packages, *(f"{package}-dbgsym" for package in packages)]:
        (tmp_path / f"build/deb/{name}_0.1.0-1_amd64.deb").touch()
    line = re.search(r"^    sudo apt install (.*)$", (ROOT / "docs/start/installing.md").read_text(), re.MULTILINE)[1]
    shown = run("sh", "-c", f"printf '%s\\n' {line}", cwd=tmp_path).split()
    assert sorted(shown) == sorted(f"./build/deb/{name}_0.1.0-1_amd64.deb" for name in packages)


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
    assert {"share/doc/cprng/LICENSE", "share/doc/cprng/CC-BY-3.0-US.txt"} <= files
    headers = {package for package in ("libcli11-dev", "libfmt-dev", "nlohmann-json3-dev")
               if pathlib.Path(f"/usr/share/doc/{package}/copyright").exists()}  # fmt: skip
    assert {f"share/doc/cprng/{package}.txt" for package in headers} <= files
    for package, word in (("libcli11-dev", "Schreiner"), ("libfmt-dev", "Zverovich"), ("nlohmann-json3-dev", "Lohmann")):
        assert package not in headers or word in (tmp_path / f"opt/cprng/share/doc/cprng/{package}.txt").read_text()
    assert "Electronic Frontier Foundation" in (tmp_path / "opt/cprng/share/doc/cprng/NOTICE").read_text()
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


# What an object must have for what it is linked into to have it.
BRANCH_PROTECTION = {"x86_64": {"IBT", "SHSTK"}, "aarch64": {"BTI", "PAC"}}.get(platform.machine(), set())


def features(file):
    """Of the file, or of each member of an archive: the property of branches in its notes."""
    notes = run("readelf", "-n", file)
    parts = re.split(r"^File: .*\n", notes, flags=re.MULTILINE)
    parts = parts[1:] if file.suffix == ".a" else parts
    found = (re.search(r"(?:x86|AArch64) feature: (.*)", part) for part in parts)
    return [set(match[1].split(", ")) if match else set() for match in found]


def undefined(file):
    """Of each member of an archive: the names that it defines and the names that it needs."""
    for block in run("nm", file).split("\n\n"):
        rows = [line.split()[-2:] for line in block.splitlines() if " " in line]
        yield {name for kind, name in rows if kind != "U"}, {name for kind, name in rows if kind == "U"}


def test_hardening(build, tmp_path):
    """Catches an object or a binary that is installed without protection of branches, of relocations, or of the stack."""
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=build)
    prefix = tmp_path / "opt/cprng"
    archive = prefix / "lib/libcprng.a"
    members = features(archive)
    assert len(members) == len(run("ar", "t", archive).splitlines()) > 50
    assert all(member >= BRANCH_PROTECTION for member in members)
    # What the binaries are linked from: in them the property is only if the C library's startup code has it, too.
    objects = re.findall(r" -o (\S+\.o) ", (build / "compile_commands.json").read_text())
    assert len(objects) > len(members)
    assert [name for name in objects if not features(build / name)[0] >= BRANCH_PROTECTION] == []
    empty = tmp_path / "empty.so"
    (tmp_path / "empty.c").touch()
    run(*CC, "-fPIC", "-shared", *(["-fcf-protection=full"] if "IBT" in BRANCH_PROTECTION else []),
        *(["-mbranch-protection=standard"] if "BTI" in BRANCH_PROTECTION else []), tmp_path / "empty.c", "-o", empty)  # fmt: skip

    for binary in ("bin/cprng", f"lib/libcprng.so.{VERSION}", "lib/libcprng-preload.so", "lib/libcprng-preload-devices.so",
                   "lib/ossl-modules/cprng.so"):  # fmt: skip
        assert features(prefix / binary)[0] >= features(empty)[0], binary
        dynamic = run("readelf", "-dlW", prefix / binary)
        assert "BIND_NOW" in dynamic and "GNU_RELRO" in dynamic, binary
        assert "TEXTREL" not in dynamic and not re.search(r"GNU_STACK.*RWE", dynamic), binary

    # The stack protector: in what writes files and reads what others wrote, and not in draws.
    guarded = {name for defined, needed in undefined(archive) if "__stack_chk_fail" in needed for name in defined}
    assert {"cprng_seed_file", "cprng_os_find_file", "cprng_fortuna_core_seed"} <= guarded
    assert not guarded & {"cprng_fast", "cprng_fast64", "cprng_draw_slow_1", "cprng_draw_bytes", "cprng_fill_u64", "cprng_shuffle",
                          "cprng_stream_slow_1", "cprng_family_chacha", "cprng_family_aesctr"}  # fmt: skip
    needed = set(re.findall(r" U (\S+?)(?:@|$)", run("nm", "-D", prefix / "bin/cprng"), re.MULTILINE))
    assert "__stack_chk_fail" in needed
    if "gnu" in run(*CC, "-dumpmachine"):
        assert {name for name in needed if re.fullmatch(r"__\w+_chk", name)}, "nothing is fortified"


def test_fortification_of_a_distribution(tmp_path):
    """Catches a _FORTIFY_SOURCE of ours in place of the one that CFLAGS have, and one where nothing is optimised."""
    def commands(*options):
        run("cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DCPRNG_TESTS=OFF", "-DCPRNG_COMMAND=OFF", "-DCPRNG_DROPINS=OFF",
            *options)  # fmt: skip
        return (tmp_path / "compile_commands.json").read_text()

    levels = r"[DU]_FORTIFY_SOURCE(?:=\d)?"
    assert set(re.findall(levels, commands())) in ({"D_FORTIFY_SOURCE=3"}, {"D_FORTIFY_SOURCE=2"})
    assert set(re.findall(levels, commands("-DCMAKE_C_FLAGS=-D_FORTIFY_SOURCE=1"))) == {"D_FORTIFY_SOURCE=1"}
    assert set(re.findall(levels, commands("-DCMAKE_C_FLAGS=", "-DCMAKE_BUILD_TYPE=Debug"))) == set()


def test_uninstall_removes_the_directories_that_were_made(build, tmp_path):
    """Catches an uninstallation that leaves a file or directory, or removes a previously existing one."""
    (tmp_path / "usr/local/share/man").mkdir(parents=True)
    before = directories(tmp_path)
    make("install", f"DESTDIR={tmp_path}", build=build)
    make("install", f"DESTDIR={tmp_path}", build=build)  # finds its directories there
    assert "usr/local/share/man/man3" in directories(tmp_path)
    make("uninstall", f"DESTDIR={tmp_path}", build=build)
    assert tree(tmp_path) == set()
    assert directories(tmp_path) == before


def test_uninstall_goes_by_the_list_of_what_was_installed(build, tmp_path):
    """Catches an uninstallation that compiles, misses files of an earlier installation, or needs the build directory.
    """
    prefix = tmp_path / "prefix"
    make("install", f"PREFIX={prefix}", "LIBDIR=lib64", build=build)
    make("install", f"PREFIX={prefix}", build=build)
    listed = (prefix / "share/cprng/installed-files").read_text().splitlines()
    assert {f"{prefix}/{file}" for file in tree(prefix)} == {line for line in listed if line[-1] != "/"}
    assert {f"{prefix}/{made}/" for made in directories(prefix)} <= set(listed)
    make("uninstall", f"PREFIX={prefix}/", build=tmp_path / "absent")
    assert [*tmp_path.iterdir()] == []
    # Root must not remove files elsewhere that another user's list names.
    other = tmp_path / "other"
    other.write_text("stays")
    (prefix / "share/cprng").mkdir(parents=True)
    for line in (other, f"{prefix}/../other", f"{tmp_path}/nothing/"):
        (prefix / "share/cprng/installed-files").write_text(f"{prefix}/share/\n{line}\n")
        assert str(line) in make("uninstall", f"PREFIX={prefix}", build=build, status=2)
        assert other.exists() and (prefix / "share").exists()


def small_copy(directory):
    """The files installed unchanged, and the scripts; no sources."""
    for name in ("Makefile", "tools", "include", "docs"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, directory / name)
    return directory


@pytest.mark.parametrize("prefix", ["", "/", "/include", "/new/one", "/docs/../docs", "link", "link/new"])
@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_source_tree_is_no_prefix(tmp_path, prefix, action):
    """Catches a prefix in the checkout: uninstalling from it removed the sources' headers."""
    (tmp_path / "checkout").mkdir()
    copy = small_copy(tmp_path / "checkout")
    before = tree(copy)
    (tmp_path / "link").symlink_to("checkout")
    prefix = f"{copy}{prefix}" if prefix.startswith("/") or not prefix else f"{tmp_path}/{prefix}"
    message = run("make", "-C", copy, "SETUP=no", action, f"PREFIX={prefix}", status=2, env=environment())
    assert "must have no" in message if ".." in prefix else "source tree" in message and "$HOME/.local" in message
    assert tree(copy) == before and not (copy / "build").exists()


def test_source_tree_in_a_directory_of_what_is_installed(tmp_path):
    """Catches an installation over the sources, through a prefix that contains them in share/cprng, or through a link
    to them."""
    (tmp_path / "share/cprng").mkdir(parents=True)
    copy = small_copy(tmp_path / "share/cprng")
    message = run("make", "-C", copy, "SETUP=no", "install", f"PREFIX={tmp_path}", status=2, env=environment())
    assert "source tree" in message
    (tmp_path / "other/include").mkdir(parents=True)
    (tmp_path / "other/include/cprng").symlink_to(copy / "include/cprng")
    message = run("make", "-C", copy, "SETUP=no", "install", f"PREFIX={tmp_path}/other", status=2, env=environment())
    assert "source tree" in message and not (copy / "build").exists()


def test_part_that_is_left_out(library, tmp_path):
    """Catches OpenSSL's module that is silently missing, or permanently so once its headers were missing."""
    headers = pathlib.Path("/usr/include/openssl")
    private = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if not headers.exists() or subprocess.run([*private, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("no headers of OpenSSL, or they cannot be hidden")
    (library / "CMakeCache.txt").unlink()  # as new, with the objects that are there
    (tmp_path / "empty").mkdir()
    arguments = ["make", "-C", ROOT, "--no-print-directory", "SETUP=no", "JOBS=2", f"USER_BUILD={library}", "COMMAND=no",
                 f"PREFIX={tmp_path}/prefix", "install"]  # fmt: skip
    hidden = f"mount --bind {tmp_path}/empty {headers} && exec " + shlex.join(map(str, arguments))
    assert "without OpenSSL's module: libssl-dev is missing\n" in run(*private, "sh", "-c", hidden, env=environment(CXX="false"))
    assert "lib/ossl-modules/cprng.so" not in tree(tmp_path / "prefix")
    assert "without" not in run(*arguments, env=environment(CXX="false"))
    assert "lib/ossl-modules/cprng.so" in tree(tmp_path / "prefix")


def test_destdir_in_the_source_tree(build):
    """Catches a package that cannot be staged in the checkout, or that replaces a file of the checkout."""
    stage = ROOT / "build/tests-stage" if (ROOT / "build").is_dir() else None
    if stage is None:
        pytest.skip("no build directory in the source tree")
    shutil.rmtree(stage, ignore_errors=True)
    try:
        header = stage / "usr/include/cprng/cprng.h"
        header.parent.mkdir(parents=True)
        header.write_text("of the sources, say")
        shutil.rmtree(build / "installed", ignore_errors=True)
        arguments = (f"DESTDIR={stage.relative_to(ROOT)}", "PREFIX=/usr")
        assert "exists in the source tree" in make("install", *arguments, build=build, status=2)
        assert tree(stage) == {"usr/include/cprng/cprng.h"}
        header.unlink()
        make("install", *arguments, build=build)
        make("install", *arguments, build=build)  # in place of what this one installed
        assert header.read_text() == HEADER
        make("uninstall", *arguments, build=build)
        assert tree(stage) == set()
    finally:
        shutil.rmtree(stage, ignore_errors=True)


@pytest.mark.parametrize("libdir, written", [("lib64", "${prefix}/lib64"), ("/opt/libs", "/opt/libs")])
def test_libdir(build, tmp_path, libdir, written):
    """Catches a LIBDIR that some files ignore, or that is remembered."""
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", f"LIBDIR={libdir}", build=build)
    directory = tmp_path / (tmp_path / "opt/cprng" / libdir).relative_to(tmp_path if libdir[0] != "/" else "/")
    assert {f"libcprng.so.{VERSION}", "libcprng.a", "pkgconfig/cprng.pc"} <= tree(directory)
    assert f"libdir={written}\n" in (directory / "pkgconfig/cprng.pc").read_text()
    # systemd units are no libraries.
    assert not [file for file in tree(tmp_path / "opt/cprng/lib") if not file.startswith("systemd/")]
    # It is not remembered.
    make("install", f"DESTDIR={tmp_path}/again", "PREFIX=/opt/cprng", build=build)
    assert (tmp_path / "again/opt/cprng/lib/libcprng.a").exists()


def test_prefix_usr_has_the_directory_of_the_architecture(build, tmp_path):
    """Catches libraries in directories that the linker or pkg-config does not search."""
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
    # A library's debug link leads to the name and the source.
    shared = tmp_path / f"split/usr/local/lib/libcprng.so.{VERSION}"
    address = next(line.split()[0] for line in run("nm", "-D", shared).splitlines() if " cprng_fast@@" in line)
    assert re.search(r"^cprng_fast\n.*draws?\.c:\d+", run("addr2line", "-f", "-e", shared, address))
    make("uninstall", f"DESTDIR={tmp_path}/split", build=build)
    assert tree(tmp_path / "split") == set()


def test_library_alone_needs_no_cxx(library, tmp_path):
    """Catches a C build that requires a C++ compiler."""
    assert "CMAKE_CXX_COMPILER:FILEPATH" not in (library / "CMakeCache.txt").read_text()
    # COMMAND=no is remembered: sudo make install has no C++ compiler either.
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/cprng", build=library, CXX="false")
    files = tree(tmp_path / "opt/cprng")
    assert {"include/cprng/cprng.h", "lib/libcprng.a", "share/man/man3/cprng.3", "share/man/man7/cprng.7"} <= files
    assert not [file for file in files if file.startswith(("bin/", "share/man/man1"))]
    program = tmp_path / "program"
    run(*CC, "-O2", ROOT / "tests/system/install/draws.c", f"-I{tmp_path}/opt/cprng/include", "-o", program,
        tmp_path / "opt/cprng/lib/libcprng.a")  # fmt: skip
    run(program)


def test_nothing_is_installed_when_a_step_before_fails(library, tmp_path):
    """Catches a failed step that the shell ignores, so that the installation would be incomplete."""
    try:
        make("install", "COMMAND=no", "DEBUG_FILES=yes", f"PREFIX={tmp_path}/prefix",
             "CONFIGURE=-DCMAKE_OBJCOPY=/bin/false", build=library, status=2, CXX="false")  # fmt: skip
        assert not tree(tmp_path)
    finally:
        make("COMMAND=no", "CONFIGURE=-UCMAKE_OBJCOPY", build=library, CXX="false")


def test_subdirectory_of_a_project_in_c(work, tmp_path):
    """Catches a C project that needs C++ because the library is its subdirectory."""
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.22)\nproject(user LANGUAGES C)\nadd_subdirectory({ROOT} cprng)\n"
        f"add_executable(user {ROOT}/tests/system/install/draws.c)\ntarget_link_libraries(user PRIVATE cprng::static)\n"
    )
    shutil.rmtree(work / "subdirectory", ignore_errors=True)  # of another project's directory
    run("cmake", "-G", "Ninja", FAST.removeprefix("CONFIGURE="), "-S", tmp_path, "-B", work / "subdirectory", env=environment(CXX="false"))
    run("cmake", "--build", work / "subdirectory", "-j", "2", "-t", "user")
    run(work / "subdirectory/user")


@pytest.mark.parametrize("choice, message", [
    ("COMMAND=perhaps", "neither yes nor no"),
    ("STRIP=1", "neither yes nor no"),
    ("PREFIX=here", "is not absolute"),
])  # fmt: skip
def test_nonsense_is_refused(work, choice, message):
    """Catches a misspelt choice that is interpreted as its opposite."""
    assert message in make("install", choice, build=work / "nonsense", status=2)
    assert not (work / "nonsense").exists()


@pytest.fixture(scope="module")
def checkout():
    """A copy of the tree, owned by a user other than root."""
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
    """Catches sudo make install that compiles, forgets COMMAND=no, or leaves root's files in the checkout."""
    as_user(checkout, "COMMAND=no", FAST)
    before = log(checkout / "build/user")
    assert len(before) > 20
    # Without COMMAND=no, and elsewhere.
    as_user(checkout, "install", f"DESTDIR={tmp_path}", "PREFIX=/usr", user=0)
    as_user(checkout, "uninstall", f"DESTDIR={tmp_path}", "PREFIX=/usr", user=0)
    as_user(checkout, "install", f"DESTDIR={tmp_path}", user=0)
    assert log(checkout / "build/user") == before
    assert (tmp_path / "usr/local/lib/libcprng.a").stat().st_uid == 0
    # A prefix that contains the checkout, as /usr/local contains its src.
    shutil.rmtree(checkout / "build/user/stage")
    files = tree(checkout)
    as_user(checkout, "install", f"PREFIX={checkout.parent}", user=0)
    as_user(checkout, "uninstall", f"PREFIX={checkout.parent}", user=0)
    assert [*checkout.parent.iterdir()] == [checkout]
    assert of_root(checkout) == [] and files <= tree(checkout)


def test_root_installs_what_nobody_built(checkout, tmp_path):
    """Catches the same for sudo make install alone."""
    shutil.rmtree(checkout / "build", ignore_errors=True)
    as_user(checkout, "install", f"DESTDIR={tmp_path}", "COMMAND=no", FAST, user=0)
    assert of_root(checkout) == []
    assert (tmp_path / "usr/local/lib/libcprng.a").exists()


def test_prefix_that_is_not_writable(checkout, tmp_path):
    """Catches a compilation that cannot be installed, and a message without advice."""
    shutil.rmtree(checkout / "build", ignore_errors=True)
    message = as_user(checkout, "install", f"PREFIX={tmp_path}/new", status=2)
    assert "is not writable" in message and "sudo make install" in message
    assert not (checkout / "build").exists()


def test_kernel_headers(tmp_path):
    """Catches a module's build without headers that begins or shows Kbuild's error, and one for another kernel in the running
    kernel's directory."""
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
