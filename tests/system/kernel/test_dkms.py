# SPDX-License-Identifier: BSD-2-Clause
"""dkms.conf with dkms itself, in the test's directories: it changes no files of the system, and creates no key."""

import os
import shutil
import subprocess

import pytest

from conftest import ROOT

# The build is the same for every kernel, and dkms builds for the distribution's kernels.
pytestmark = pytest.mark.debug_kernel(only=False)


def test_dkms_builds_and_installs(release, tmp_path):
    """Catches a dkms.conf that names missing files, and a build that leaves files behind."""
    trees = {name: tmp_path / name for name in ("source", "dkms", "install", "tmp")}
    for tree in trees.values():
        tree.mkdir()
    # As in docs/kernel.md; dkms builds in a copy, and finds the kernel's directory where modules are installed.
    source = trees["source"] / "cprng-0.1.0"
    for part in ("src", "kernel"):
        shutil.copytree(ROOT / part, source / part)
    (source / "dkms.conf").symlink_to("kernel/linux/dkms.conf")
    (trees["install"] / release.kernel.version).mkdir()

    def dkms(command, *arguments, wrapper=()):
        # Without a signing program nothing is signed; otherwise dkms would create a key in /var/lib.
        environment = dict(os.environ, TMPDIR=str(trees["tmp"]), sign_file=os.devnull, NO_WEAK_MODULES="yes",
                           PATH=f"{os.environ['PATH']}:/usr/sbin")
        result = subprocess.run([*wrapper, "dkms", command, "cprng/0.1.0", "--sourcetree", trees["source"],
                                 "--dkmstree", trees["dkms"], "--installtree", trees["install"], *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                                cwd=tmp_path, env=environment)
        logs = "".join(p.read_text() for p in trees["dkms"].rglob("make.log"))
        assert result.returncode == 0, result.stdout + logs
        return logs

    kernel = ["-k", f"{release.kernel.version}/x86_64", "--kernelsourcedir", release.kernel.build]
    dkms("add")
    assert "warning" not in dkms("build", *kernel)
    dkms("install", *kernel, "--no-depmod", wrapper=["fakeroot"])
    installed = [p for p in trees["install"].rglob("*") if p.is_file()]
    assert [p.relative_to(trees["install"] / release.kernel.version).as_posix() for p in installed] == [
        "updates/dkms/cprng.ko"]
    magic = subprocess.run([shutil.which("modinfo") or "/sbin/modinfo", "-F", "vermagic", installed[0]],
                           capture_output=True, check=True, text=True).stdout
    assert magic.split()[0] == release.kernel.version
    # Only the copy, whose objects dkms has removed.
    assert not (source / "build").exists()
    dkms("remove", *kernel, "--no-depmod", wrapper=["fakeroot"])
    assert not installed[0].exists()
