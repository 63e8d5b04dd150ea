# SPDX-License-Identifier: BSD-2-Clause
"""The files that make install installs, from a build that all tests share.

CPRNG_WORK            a directory for builds, which the next run uses again
CPRNG_SHARED_LIBRARY  libcprng.so
CC                    the compiler
"""

import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess

import pytest

from test_make import ROOT, environment, log, run, tree

CC = shlex.split(os.environ.get("CC", "cc"))
HEADER = (ROOT / "include/cprng/cprng.h").read_text()
VERSION = ".".join(re.findall(r"^#define CPRNG_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))
BINARIES = ("bin/cprng", f"lib/libcprng.so.{VERSION}", "lib/libcprng-preload.so", "lib/libcprng-preload-devices.so",
            "lib/ossl-modules/cprng.so")  # fmt: skip


def make(*arguments, at=ROOT, status=0, env=None):
    """Runs a command as the user who runs the tests."""
    return run("make", "-C", at, "--no-print-directory", "SETUP=no", "JOBS=2", *arguments, status=status, env=env or environment())


def sections(file):
    return set(re.findall(r"^ +\[ *\d+\] (\S+)", run("readelf", "-SW", file), re.MULTILINE))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    directory = os.environ.get("CPRNG_WORK")
    return pathlib.Path(directory) if directory else tmp_path_factory.mktemp("install")


@pytest.fixture(scope="module")
def build(work):
    printed = make(f"USER_BUILD={work}/user")
    assert all(re.match(r"without |step \d+ of \d+$", line) for line in printed.splitlines()), printed
    assert not re.search(r"^(tests|lab)/", run("ninja", "-C", work / "user", "-t", "targets", "all"), re.MULTILINE)
    return work / "user"


@pytest.fixture(scope="module")
def installed(build, tmp_path_factory):
    """The prefix of an installation in a separate directory."""
    stage = tmp_path_factory.mktemp("installed")
    before = log(build)
    shown = make("install", f"DESTDIR={stage}", "PREFIX=/opt/cprng", f"USER_BUILD={build}")
    assert log(build) == before, "installing compiled something"
    assert f"installed {len(tree(stage / 'opt/cprng'))} files in {stage}/opt/cprng" in shown
    return stage / "opt/cprng"


def test_installed_files(installed):
    """Catches a file that is missing, not stripped, or without required content, and a build or an installation that prints or
    compiles too much."""
    files = tree(installed)
    assert {"include/cprng/cprng.hpp", "include/cprng/adapters/sodium.h", "share/man/man1/cprng.1", "share/man/man3/cprng_fast.3",
            "lib/libcprng.so.0", "lib/libcprng.so", "lib/libcprng.a", "lib/cmake/cprng/cprng-config.cmake",
            "lib/pkgconfig/cprng.pc", "share/cprng/openssl-cprng.cnf", "share/doc/cprng/LICENSE",
            "share/doc/cprng/CC-BY-3.0-US.txt", *BINARIES} <= files  # fmt: skip
    for package, word in (("libfmt-dev", "Zverovich"), ("nlohmann-json3-dev", "Lohmann")):
        if pathlib.Path(f"/usr/share/doc/{package}/copyright").exists():
            assert word in (installed / f"share/doc/cprng/{package}.txt").read_text()
    assert "Electronic Frontier Foundation" in (installed / "share/doc/cprng/NOTICE").read_text()
    assert VERSION in run(installed / "bin/cprng", "--version")
    pc = (installed / "lib/pkgconfig/cprng.pc").read_text()
    assert "prefix=/opt/cprng\n" in pc
    assert re.search(r"^URL: https://\S+$", pc, re.MULTILINE)
    for binary in BINARIES:
        assert not sections(installed / binary) & {".symtab", ".debug_info"}
    assert ".debug_info" not in sections(installed / "lib/libcprng.a")
    assert os.stat(installed / "bin/cprng").st_size < 2 << 20


# A property that a binary has only if all objects linked into it have it.
BRANCH_PROTECTION = {"x86_64": {"IBT", "SHSTK"}, "aarch64": {"BTI", "PAC"}}.get(platform.machine(), set())


def features(file):
    """The branch-protection property in the notes of a file, or of each member of an archive."""
    notes = run("readelf", "-n", file)
    parts = re.split(r"^File: .*\n", notes, flags=re.MULTILINE)
    parts = parts[1:] if file.suffix == ".a" else parts
    found = (re.search(r"(?:x86|AArch64) feature: (.*)", part) for part in parts)
    return [set(match[1].split(", ")) if match else set() for match in found]


def undefined(file):
    """For each member of an archive, the names that it defines and the names that it needs."""
    for block in run("nm", file).split("\n\n"):
        rows = [line.split()[-2:] for line in block.splitlines() if " " in line]
        yield {name for kind, name in rows if kind != "U"}, {name for kind, name in rows if kind == "U"}


def test_hardening(build, installed, tmp_path):
    """Catches an installed object or binary without protection of branches, of relocations, or of the stack."""
    archive = installed / "lib/libcprng.a"
    members = features(archive)
    assert len(members) == len(run("ar", "t", archive).splitlines()) > 50
    assert all(member >= BRANCH_PROTECTION for member in members)
    # Checks the objects: binaries have the property only if the C library's start-up code has it, too.
    objects = re.findall(r" -o (\S+\.o) ", (build / "compile_commands.json").read_text())
    assert len(objects) > len(members)
    assert [name for name in objects if not features(build / name)[0] >= BRANCH_PROTECTION] == []
    empty = tmp_path / "empty.so"
    (tmp_path / "empty.c").touch()
    run(*CC, "-fPIC", "-shared", *(["-fcf-protection=full"] if "IBT" in BRANCH_PROTECTION else []),
        *(["-mbranch-protection=standard"] if "BTI" in BRANCH_PROTECTION else []), tmp_path / "empty.c", "-o", empty)  # fmt: skip

    for binary in BINARIES:
        assert features(installed / binary)[0] >= features(empty)[0], binary
        dynamic = run("readelf", "-dlW", installed / binary)
        assert "BIND_NOW" in dynamic and "GNU_RELRO" in dynamic, binary
        assert "TEXTREL" not in dynamic and not re.search(r"GNU_STACK.*RWE", dynamic), binary

    # The stack protector must be in code that writes files or reads foreign input, and not in draws.
    guarded = {name for defined, needed in undefined(archive) if "__stack_chk_fail" in needed for name in defined}
    assert {"cprng_seed_file", "cprng_os_find_file", "cprng_fortuna_core_seed"} <= guarded
    assert not guarded & {"cprng_fast", "cprng_fast64", "cprng_draw_slow_1", "cprng_draw_bytes", "cprng_fill_u64", "cprng_shuffle",
                          "cprng_stream_slow_1", "cprng_family_chacha", "cprng_family_aesctr"}  # fmt: skip
    needed = set(re.findall(r" U (\S+?)(?:@|$)", run("nm", "-D", installed / "bin/cprng"), re.MULTILINE))
    assert "__stack_chk_fail" in needed
    if "gnu" in run(*CC, "-dumpmachine"):
        assert {name for name in needed if re.fullmatch(r"__\w+_chk", name)}, "nothing is fortified"


def test_fortification_of_a_distribution(tmp_path):
    """Catches a _FORTIFY_SOURCE that overrides the one in CFLAGS, and one in a build without optimisation."""
    def commands(*options):
        run("cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DCPRNG_TESTS=OFF", "-DCPRNG_COMMAND=OFF", "-DCPRNG_DROPINS=OFF",
            *options)  # fmt: skip
        return (tmp_path / "compile_commands.json").read_text()

    levels = r"[DU]_FORTIFY_SOURCE(?:=\d)?"
    assert set(re.findall(levels, commands())) in ({"D_FORTIFY_SOURCE=3"}, {"D_FORTIFY_SOURCE=2"})
    assert set(re.findall(levels, commands("-DCMAKE_C_FLAGS=-D_FORTIFY_SOURCE=1"))) == {"D_FORTIFY_SOURCE=1"}
    assert set(re.findall(levels, commands("-DCMAKE_C_FLAGS=", "-DCMAKE_BUILD_TYPE=Debug"))) == set()


MULTIARCH = run(*CC, "-print-multiarch").strip()


@pytest.mark.parametrize("prefix, libdir, directory, written", [
    ("/opt/cprng", "lib64", "/opt/cprng/lib64", "${prefix}/lib64"),
    ("/opt/cprng", "/opt/libs", "/opt/libs", "/opt/libs"),
    ("/opt/c prng", "lib64", "/opt/c prng/lib64", "${prefix}/lib64"),
    ("/usr", "", f"/usr/lib/{MULTIARCH}", f"${{prefix}}/lib/{MULTIARCH}"),
])  # fmt: skip
def test_directory_of_the_libraries(build, tmp_path, prefix, libdir, directory, written):
    """Catches a LIBDIR that some files ignore, libraries in /usr where the linker or pkg-config does not search, and flags that
    are split at a blank."""
    if prefix == "/usr" and not (MULTIARCH and pathlib.Path("/usr/lib", MULTIARCH).exists()):
        pytest.skip("no directory for each architecture on this system")
    make("install", f"DESTDIR={tmp_path}", f"PREFIX={prefix}", f"LIBDIR={libdir}", f"USER_BUILD={build}")
    place = tmp_path / directory[1:]
    assert {f"libcprng.so.{VERSION}", "libcprng.a", "pkgconfig/cprng.pc"} <= tree(place)
    assert f"libdir={written}\n" in (place / "pkgconfig/cprng.pc").read_text()
    if prefix != "/usr" and shutil.which("pkg-config"):
        flags = run("pkg-config", "--cflags", "--libs", "cprng", env=environment(PKG_CONFIG_PATH=str(place / "pkgconfig")))
        assert shlex.split(flags) == [f"-I{prefix}/include", f"-L{directory}", "-lcprng"]
    # systemd units are not libraries.
    others = {path.name for path in (tmp_path / prefix[1:] / "lib").iterdir()}
    assert others == {"systemd"} | ({MULTIARCH} if prefix == "/usr" else set())


def test_debug_information(build, tmp_path):
    """Catches debug information that is not stripped, or that no debugger finds."""
    make("install", f"DESTDIR={tmp_path}/not-stripped", "STRIP=no", f"USER_BUILD={build}")
    make("install", f"DESTDIR={tmp_path}/split", "DEBUG_FILES=yes", f"USER_BUILD={build}")
    assert ".debug_info" in sections(tmp_path / "not-stripped/usr/local/lib/libcprng.a")
    for binary in BINARIES:
        assert {".symtab", ".debug_info"} <= sections(tmp_path / "not-stripped/usr/local" / binary)
        split = tmp_path / "split/usr/local" / binary
        assert not sections(split) & {".symtab", ".debug_info"}
        debug = split.parent / ".debug" / f"{split.name}.debug"
        assert ".debug_info" in sections(debug) and debug.stat().st_mode & 0o777 == 0o644
    # A library's debug link must lead to the function's name and source.
    shared = tmp_path / f"split/usr/local/lib/libcprng.so.{VERSION}"
    address = next(line.split()[0] for line in run("nm", "-D", shared).splitlines() if " cprng_fast@@" in line)
    assert re.search(r"^cprng_fast\n.*draws?\.c:\d+", run("addr2line", "-f", "-e", shared, address))
    make("uninstall", f"DESTDIR={tmp_path}/split", f"USER_BUILD={build}")
    assert tree(tmp_path / "split") == set()


def test_library_alone(tmp_path):
    """Catches a C library that requires a C++ compiler, and an OpenSSL module that is silently missing, or that stays missing
    after its headers were installed."""
    configure = ["cmake", "--preset", "user", "-S", ROOT, "-B", tmp_path / "build", "-DCPRNG_COMMAND=OFF"]
    env = environment(CXX="false", CMAKE_CXX_COMPILER="false")
    headers = pathlib.Path("/usr/include/openssl")
    private = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    hidden = headers.exists() and subprocess.run([*private, "true"], check=False, capture_output=True).returncode == 0
    if hidden:
        (tmp_path / "empty").mkdir()
        run(*private, "sh", "-c", f"mount --bind {tmp_path}/empty {headers} && exec {shlex.join(map(str, configure))}", env=env)
        assert "OpenSSL's module: libssl-dev is missing\n" in (tmp_path / "build/left-out").read_text()
    run(*configure, env=env)
    assert not headers.exists() or "OpenSSL" not in run("sh", "-c", f"cat {tmp_path}/build/left-out || :")
    assert "CMAKE_CXX_COMPILER:FILEPATH" not in (tmp_path / "build/CMakeCache.txt").read_text()
    if not hidden:
        pytest.skip("no headers of OpenSSL, or they cannot be hidden")


# Variables that CMake's own modules and a project named cprng leave in the cache.
CACHED = re.compile(r"_?(CPRNG|cprng|CMAKE_INSTALL|GNUInstallDirs|CMAKE_HAVE_LIBC|CMAKE_PROJECT_VERSION|CMAKE_NUMBER_OF_MAKEFILES|FIND_PACKAGE_MESSAGE)(_|:)")


def test_subdirectory_of_a_project_in_c(build, tmp_path):
    """Catches a C project that needs C++ because the library is its subdirectory, or compiles another library than `make`; a build
    type, an option, a target or a test that the library sets for its parent, which so loses its assertions; and sources that a
    parent's CMAKE_UNITY_BUILD puts together."""
    program, parts = tmp_path / "user.c", ["cmake_minimum_required(VERSION 3.22)\nproject(user LANGUAGES C)\nenable_testing()\n"]
    program.write_text("#include <assert.h>\n#include <cprng/cprng.h>\nint main(void)\n{\n\tassert(cprng_uniform32(1) == 1);\n}\n")
    parts.append(f"add_subdirectory({ROOT} cprng)\nadd_executable(user {ROOT}/tests/system/install/draws.c)\n"
                 "add_executable(asserting user.c)\nforeach(target user asserting)\n"
                 "\ttarget_link_libraries(${target} PRIVATE cprng::static)\nendforeach()\n")  # fmt: skip
    cache = []
    for count in (1, 2):
        (tmp_path / "CMakeLists.txt").write_text("".join(parts[:count]))
        run("cmake", "-G", "Ninja", "-DCMAKE_UNITY_BUILD=ON", "-S", tmp_path, "-B", tmp_path, env=environment(CXX="false"))
        cache.append(set(re.findall(r"^([A-Za-z_]\w*[^:\n]*:.*)$", (tmp_path / "CMakeCache.txt").read_text(), re.MULTILINE)))
    assert [line for line in cache[1] - cache[0] if not CACHED.match(line)] == []
    targets = set(re.findall(r"^(?:cmake_object_order_depends_target_)?(\w+): phony$", run("ninja", "-C", tmp_path, "-t", "targets", "all"), re.MULTILINE))
    assert {name for name in targets if not name.startswith("cprng_")} <= {
        "user", "asserting", "all", "test", "install", "edit_cache", "rebuild_cache", "list_install_components"}  # fmt: skip
    assert "Total Tests: 0" in run("ctest", "-N", cwd=tmp_path)
    entries = ((directory / "compile_commands.json").read_text() for directory in (build, tmp_path))
    compiled, here = ({entry["command"].replace(" -o cprng/", " -o ") for entry in json.loads(text)
                       if not re.search(r"\b(user|asserting)\.dir", entry["command"])} for text in entries)  # fmt: skip
    assert len(here) > 50 and here <= compiled
    shutil.copy(build / "libcprng.a", tmp_path / "cprng")
    commands = run("ninja", "-C", tmp_path, "-t", "commands", "user", "asserting").splitlines()
    run("sh", "-c", " && ".join(line for line in commands if re.search(r"\b(user|asserting)\.dir", line)), cwd=tmp_path)
    run(tmp_path / "user")
    assert "cprng_uniform32(1) == 1" in run(tmp_path / "asserting", status=-signal.SIGABRT)


def test_subproject_of_meson(tmp_path):
    """Catches a meson.build that lacks a source, a header or a flag that programs in C and C++ need, or that warns."""
    if shutil.which("meson") is None:
        pytest.skip("meson is not installed")
    (tmp_path / "subprojects").mkdir()
    (tmp_path / "subprojects/cprng").symlink_to(ROOT)
    shutil.copy(ROOT / "tests/system/install/draws.c", tmp_path)
    (tmp_path / "choice.cpp").write_text("#include <cprng/cprng.hpp>\nint main() { return cprng::choice(std::vector<int>{ 0 }); }\n")
    page = (ROOT / "docs/installing.md").read_text()
    (tmp_path / "meson.build").write_text(re.search(r"(?s)```meson\n(.*?)```", page)[1]
                                          .replace("'dice.c'", "'draws.c'") + "executable('choice', 'choice.cpp', dependencies: cprng)\n")
    shown = run("meson", "setup", "--werror", "build", cwd=tmp_path)
    assert re.search("cprng *: *YES", shown)
    run("ninja", "-C", "build", cwd=tmp_path)
    for program in ("dice", "choice"):
        run(tmp_path / "build" / program)


def test_package_lists_what_the_library_exports():
    """Catches a new function that is missing in the Debian package's list of symbols."""
    listed = re.findall(r"^ (\S+) \S+$", (ROOT / "packaging/debian/libcprng0.symbols").read_text(), re.MULTILINE)
    library = os.environ.get("CPRNG_SHARED_LIBRARY", ROOT / "build/libcprng.so")
    exported = re.findall(r"^\S+ [^A] (\S+)$", run("nm", "-D", "--defined-only", library), re.MULTILINE)
    assert sorted(name for name in listed if "@CPRNG" in name and not name.startswith("CPRNG")) == sorted(
        name.replace("@@", "@") for name in exported)  # fmt: skip
