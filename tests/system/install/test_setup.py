# SPDX-License-Identifier: BSD-2-Clause
"""tools/setup: it shows packages before it installs them, and needs permission.

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

# HERE is the scripts' directory: `record` has the calls; `installed` and `offered` have one package a line, and perhaps its
# version.
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
        # Only the system commands that the script calls: sudo exists only if a test adds it.
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
        """Without a terminal."""
        return subprocess.run(["/bin/sh", self.setup, *sets], env=self.environment(setup), capture_output=True,
                              text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)  # fmt: skip

    def on_terminal(self, *sets, setup=None, answers=""):
        """On a terminal where the answers are typed; returns the exit status and the terminal's output."""
        terminal, end = pty.openpty()
        try:
            # This end stays open until the script ends, and echo is off: everything read was printed by the script.
            try:
                tty.setraw(end)
                os.write(terminal, answers.encode())
                result = subprocess.run(["/bin/sh", self.setup, *sets], env=self.environment(setup), timeout=60, stdin=end,
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


def test_nothing_is_missing(machine):
    """Catches a call of apt, or output, when there is nothing to do."""
    machine.has(installed="alpha\nbeta-of-old\n", uid="1000")
    result = machine.run("tools")
    assert (result.returncode, result.stdout, result.stderr, machine.record) == (0, "", "", [])


def test_root_goes_on_and_shows_first(machine):
    """Catches a package installed before it was shown, and a command other than the one shown."""
    # Keeps the output up to the first call of apt-get.
    machine.script("apt-get", f"[ -e HERE/before ] || cp HERE/shown HERE/before\n{SCRIPTS['apt-get']}")
    with (machine.directory / "shown").open("w") as shown:
        result = subprocess.run(["/bin/sh", machine.setup, "tools", "other"], env=machine.environment(None),
                                stdout=shown, stdin=subprocess.DEVNULL, timeout=60, check=False)  # fmt: skip
    assert result.returncode == 0
    before = (machine.directory / "before").read_text()
    assert "missing (tools other): alpha beta gamma" in before
    update, install = commands(before)
    assert install.endswith("install --no-install-recommends alpha beta gamma")
    assert ["env DEBIAN_FRONTEND=noninteractive " + line for line in machine.record] == [update, install]
    assert machine.installed == ["alpha", "beta", "gamma"]


@pytest.mark.parametrize("uid", ["0", "1000"])
def test_no_never_installs(machine, uid):
    """Catches SETUP=no that installs or fails."""
    machine.has(uid=uid)
    result = machine.run("tools", setup="no")
    assert (result.returncode, result.stdout, result.stderr, machine.record) == (0, "", "", [])


def test_another_value_is_refused(machine):
    """Catches a misspelt SETUP that is interpreted as yes."""
    result = machine.run("tools", setup="maybe")
    assert (result.returncode, machine.record) == (2, [])
    assert "neither yes nor no" in result.stderr


def test_what_another_package_provides_is_not_missing(machine):
    """Catches a request for a package whose function another installed package provides, or the reverse for one not
    installed."""
    machine.has(installed="alpha\n", provided="installed nothing\ninstalled other, beta-of-old (= 1)\n", uid="1000")
    result = machine.run("tools")
    assert (result.returncode, result.stdout, result.stderr, machine.record) == (0, "", "", [])
    machine.has(installed="alpha\n", provided="config-files other, beta-of-old (= 1)\n", uid="1000")
    assert machine.run("tools").returncode == 1


def test_user_without_terminal_needs_leave(machine):
    """Catches sudo used without permission, in a script or in CI."""
    machine.has(uid="1000")
    result = machine.run("tools")
    assert (result.returncode, machine.record) == (1, [])
    update, install = commands(result.stdout)
    assert update.startswith("sudo ") and install.startswith("sudo ")
    assert result.stderr.count("\n") == 1
    assert "SETUP=yes" in result.stderr


def test_user_without_terminal_with_leave(machine):
    """Catches SETUP=yes that does not suffice."""
    machine.has(uid="1000")
    result = machine.run("tools", setup="yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert [line for line in machine.record if line.startswith("sudo env")] == commands(result.stdout)
    assert machine.installed == ["alpha", "beta"]


def test_sudo_wants_a_password_and_there_is_no_terminal(machine):
    """Catches a hanging sudo, and an answer of several lines."""
    machine.has(uid="1000", password="secret")
    result = machine.run("tools", setup="yes")
    assert (result.returncode, machine.installed) == (1, [])
    assert machine.record == ["sudo -n true"]
    assert len(commands(result.stdout)) == 2
    assert result.stderr.count("\n") == 1
    assert "sudo wants a password" in result.stderr and "yourself" in result.stderr


def test_neither_root_nor_sudo(machine):
    """Catches a missing sudo that is reported as a missing package."""
    machine.has(uid="1000")
    (machine.bin / "sudo").unlink()
    result = machine.run("tools", setup="yes")
    assert (result.returncode, machine.record) == (1, [])
    assert "neither root nor sudo" in result.stderr


@pytest.mark.parametrize("answer", ["n", "", "no", "x"])
def test_terminal_asks_and_takes_no(machine, answer):
    """Catches a question that any answer confirms."""
    machine.has(uid="1000")
    status, shown = machine.on_terminal("tools", answers=answer + "\n")
    assert (status, machine.record) == (1, []), shown
    before, _, after = shown.partition("Install them? [y/N]")
    assert "alpha beta" in before and "nothing was installed" in after, shown


@pytest.mark.parametrize("answer", ["y", "Y", "yes"])
def test_terminal_asks_and_takes_yes(machine, answer):
    """Catches a question that no answer confirms."""
    machine.has(uid="1000")
    status, shown = machine.on_terminal("tools", answers=answer + "\n")
    assert status == 0, shown
    assert machine.installed == ["alpha", "beta"]
    assert [line for line in machine.record if line.startswith("sudo")] == commands(shown)


def test_terminal_with_leave_does_not_ask(machine):
    """Catches a question that was already answered."""
    machine.has(uid="1000")
    status, shown = machine.on_terminal("tools", setup="yes")
    assert (status, machine.installed) == (0, ["alpha", "beta"])
    assert "Install them" not in shown


def test_password_is_typed_on_the_terminal(machine):
    """Catches a sudo that cannot ask for its password."""
    machine.has(uid="1000", password="secret")
    status, shown = machine.on_terminal("tools", answers="y\nsecret\nsecret\n")
    assert status == 0, shown
    assert machine.installed == ["alpha", "beta"]


def test_wrong_password_on_the_terminal(machine):
    """Catches a refused sudo after which make continues."""
    machine.has(uid="1000", password="secret")
    status, shown = machine.on_terminal("tools", answers="y\nwrong\nwrong\n")
    assert (status, machine.installed) == (1, [])
    assert "yourself" in shown


def test_fresh_machine_offers_nothing_before_the_update(machine):
    """Catches a requirement for package lists, which a fresh container lacks."""
    machine.has(**{"offered": "", "offered-later": "alpha\nbeta\n"})
    result = machine.run("tools")
    assert (result.returncode, result.stderr) == (0, "")
    assert machine.installed == ["alpha", "beta"]


def test_another_list_after_the_update_is_shown_again(machine):
    """Catches packages that were never shown."""
    machine.has(**{"offered": "", "offered-later": "alpha\nbeta-of-old\n"})
    result = machine.run("tools")
    assert (result.returncode, result.stderr) == (0, "")
    assert commands(result.stdout)[-1].endswith("alpha beta-of-old")
    assert machine.installed == ["alpha", "beta-of-old"]


def test_another_list_after_the_update_is_asked_for_again(machine):
    """Catches a yes that is applied to another list."""
    machine.has(**{"uid": "1000", "offered": "", "offered-later": "alpha\nbeta-of-old\n"})
    status, shown = machine.on_terminal("tools", answers="y\nn\n")
    assert (status, machine.installed) == (1, [])
    assert shown.count("Install them? [y/N]") == 2


def test_the_distribution_has_not_got_it(machine):
    """Catches a partial installation."""
    machine.has(offered="alpha\n")
    result = machine.run("tools")
    assert (result.returncode, machine.installed) == (1, [])
    assert "offers none of: beta|beta-of-old" in result.stderr


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg compares versions, and is not installed")
def test_least_version(machine):
    """Catches a package that is too old and taken for what is needed, or offered in place of it, and a refusal that names
    neither package, version nor system."""
    machine.has(installed="delta 3.25.1-1\n")
    assert (machine.run("newer").returncode, machine.record) == (0, [])
    machine.has(installed="epsilon\n")
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


def test_a_failed_update_is_no_reason_to_stop(machine):
    """Catches a single failing mirror that stops everything."""
    machine.has(**{"update-status": "100"})
    result = machine.run("tools")
    assert (result.returncode, machine.installed) == (0, ["alpha", "beta"])
    assert "update failed" in result.stderr


def test_a_failed_installation(machine):
    """Catches a hidden failure of apt, or a hidden message."""
    machine.has(**{"install-status": "100"})
    result = machine.run("tools")
    assert result.returncode == 1
    assert "disk full" in result.stderr and "the installation failed" in result.stderr


def test_another_system(machine):
    """Catches a requirement for dpkg where it does not exist."""
    (machine.bin / "dpkg-query").unlink()
    result = machine.run("tools")
    assert (result.returncode, machine.record) == (0, [])
    assert "no Debian packages" in result.stderr


def test_unknown_set(machine):
    """Catches a misspelt set that requires nothing."""
    result = machine.run("toolz")
    assert (result.returncode, machine.record) == (2, [])
    assert "no set 'toolz'" in result.stderr
