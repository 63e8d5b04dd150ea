# SPDX-License-Identifier: BSD-2-Clause
"""cprng-seed.service under the distribution's systemd as the first process: the seed file is created at the first
start, and replaced at each later start, at each stop and at shutdown.

CPRNG_VM_COMMAND is the command, which the unit names as /usr/bin/cprng.
"""

import os
import pathlib

import pytest

from guests import initramfs
from guests.machine import Machine

ROOT = pathlib.Path(__file__).parent.parent.parent
UNIT = ROOT / "cli" / "systemd" / "cprng-seed.service.in"
SYSTEMD = pathlib.Path("/lib/systemd/systemd")
# systemd's own units that the unit names or that the shutdown uses.
TARGETS = ["sysinit.target", "shutdown.target", "poweroff.target", "final.target", "umount.target", "systemd-poweroff.service"]

# Copies the initial file system, which does not support mount namespaces, to another one and switches to it.
START = """
mkdir /root-of-systemd
mount -t tmpfs -o size=400m tmpfs /root-of-systemd
cp -a /bin /sbin /usr /lib /lib64 /etc /var /root-of-systemd/
cd /root-of-systemd
mkdir -p proc sys dev run tmp root home etc/systemd/system/sysinit.target.wants
# As `systemctl enable` does.
ln -s /lib/systemd/system/cprng-seed.service etc/systemd/system/sysinit.target.wants/
export SYSTEMD_LOG_TARGET=kmsg SYSTEMD_COLORS=0
exec switch_root /root-of-systemd /lib/systemd/systemd --log-level=notice --default-standard-output=null
"""

# Printed about the file: its mode, its directory's, its size, and its content.
SHOW = f"""#!/bin/sh
exec </dev/ttyS0 >/dev/ttyS0 2>&1
echo "$1 $(stat -c %a:%s /var/lib/cprng/seed) $(stat -c %a:%U /var/lib/cprng) $(sha256sum </var/lib/cprng/seed | cut -c 1-32)"
if [ "$1" = started ]; then
	systemctl is-active cprng-seed.service
	systemctl stop cprng-seed.service && /bin/show stopped
	systemctl start cprng-seed.service && /bin/show again
	systemctl --no-block poweroff
fi
if [ "$1" = ended ]; then
	printf '\\{initramfs.PASS:03o}' | dd of=/dev/port bs=1 seek={initramfs.PORT} count=1 2>/dev/null
fi
"""

OWN_UNITS = {
    "test.target": "[Unit]\nRequires=sysinit.target show.service report.service\nAfter=sysinit.target\n",
    # Started after the unit, as a conflict for late units.
    "show.service": "[Unit]\nDefaultDependencies=no\nAfter=sysinit.target\n"
                    "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/show started\n",
    # Started before the unit, so stopped after it.
    "report.service": "[Unit]\nDefaultDependencies=no\nBefore=cprng-seed.service shutdown.target\n"
                      "Conflicts=shutdown.target\n"
                      "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\nExecStop=/bin/show ended\n",
}  # fmt: skip


@pytest.fixture(name="contents")
def _contents(tmp_path):
    command = os.environ.get("CPRNG_VM_COMMAND")
    if not command or not pathlib.Path(command).exists():
        pytest.skip("CPRNG_VM_COMMAND is not the path of the command")
    if not SYSTEMD.exists():
        pytest.skip("systemd is not installed")
    unit = tmp_path / "cprng-seed.service"
    unit.write_text(UNIT.read_text().replace("@bindir@", "/usr/bin"))
    show = tmp_path / "show"
    show.write_text(SHOW)
    show.chmod(0o755)
    files = {"/etc/machine-id": "0123456789abcdef0123456789abcdef\n", "/etc/passwd": "root:x:0:0::/root:/bin/sh\n",
             "/etc/group": "root:x:0:\n", "/etc/nsswitch.conf": "passwd: files\ngroup: files\n",
             "/var/lib/none": "", "/etc/os-release": "ID=test\n"}  # fmt: skip
    files.update({f"/etc/systemd/system/{name}": text for name, text in OWN_UNITS.items()})
    contents = [initramfs.Program(SYSTEMD, str(SYSTEMD)), initramfs.Program(pathlib.Path("/bin/systemctl")),
                initramfs.Program(pathlib.Path("/lib/systemd/systemd-shutdown"), "/lib/systemd/systemd-shutdown"),
                initramfs.Program(pathlib.Path(command), "/usr/bin/cprng"), initramfs.Program(show, "/bin/show"),
                initramfs.File(unit, "/lib/systemd/system/cprng-seed.service")]  # fmt: skip
    contents += [initramfs.File(pathlib.Path("/lib/systemd/system") / name, f"/lib/systemd/system/{name}") for name in TARGETS]
    for number, (target, text) in enumerate(files.items()):
        source = tmp_path / f"file-{number}"
        source.write_text(text)
        contents.append(initramfs.File(source, target))
    return contents


def test_seed_file_by_systemd(release, tmp_path, contents):
    """Catches a unit that does not run at the start, a stop or the end of the machine, or is refused something."""
    archive = initramfs.build(tmp_path, contents, START)
    with Machine(release, archive, tmp_path, cpus=2, memory=1024, append="systemd.unit=test.target") as machine:
        digests = []
        for word in ["started", "stopped", "again", "ended"]:
            # For emulation on a busy machine; costs nothing otherwise.
            shown = machine.wait_for(rf"^{word} 600:64 700:root ([0-9a-f]{{32}})", timeout=1200)
            digests.append(shown.group(1))
            if word == "started":
                machine.wait_for("^active$")
        # The seeds of the first start, the stop, the second start, and the shutdown.
        assert len(set(digests)) == 4
        machine.finish()
