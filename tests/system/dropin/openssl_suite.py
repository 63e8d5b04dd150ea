# SPDX-License-Identifier: BSD-2-Clause
"""Programs of OpenSSL's own test suite, compiled against the installed libcrypto.

The source comes from the distribution through apt-get: the installed packages' version, or if the archive no longer has
it the newest available one of the same series.  apt verifies it.  The machine's apt configuration is unchanged.
"""

import os
import pathlib
import re
import subprocess
import tarfile

# Their link inputs, from the suite's build.info.
SUPPORT = ["test/testutil/" + name + ".c" for name in (
    "basic_output", "output", "driver", "tests", "cb", "stanza", "format_output", "load", "fake_random", "test_cleanup",
    "main", "testutil_init", "options", "test_options", "provider", "apps_shims", "random")] + ["apps/lib/opt.c"]  # fmt: skip


class OutOfReach(Exception):
    """The reason if there is no source."""


def command(*line, **options):
    result = subprocess.run([str(word) for word in line], check=False, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise OutOfReach(f"{line[0]}: {(result.stderr.strip() or 'failed').splitlines()[-1]}")
    return result.stdout


def with_sources(text):
    """The distribution's package lists, as source lists."""
    return re.sub(r"(?m)^(Types: *)deb\b.*$", r"\1deb-src", re.sub(r"(?m)^deb(?= )", "deb-src", text))


def apt_options(work):
    """Separate lists, beside the machine's."""
    parts = work / "apt/sources"
    (work / "apt/lists/partial").mkdir(parents=True, exist_ok=True)
    parts.mkdir(exist_ok=True)
    lists = [path for path in (pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*"))
             if path.suffix in (".list", ".sources") and path.is_file()]
    for number, path in enumerate(lists):
        text = path.read_text(encoding="utf-8")
        if re.search(r"/(debian|ubuntu)\b", text):
            (parts / f"{number}{path.suffix}").write_text(with_sources(text), encoding="utf-8")
    return ["-q=2", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}",
            "-o", f"Dir::State::lists={work}/apt/lists", "-o", f"Dir::Cache={work}/apt", "-o", "APT::Sandbox::User=root"]


def version(text):
    """3.0.19-1~deb12u2: (3, 0, 19)."""
    return tuple(map(int, re.match(r"(?:\d+:)?(\d+)\.(\d+)\.(\d+)", text).groups()))


def download(options, work, wanted):
    """Get the first available, because a mirror may list what it does not have yet; return its OpenSSL version."""
    for number, one in enumerate(wanted, 1):
        try:
            command("apt-get", *options, "--download-only", "source", f"openssl={one}", cwd=work)
            return ".".join(map(str, version(one)))
        except OutOfReach:
            if number == len(wanted):
                raise
    return None


def source(work):
    """The source's directory, which the next run reuses."""
    installed = command("dpkg-query", "-W", "-f=${source:Version}", "libssl-dev")
    series = version(installed)[:2]

    def unpacked():
        return max((path for path in work.glob("openssl-*") if version(path.name[8:])[:2] == series),
                   key=lambda path: version(path.name[8:]), default=None)

    if unpacked():
        return unpacked()
    options = apt_options(work)
    command("apt-get", *options, "update")
    offered = re.findall(r"(?m)^Version: (\S+)", command("apt-cache", *options, "showsrc", "openssl"))
    wanted = sorted((one for one in offered if version(one)[:2] == series), key=lambda one: (one == installed, version(one)),
                    reverse=True)
    upstream = download(options, work, wanted or [installed])
    with tarfile.open(next(work.glob(f"openssl_{upstream}.orig.tar.*z"))) as archive:
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
