# SPDX-License-Identifier: BSD-2-Clause
"""tools/setup shows packages before it installs them, and needs permission.

dpkg-query, apt-cache, apt-get, sudo and id are replaced by scripts that keep a record of their calls."""

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import shutil
import stat
import subprocess
import termios
import tty

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SETUP = ROOT / "tools/setup"

PACKAGES = """\
# one comment
tools   alpha
tools   beta|beta-of-old
other   gamma
newer   delta>=3.22|epsilon
"""

# HERE is the scripts' directory.  `record` lists the calls; `installed` and `offered` list one package per line, with an
# optional version.
SCRIPTS = {
    "id": '[ "$1" = -u ] && cat HERE/uid',
    "dpkg-query": """
for last; do :; done
case $last in
-f*) [ ! -e HERE/provided ] || cat HERE/provided ;;
*) awk -v name="$last" '$1 == name { printf "installed %s", $2 ? $2 : "1.0" }' HERE/installed ;;
esac""",
    "apt-cache": """awk -v name="$2" '$1 == name { found = $2 ? $2 : "1.0" }
	END { print "  Candidate: " (found ? found : "(none)") }' HERE/offered""",
    "apt-get": """
echo "apt-get $*" >>HERE/record
case " $* " in
*" update "*) [ ! -e HERE/offered-later ] || cp HERE/offered-later HERE/offered; exit "$(cat HERE/update-status)" ;;
*" install "*)
	[ "$(cat HERE/install-status)" = 0 ] || { echo "E: disk full" >&2; exit 100; }
	for last; do echo "$last" >>HERE/installed; done ;;
esac""",
    "sudo": """
echo "sudo $*" >>HERE/record
if [ -e HERE/password ]; then
	[ "$1" != -n ] || { echo "sudo: a password is required" >&2; exit 1; }
	printf "[sudo] password: " >/dev/tty; read -r word </dev/tty; [ "$word" = "$(cat HERE/password)" ] || exit 1
fi
[ "$1" != -n ] || shift
exec "$@" """,
}


class Machine:
    def __init__(self, directory):
        self.directory = directory
        (directory / "tools").mkdir()
        self.setup = shutil.copy(SETUP, directory / "tools/setup")
        (directory / "tools/packages").write_text(PACKAGES)
        self.bin = directory / "bin"
        self.bin.mkdir()
        # Only the system commands that the script calls; sudo exists only if a test adds it.
        for name in ("sh", "awk", "grep", "cat", "tr", "mktemp", "rm", "dirname", "env", "cp", "true", "sed", "dpkg"):
            (self.bin / name).symlink_to(shutil.which(name) or "/nonexistent")
        for name, text in SCRIPTS.items():
            self.script(name, text)
        self.has(uid="0", installed="", offered="alpha\nbeta\nbeta-of-old\ngamma\n")
        self.has(**{"record": "", "update-status": "0", "install-status": "0"})

    def script(self, name, text):
        file = self.bin / name
        file.write_text("#!/bin/sh\n" + text.replace("HERE", str(self.directory)).strip("\n") + "\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def has(self, **files):
        for name, text in files.items():
            (self.directory / name).write_text(text)

    @property
    def record(self):
        return (self.directory / "record").read_text().splitlines()

    @property
    def installed(self):
        known = re.findall(r"[a-z-]+", PACKAGES)
        return [line for line in (self.directory / "installed").read_text().splitlines() if line in known]

    def environment(self, setup):
        return {"PATH": str(self.bin), **({} if setup is None else {"CPRNG_SETUP": setup})}

    def run(self, *sets, setup=None):
        """Runs the script without a terminal."""
        return subprocess.run(["/bin/sh", self.setup, *sets], env=self.environment(setup), capture_output=True,
                              text=True, timeout=900, stdin=subprocess.DEVNULL, check=False)  # fmt: skip

    def on_terminal(self, *sets, setup=None, answers=""):
        """Runs the script on a terminal and types the answers; returns the exit status and the terminal's output."""
        terminal, end = pty.openpty()
        try:
            # This end stays open until the script ends, and echo is off, so everything read was printed by the script.
            try:
                tty.setraw(end)
                os.write(terminal, answers.encode())
                result = subprocess.run(["/bin/sh", self.setup, *sets], env=self.environment(setup), timeout=900, stdin=end,
                                        stdout=end, stderr=end, check=False, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))  # fmt: skip
            finally:
                os.close(end)
            shown = b""
            with contextlib.suppress(OSError):
                while data := os.read(terminal, 4096):
                    shown += data
        finally:
            os.close(terminal)
        return result.returncode, shown.decode()


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def commands(text):
    """The displayed commands."""
    return [line.strip() for line in text.splitlines() if "apt-get -y" in line]


@pytest.mark.parametrize("uid", ["0", "1000"])
@pytest.mark.parametrize("setup, files", [
    (None, {"installed": "alpha\nbeta-of-old\n"}),
    (None, {"installed": "alpha\n", "provided": "installed nothing\ninstalled other, beta-of-old (= 1)\n"}),
    ("no", {})])  # fmt: skip
def test_nothing_is_installed(machine, uid, setup, files):
    """Catches a call of apt, or output, if nothing is missing, if another package provides it, or with SETUP=no."""
    machine.has(uid=uid, **files)
    result = machine.run("tools", setup=setup)
    assert (result.returncode, result.stdout, result.stderr, machine.record) == (0, "", "", [])


def test_root_goes_on_and_shows_first(machine):
    """Catches a package installed before it was shown, and a command other than the one shown."""
    # Keeps the output up to the first call of apt-get.
    machine.script("apt-get", f"[ -e HERE/before ] || cp HERE/shown HERE/before\n{SCRIPTS['apt-get']}")
    with (machine.directory / "shown").open("w") as shown:
        result = subprocess.run(["/bin/sh", machine.setup, "tools", "other"], env=machine.environment(None),
                                stdout=shown, stdin=subprocess.DEVNULL, timeout=900, check=False)  # fmt: skip
    assert result.returncode == 0
    before = (machine.directory / "before").read_text()
    assert "Missing packages (tools other): alpha beta gamma" in before
    update, install = commands(before)
    assert install.endswith("install --no-install-recommends alpha beta gamma")
    assert ["env DEBIAN_FRONTEND=noninteractive " + line for line in machine.record] == [update, install]
    assert machine.installed == ["alpha", "beta", "gamma"]


@pytest.mark.parametrize("setup, files, words", [
    (None, {"uid": "1000"}, "SETUP=yes"),
    (None, {"uid": "1000", "installed": "alpha\n", "provided": "config-files other, beta-of-old (= 1)\n"}, "SETUP=yes"),
    ("yes", {"uid": "1000", "password": "secret"}, "sudo wants a password, and there is no terminal to ask for it"),
    ("yes", {"uid": "1000", "sudo": None}, "only root can install them")])  # fmt: skip
def test_user_without_terminal_is_told_the_commands(machine, setup, files, words):
    """Catches sudo used without permission, a hanging sudo, a missing sudo reported as a missing package, a removed package that
    counts as installed, and an answer of several lines."""
    if "sudo" in files:
        (machine.bin / "sudo").unlink()
    machine.has(**{name: text for name, text in files.items() if text is not None})
    result = machine.run("tools", setup=setup)
    assert (result.returncode, machine.installed) == (1, re.findall("alpha", files.get("installed", "")))
    assert machine.record in ([], ["sudo -n true"] if "password" in files else [])
    assert [command.startswith("sudo ") for command in commands(result.stdout)] == [True, True]
    assert result.stderr.count("\n") == 1
    assert words in result.stderr and "yourself" in result.stderr


def test_user_without_terminal_with_leave(machine):
    """Catches a SETUP=yes that still asks or does not install."""
    machine.has(uid="1000")
    result = machine.run("tools", setup="yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert [line for line in machine.record if line.startswith("sudo env")] == commands(result.stdout)
    assert machine.installed == ["alpha", "beta"]


@pytest.mark.parametrize("answers", ["n\n", "\n", "no\n", "x\n", "y\nwrong\nwrong\n"])
def test_terminal_asks_and_takes_no(machine, answers):
    """Catches a question that any answer confirms, and a refused sudo after which make continues."""
    machine.has(uid="1000", **({"password": "secret"} if "wrong" in answers else {}))
    status, shown = machine.on_terminal("tools", answers=answers)
    assert (status, machine.installed) == (1, []), shown
    assert "wrong" in answers or machine.record == []
    before, _, after = shown.partition("Install them? [y/N]")
    assert "alpha beta" in before and "yourself" in after and ("nothing was installed" in after) == (machine.record == []), shown


@pytest.mark.parametrize("answers, setup", [("y\n", None), ("Y\n", None), ("yes\n", None), ("y\nsecret\nsecret\n", None), ("", "yes")])
def test_terminal_asks_and_takes_yes(machine, answers, setup):
    """Catches a question that no answer confirms or that was already answered, and a sudo that cannot ask for its password."""
    machine.has(uid="1000", **({"password": "secret"} if "secret" in answers else {}))
    status, shown = machine.on_terminal("tools", answers=answers, setup=setup)
    assert status == 0, shown
    assert machine.installed == ["alpha", "beta"]
    assert ("Install them" in shown) == (setup is None)
    assert [line for line in machine.record if line.startswith("sudo env")] == commands(shown)


@pytest.mark.parametrize("later", ["beta", "beta-of-old"])
def test_root_on_a_fresh_machine(machine, later):
    """Catches a requirement for package lists, which a fresh container lacks, and packages that were never shown."""
    machine.has(**{"offered": "", "offered-later": f"alpha\n{later}\n"})
    result = machine.run("tools")
    assert (result.returncode, result.stderr) == (0, "")
    assert commands(result.stdout)[-1].endswith(f" alpha {later}")
    assert machine.installed == ["alpha", later]


def test_another_list_after_the_update_is_asked_for_again(machine):
    """Catches a yes that is applied to a different list."""
    machine.has(**{"uid": "1000", "offered": "", "offered-later": "alpha\nbeta-of-old\n"})
    status, shown = machine.on_terminal("tools", answers="y\nn\n")
    assert (status, machine.installed) == (1, [])
    assert shown.count("Install them? [y/N]") == 2


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg compares versions, and is not installed")
def test_least_version(machine):
    """Catches a package that is too old but accepted or offered, and a refusal that names neither package, version nor system."""
    for installed in ("delta 3.25.1-1\n", "epsilon\n"):
        machine.has(installed=installed)
        assert (machine.run("newer").returncode, machine.record) == (0, [])
    machine.has(installed="delta 3.18.4-2\n", offered="delta 3.22.0\n")
    result = machine.run("newer")
    assert result.returncode == 0 and commands(result.stdout)[-1].endswith("--no-install-recommends delta")
    assert machine.installed == ["delta"]
    machine.has(installed="delta 3.18.4-2\n", offered="delta 3.18.4-2\n")
    result = machine.run("newer")
    assert (result.returncode, machine.installed) == (1, [])
    system = subprocess.run(["sh", "-c", '. /etc/os-release; echo "$PRETTY_NAME"'], capture_output=True, text=True, check=True)
    assert f"{system.stdout.strip()}, offers none of: delta>=3.22|epsilon" in result.stderr


@pytest.mark.parametrize("sets, setup, files, status, installed, words", [
    ("tools", "maybe", {}, 2, [], ["neither yes nor no"]),
    ("toolz", None, {}, 2, [], ["no set 'toolz'"]),
    ("tools", None, {"offered": "alpha\n"}, 1, [], ["offers none of: beta|beta-of-old"]),
    ("tools", None, {"update-status": "100"}, 0, ["alpha", "beta"], ["update failed"]),
    ("tools", None, {"install-status": "100"}, 1, [], ["disk full", "the installation failed"])])  # fmt: skip
def test_failures(machine, sets, setup, files, status, installed, words):
    """Catches a misspelt SETUP that is interpreted as yes, a misspelt set that requires nothing, a partial installation, a
    mirror that stops everything, and a hidden failure of apt."""
    machine.has(**files)
    result = machine.run(sets, setup=setup)
    assert (result.returncode, machine.installed) == (status, installed)
    assert all(word in result.stderr for word in words), result.stderr
    assert status != 2 or machine.record == []


def test_another_system(machine):
    """Catches a requirement for dpkg on systems without it."""
    (machine.bin / "dpkg-query").unlink()
    result = machine.run("tools")
    assert (result.returncode, machine.record) == (0, [])
    assert "no Debian packages" in result.stderr
