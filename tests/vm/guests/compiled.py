# SPDX-License-Identifier: BSD-2-Clause
"""A kernel from the distribution's source, compiled with the caller's configuration.

The kernel's own packaging (make bindeb-pkg) makes the same packages as the distribution's, so the result is laid out
like a download.
"""

import hashlib
import os
import re
import shutil
import subprocess

from guests import apt, cache, kernels

SOURCE = r"linux-source-[0-9][0-9.]*"

# The first steps of a PVH boot (arch/x86/platform/pvh/enlighten.c, which calls memcmp from lib/string.c) run before shadow
# memory exists, but are instrumented in 6.1.
VARIABLES = ["KASAN_SANITIZE_enlighten.o=n", "KASAN_SANITIZE_string.o=n"]


def _source():
    """The source archive of the release's kernel, and its version; the first call downloads it."""
    with cache.locked("source"):
        place = cache.directory() / "source"
        done = place / "version"
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)
            suite = apt.Suite("release", place / "apt")
            packages = suite.closure("linux-source", SOURCE)
            name = next(p for p in packages if re.fullmatch(SOURCE, p))
            suite.unpack([name], place)
            done.write_text(packages[name]["Version"])
        return next((place / "usr" / "src").glob("linux-source-*.tar.*")), done.read_text()


def source_files(directory, *names):
    """Unpacks these files of the source into the directory, and returns it."""
    archive, _ = _source()
    with cache.locked("source-files"):
        place = cache.directory() / "source-files"
        if not all((place / name).exists() for name in names):
            place.mkdir(exist_ok=True)
            # tar reads all of the archive, as it cannot seek in it.
            subprocess.run(["tar", "-xf", archive, "-C", place, "--strip-components=1", "--wildcards",
                            *(f"linux-source-*/{name}" for name in names)], check=True)
        for name in names:
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(place / name, directory / name)
    return directory


def _run(log, *command, **options):
    """Runs a command with its output in the log; an error contains the log's end."""
    with open(log, "a", encoding="utf-8") as output:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
                                **options)
    if result.returncode != 0:
        end = log.read_text(errors="replace").splitlines()[-30:]
        raise RuntimeError("\n".join([f"{' '.join(map(str, command))} (all of it: {log})", *end]))


def _options(path):
    """The file's settings, without comments."""
    return {line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("CONFIG_")}


def _compile(archive, fragment, place):
    """Leaves `vmlinux` and `tree` in place; needs about 2 GB while it runs.  Returns the kernel's version."""
    work, log = place / "work", place / "log"
    output = work / "output"
    output.mkdir(parents=True)
    _run(log, "tar", "-xf", archive, "-C", work)
    source = next(work.glob("linux-source-*"))
    make = ["nice", "make", "-C", source, f"O={output}", f"-j{os.environ.get('JOBS', '2')}", *VARIABLES]
    _run(log, *make, f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig")
    # Kconfig silently drops unknown options and options with unmet dependencies.
    unmet = _options(fragment) - _options(output / ".config")
    if unmet:
        raise RuntimeError(f"{fragment.name}: this kernel has no {', '.join(sorted(unmet))}")
    _run(log, *make, "bindeb-pkg")
    version = (output / "include" / "config" / "kernel.release").read_text().strip()
    for package in ("image", "headers"):
        _run(log, "dpkg", "-x", next(work.glob(f"linux-{package}-*.deb")), place / "tree")
    kernels.extract_vmlinux(place / "tree" / "boot" / f"vmlinuz-{version}", place / "vmlinux")
    # Debug symbols would be a separate package; sources and objects are no longer needed.
    shutil.rmtree(work)
    return version


def fetch(name, fragment):
    """A kernels.Kernel with headers; the first call for this source, fragment and compiler compiles it."""
    archive, source = _source()
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, check=True, text=True).stdout
    what = "\0".join([source, compiler, *sorted(_options(fragment)), *VARIABLES])
    entry = f"{name}-{hashlib.sha256(what.encode()).hexdigest()[:12]}"
    with cache.locked(entry):
        place = cache.directory() / entry
        done = place / "image"
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            done.write_text(_compile(archive, fragment, place))
        return kernels.Kernel(name, done.read_text(), place / "tree", place / "vmlinux")
