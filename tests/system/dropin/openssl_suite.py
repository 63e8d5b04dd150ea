# SPDX-License-Identifier: BSD-2-Clause
"""Programs of OpenSSL's own test suite, compiled against the installed libcrypto.

The source comes from the distribution through apt-get: the installed packages' version, or if the archive no longer has
it the newest available one of the same series.  apt verifies it.  The machine's apt configuration is unchanged.
"""

import os
import pathlib
import re
import subprocess
import sys
import tarfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "vm"))
from guests import apt  # noqa: E402  pylint: disable=wrong-import-position

# Their link inputs, from the suite's build.info.
SUPPORT = ["test/testutil/" + name + ".c" for name in (
    "basic_output", "output", "driver", "tests", "cb", "stanza", "format_output", "load", "fake_random", "test_cleanup",
    "main", "testutil_init", "options", "test_options", "provider", "apps_shims", "random")] + ["apps/lib/opt.c"]  # fmt: skip


def version(text):
    """3.0.19-1~deb12u2: (3, 0, 19)."""
    return tuple(map(int, re.match(r"(?:\d+:)?(\d+)\.(\d+)\.(\d+)", text).groups()))


def source(work):
    """The source's directory, which the next run reuses.  Raises apt.Unavailable."""
    installed = subprocess.run(["dpkg-query", "-W", "-f=${source:Version}", "libssl-dev"], check=True, capture_output=True, text=True).stdout
    series = version(installed)[:2]

    def unpacked():
        return max((path for path in work.glob("openssl-*") if version(path.name[8:])[:2] == series),
                   key=lambda path: version(path.name[8:]), default=None)

    if unpacked():
        return unpacked()
    suite = apt.Suite("release", work / "apt", kind="deb-src")
    fetched = suite.fetch_source("openssl", lambda offered: sorted((one for one in offered if version(one)[:2] == series), reverse=True,
                                                                   key=lambda one: (one == installed, version(one))))
    upstream = ".".join(map(str, version(fetched)))
    with tarfile.open(next(suite.directory.glob(f"openssl_{upstream}.orig.tar.*z"))) as archive:
        for member in archive:
            # Only files of the archive, below its directory.
            if (member.isfile() or member.isdir()) and ".." not in member.name and re.match(r"(\./)?openssl-", member.name):
                archive.extract(member, work)
    return unpacked()


def compiled(tree, work, name):
    """The program of test/NAME.c."""
    objects = work / f"objects-{tree.name}"
    objects.mkdir(exist_ok=True)
    # Public headers are the installed ones; internal headers come from the source tree.
    flags = ["-w", "-O1", "-DOPENSSL_SUPPRESS_DEPRECATED", f"-I{tree}/apps/include", f"-I{tree}/test", f"-I{tree}",
             "-idirafter", tree / "include", f"-I{tree}/providers/common/include",
             f"-I{tree}/providers/implementations/include"]  # fmt: skip
    compiler = os.environ.get("CC", "cc").split()

    def made(path):
        output = objects / (pathlib.Path(path).stem + ".o")
        if not output.exists():
            subprocess.run([*compiler, *map(str, flags), "-c", tree / path, "-o", output], check=True)
        return output

    archive = objects / "libtestutil.a"
    if not archive.exists():
        subprocess.run(["ar", "rc", archive, *map(made, SUPPORT)], check=True)
    subprocess.run([*compiler, made(f"test/{name}.c"), "-o", objects / name, archive, "-lcrypto", "-lpthread"], check=True)
    return objects / name
