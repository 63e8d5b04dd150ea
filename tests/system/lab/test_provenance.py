# SPDX-License-Identifier: BSD-2-Clause
"""Every run records what was measured, on which machine, and the compared versions.

CPRNG_LAB   path of cprng-lab
"""

import pathlib
import platform
import re
import subprocess

import pytest
from commands import kept_run, run

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", name="run_of_tour")
def shortest_run(tmp_path_factory):
    """(standard output, the JSON document) of the shortest command."""
    return kept_run(tmp_path_factory.mktemp("lab"), "tour", "--no-measurements")


def test_machine(run_of_tour):
    """Catches an invented or missing field of the machine."""
    machine = run_of_tour[1]["machine"]
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii")
    microcode = re.search(r"(?m)^microcode\s*: (.*)$", cpuinfo)
    assert machine["microcode"] == (microcode[1] if microcode else "unknown")
    flags = re.search(r"(?m)^flags\s*: (.*)$", cpuinfo)
    assert machine["hypervisor"] == ("hypervisor" in flags[1].split() if flags else "unknown")
    assert machine["kernel"] == f"{platform.system()} {platform.release()}"
    assert machine["kernel_build"] == platform.version()
    assert machine["libc"] == " ".join(platform.libc_ver())
    assert machine["huge_pages"] in {"always", "madvise", "never", "unknown"}
    assert machine["cpu_signature"] and machine["frequency_governor"]


def test_build(run_of_tour):
    """Catches a commit other than the one built, and missing flags."""
    out, document = run_of_tour
    build = document["build"]
    assert {"commit", "type", "library_compiler", "library_flags", "lab_compiler", "lab_flags"} <= build.keys()
    assert out.startswith(f"cprng-lab tour, commit {build['commit']}\n")
    commit = re.fullmatch(r"(.*-g)?([0-9a-f]{12,})(-dirty)?", build["commit"])
    if build["commit"] != "unknown":  # built without git
        assert commit
        git = subprocess.run(["git", "-C", ROOT, "cat-file", "-t", commit[2]], check=False, capture_output=True, text=True)
        if git.returncode == 0:
            assert git.stdout == "commit\n"
    assert "-O" in build["library_flags"] + build["lab_flags"] or build["type"] == "Debug"
    assert re.search(r"[0-9]+\.[0-9]+", build["library_compiler"])


def test_peers(run_of_tour):
    """Catches a version other than the installed library's.

    The library reports the version that the distribution installed.
    """
    peers = run_of_tour[1]["peers"]
    assert all(isinstance(version, str) and version for version in peers.values())
    for name, package in {"libsodium": "libsodium", "openssl": "libcrypto"}.items():
        version = subprocess.run(["pkg-config", "--modversion", package], check=False, capture_output=True, text=True)
        if name in peers and version.returncode == 0:
            assert version.stdout.strip() in peers[name]
    assert "libstdc++" in peers or "libc++" in peers
