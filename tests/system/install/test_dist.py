# SPDX-License-Identifier: BSD-2-Clause
"""The release tarball, without its long test (`make check-dist`)."""

import collections
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    if run("sh", "-c", "git rev-parse --show-prefix 2>/dev/null || echo none", cwd=ROOT).strip():
        pytest.skip("no checkout of git")
    # xz -9 would take most of the time.
    quick, xz = tmp_path_factory.mktemp("quick") / "xz", shutil.which("xz")
    quick.write_text(f'#!/bin/sh\n[ "$*" != "-9 -T1" ] || set -- -0 -T1\nexec {xz} "$@"\n', encoding="ascii")
    quick.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{quick.parent}:{os.environ['PATH']}")
        out = tmp_path_factory.mktemp("dist")
        run(ROOT / "packaging/dist", out)
        yield out


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_made_again_it_is_the_same(release, tmp_path):
    """Catches a release that depends on the machine's time, names, umask or file order."""
    other = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    run("sh", "-c", f"umask 077 && {ROOT}/packaging/dist {tmp_path}", env=other)
    assert contents(tmp_path) == contents(release)
    assert len(contents(release)) == 5


def files_of(directory):
    """The release's files without symbolic links, which point to other files of the release."""
    return [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]


def test_checksums(release):
    """Catches checksums of other files."""
    run("sha256sum", "-c", "SHA256SUMS", cwd=release)


def test_unpacked_inside_of_a_checkout(release, tmp_path):
    """Catches a tool that uses files of the checkout around it."""
    run("git", "init", "-q", tmp_path)
    (tmp_path / ".gitignore").write_text("*\n")
    run("tar", "-C", tmp_path, "-xf", next(release.glob("*.tar.xz")))
    (tree,) = (path for path in tmp_path.iterdir() if path.name.startswith("cprng-"))
    listed = set(run(tree / "tools/files", "*", cwd=tree).splitlines())
    assert listed == {str(path.relative_to(tree)) for path in files_of(tree)}
    committed = set(run("git", "ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD", cwd=ROOT).splitlines())
    committed = {line.split(" ", 1)[1] for line in committed if not line.startswith("120000")}
    assert {file for file in committed if not file.startswith(".git")} <= listed


def test_list_of_components(release, tmp_path):
    """Catches an unlisted file, a wrong checksum, an element without its relation, and a reused name."""
    document = json.loads(next(release.glob("*.spdx.json")).read_text())
    tarball = next(release.glob("*.tar.xz"))
    run("tar", "-C", tmp_path, "--strip-components=1", "-xf", tarball)
    files = {file["fileName"]: file for file in document["files"]}
    assert set(files) == {f"./{path.relative_to(tmp_path)}" for path in files_of(tmp_path)}
    for name, file in files.items():
        sums = {entry["algorithm"]: entry["checksumValue"] for entry in file["checksums"]}
        data = (tmp_path / name).read_bytes()
        assert sums == {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
    whole = document["packages"][0]
    assert whole["checksums"][0]["checksumValue"] == hashlib.sha256(tarball.read_bytes()).hexdigest()
    names = collections.Counter(element["SPDXID"] for element in [*document["packages"], *document["files"]])
    assert set(names.values()) == {1}
    related = {end for relation in document["relationships"]
               for end in (relation["spdxElementId"], relation["relatedSpdxElement"])}  # fmt: skip
    assert related == {"SPDXRef-DOCUMENT", *names}
    # Third-party files have their own licence.
    words = files["./cli/text/words/eff.txt"]
    assert words["licenseConcluded"] == "CC-BY-3.0-US" and "Electronic Frontier Foundation" in words["copyrightText"]
    assert whole["licenseConcluded"] == "BSD-2-Clause AND CC-BY-3.0-US"
    assert {package["name"] for package in document["packages"]} >= {"cprng", "CLI11", "fmt", "nlohmann-json", "musl", "libc++"}
