# SPDX-License-Identifier: BSD-2-Clause
"""Another module draws from this one, built as docs/kernel.md says."""

import re
import shutil
import subprocess
import textwrap

from guests import initramfs

from conftest import HERE, ROOT


def build_user(each, directory):
    """The output of the page's command in the directory, which has the module."""
    page = (ROOT / "docs/kernel.md").read_text(encoding="utf-8")
    kbuild, command = (textwrap.dedent(re.search(rf"(?m)((?:^    .*\n)*?^    {begin}.*\n(?:^    .*\n)*)", page)[1])
                       for begin in ("# Kbuild", "make -C /lib/modules/"))  # fmt: skip
    assert (directory / "Kbuild").read_text().endswith(kbuild.partition("\n")[2])
    for typed, here in (("/lib/modules/$(uname -r)/build", each.kernel.build),
                        ("/path/to/checkout/build/kernel/$(uname -r)", each.place), ("/path/to/checkout", ROOT)):  # fmt: skip
        assert typed in command
        command = command.replace(typed, str(here))
    return subprocess.run(command, shell=True, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          text=True)  # fmt: skip


def test_another_module_draws(each, tmp_path):
    """Catches a missing export, a command of the page that fails, and a module that is unloaded while in use."""
    shutil.copytree(HERE / "user", tmp_path / "user")
    result = build_user(each, tmp_path / "user")
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
    shutil.copytree(HERE / "user", tmp_path / "user")
    source = tmp_path / "user" / "user.c"
    source.write_text(re.sub(r'MODULE_IMPORT_NS\("?CPRNG"?\);', "", source.read_text()))
    result = build_user(each, tmp_path / "user")
    assert "user uses symbol cprng_fast from namespace CPRNG, but does not import it" in result.stdout.replace(
        "module user", "user"), result.stdout
