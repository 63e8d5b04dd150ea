# SPDX-License-Identifier: BSD-2-Clause
"""Packages of the distribution, unpacked into a separate directory: nothing is installed, and /etc/apt is only read.

The package sources are the machine's own; only the suite differs.
"""

import pathlib
import re
import shutil
import subprocess

KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")

# Generous, for slow mirrors.
TIMEOUT = 600


class Unavailable(Exception):
    """A package or device is unavailable on this machine; the text is one line with the reason."""


def _release():
    """ID and VERSION_CODENAME of the distribution."""
    try:
        text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        text = ""
    return dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))


def _run(*command, cwd=None):
    try:
        result = subprocess.run(command, capture_output=True, check=False, text=True, timeout=TIMEOUT,
                                stdin=subprocess.DEVNULL, cwd=cwd)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from None
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["no reason given"]
        raise Unavailable(f"{command[0]} {command[1]}: {lines[-1]}")
    return result.stdout


def _sources():
    """(uri, suite) of the machine's package sources, as read by apt itself, which knows all their formats."""
    release = _release()
    if release.get("ID") not in ("debian", "ubuntu") or not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise Unavailable(f"packages are taken from Debian or Ubuntu, and this is {release.get('ID', 'unknown')}")
    listed = _run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
    found = [tuple(line.split()[:2]) for line in listed.splitlines() if line.endswith(" main")]
    codename = release.get("VERSION_CODENAME", "")
    # Suites have codenames or ranks ("stable"); security and update suites have longer names.
    if not any(re.fullmatch(r"\w+", suite) for _, suite in found):
        raise Unavailable("the machine's package sources have no suite of the main archive")
    return codename, found


class Suite:
    """`release`: this machine's own suites.  `backports`: newer packages for them.  Any other name is a suite.

    architecture: one other than this machine's, which the archive and its signature cover.  kind: deb-src for sources."""

    def __init__(self, name, directory, architecture=None, kind="deb"):
        codename, sources = _sources()
        main = next(uri for uri, suite in sources if re.fullmatch(r"\w+", suite))
        if name == "release":
            wanted = sources
        else:
            wanted = [(main, f"{codename}-backports" if name == "backports" else name)]
        self.directory = pathlib.Path(directory)
        self.architecture = architecture
        (self.directory / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self.directory / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        option = f" [signed-by={KEYRING}]" if KEYRING.exists() else ""
        source_list = self.directory / "sources.list"
        source_list.write_text("".join(f"{kind}{option} {uri} {suite} main\n" for uri, suite in wanted))
        self.options = [
            f"-oDir::Etc::SourceList={source_list}",
            "-oDir::Etc::SourceParts=/dev/null",
            f"-oDir::State::Lists={self.directory / 'lists'}",
            "-oDir::State::Status=/dev/null",
            f"-oDir::Cache={self.directory}",
            "-oAPT::Sandbox::User=root",
            "-oAcquire::Languages=none",
            "-oAcquire::Retries=3",
            *([f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}"] if architecture else []),
        ]
        _run("apt-get", "update", "-q=2", "--error-on=any", *self.options)

    def describe(self, package):
        """The fields of the package's newest version."""
        text = _run("apt-cache", "show", "--no-all-versions", *self.options, package)
        return dict(re.findall(r"^([\w-]+): (.*)$", text, re.MULTILINE))

    def closure(self, package, follow):
        """The package and, recursively, its dependencies whose names match `follow`."""
        found, ahead = {}, [package]
        while ahead:
            name = ahead.pop()
            if name in found:
                continue
            found[name] = self.describe(name)
            depends = found[name].get("Depends", "")
            ahead += [word for word in re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends) if re.match(follow, word)]
        return found

    def fetch_source(self, package, choose):
        """Downloads the first available version in choose()'s order and returns it.  A mirror may list versions that it does not
        have yet."""
        offered = re.findall(r"(?m)^Version: (\S+)", _run("apt-cache", "showsrc", *self.options, package))
        reason = Unavailable(f"no source of {package}")
        for version in choose(offered):
            try:
                _run("apt-get", "source", "-q=2", "--download-only", *self.options, f"{package}={version}", cwd=self.directory)
                return version
            except Unavailable as failure:
                reason = failure
        raise reason

    def unpack(self, packages, root):
        """Downloads the packages and unpacks them below root."""
        pathlib.Path(root).mkdir(parents=True, exist_ok=True)
        archives = self.directory / "archives"
        _run("apt-get", "download", "-q=2", *self.options, *packages, cwd=archives)
        for archive in archives.glob("*.deb"):
            _run("dpkg", "-x", str(archive), str(root))
            archive.unlink()
