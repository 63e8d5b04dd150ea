# SPDX-License-Identifier: BSD-2-Clause
"""Another module draws from this one, built as docs/kernel.md says."""

import shutil
import subprocess

from guests import initramfs

from conftest import HERE, ROOT


def build_user(each, directory, *flags):
    """make's output; the module is in directory."""
    shutil.copytree(HERE / "user", directory)
    command = ["make", "-C", each.kernel.build, f"M={directory}", f"CPRNG={ROOT}",
               f"KBUILD_EXTRA_SYMBOLS={each.place / 'Module.symvers'}", *flags, "modules"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)


def test_another_module_draws(each, tmp_path):
    """Catches a missing export, and a module that is unloaded while in use."""
    result = build_user(each, tmp_path / "user", "KCFLAGS=-DCPRNG_IMPORT_NS")
    assert result.returncode == 0 and "WARNING" not in result.stdout, result.stdout
    user = initramfs.File(tmp_path / "user" / "user.ko", "/m/user.ko")
    with each.boot(tmp_path, """
        insmod /m/user.ko 2>/dev/null && fail loaded without what it needs
        insmod /m/cprng.ko && insmod /m/user.ko || fail insmod
        rmmod cprng 2>/dev/null && fail unloaded under its user
        rmmod user && rmmod cprng || fail rmmod
        pass""", files=[user]) as machine:
        machine.wait_for_log(r"user: different, \d of 10$")
        machine.finish()


def test_the_namespace_must_be_imported(each, tmp_path):
    """Catches an export outside the namespace."""
    result = build_user(each, tmp_path / "user")
    assert "user uses symbol cprng_fast from namespace CPRNG, but does not import it" in result.stdout.replace(
        "module user", "user"), result.stdout
