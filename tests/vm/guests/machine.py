# SPDX-License-Identifier: BSD-2-Clause
"""An emulated machine: its console, its monitor, its saved state, and its exit code."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import socket
import subprocess
import threading
import time

from guests import initramfs, kernel_log

# qemu's exit codes from isa-debug-exit.  A panic, a reboot or a power-off ends qemu with 0, so 0 does not mean a pass.
EXIT_PASS = initramfs.PASS << 1 | 1
assert EXIT_PASS not in (0, 1)

# Ten times as long as a boot takes, for slow emulation; a busy machine takes nothing of it (Deadline).
TIMEOUT = 120

# One line for each guest that was booted twice.
booted_again = []


class Failure(AssertionError):
    """The guest failed; the text ends with the last lines of its console."""


class Deadline:
    """The end of a wait for a process: these seconds, without those for which its most delayed thread was ready but no CPU was
    free.  Linux counts these (/proc/PID/task/TID/schedstat), so the load of other processes decides no test."""

    def __init__(self, process, seconds):
        self._tasks = pathlib.Path(f"/proc/{process.pid}/task")
        self._until = time.monotonic() + seconds
        self._delayed = 0
        self._before = self._delays()

    def _delays(self):
        delays = {}
        with contextlib.suppress(OSError):  # threads and the process may end
            for task in self._tasks.iterdir():
                delays[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
        return delays

    def left(self):
        """Seconds, 0 or less at the end."""
        for task, delay in self._delays().items():
            self._delayed = max(self._delayed, delay - self._before.get(task, 0))
        return self._until + self._delayed - time.monotonic()


class Monitor:
    """QMP, qemu's protocol with JSON lines."""

    def __init__(self, path, timeout=TIMEOUT):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rw", encoding="utf-8")
        self._receive()
        self.run("qmp_capabilities")

    def _receive(self):
        line = self._lines.readline()
        if not line:
            raise Failure("the monitor was closed")
        return json.loads(line)

    def run(self, command, **arguments):
        """Executes a command and returns its result.  Drops events that arrive in between."""
        self._lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._lines.flush()
        while True:
            answer = self._receive()
            if "error" in answer:
                raise Failure(f"monitor: {command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def close(self):
        with contextlib.suppress(OSError):
            self._lines.close()
        self._socket.close()


class Lines:
    """Collects the lines of a stream in a separate thread, so that a full pipe never stops the guest."""

    def __init__(self, stream):
        self.all = []
        self._seen = 0
        self._partial = b""
        self._stream = stream
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while True:
            chunk = self._stream.read1(65536)
            with self._changed:
                *whole, self._partial = (self._partial + chunk).split(b"\n")
                if not chunk:
                    whole, self._partial, self._ended = ([self._partial] if self._partial else []), b"", True
                self.all += [line.decode(errors="replace").rstrip("\r") for line in whole]
                self._changed.notify_all()
            if not chunk:
                return

    def _find(self, at, match, deadline):
        """The first match in the lines from `at` on, or None at the stream's end or the deadline; and the next place."""
        with self._changed:
            while True:
                while at < len(self.all):
                    found = match(self.all[at])
                    at += 1
                    if found:
                        return found, at
                left = deadline.left()
                if self._ended or left <= 0:
                    return None, at
                self._changed.wait(max(0.1, left))

    def first(self, is_it, deadline):
        """The first of all lines for which is_it holds; does not advance."""
        return self._find(0, lambda line: is_it(line) and line, deadline)[0]

    def wait_for(self, pattern, deadline):
        """The match in the next matching line."""
        found, self._seen = self._find(self._seen, re.compile(pattern).search, deadline)
        return found

    def close(self, timeout):
        self._thread.join(timeout)
        self._stream.close()


class Machine:
    """A guest from its start to its end; a context manager that ends qemu.

    The script's console is the first serial port (wait_for, send), the kernel's log the second (wait_for_log).

    If a kernel complains before any module is loaded and the script begins (initramfs.BEGINS), the cause is an error of
    the emulator: the guest is booted once more, and counted (booted_again).  Later complaints, and those of the second
    boot, fail the test.

    vmgenid   the generation's identifier (a UUID), or None for a machine without the device
    incoming  a file written by save(): the machine begins there, stopped, until resume().  It must be started
              with the same kernel, initrd, cpus, memory and devices.
    append    additions to the kernel's command line.  Not `quiet`, which hides warnings.
    devices   additional arguments for qemu
    timeout   the default limit of every wait
    qemu      the command of another qemu
    """

    QEMU = ("qemu-system-x86_64",)
    # The CPU, the script's port and the device for exit codes.  The kernel's log gets the next serial port.
    DEVICES = ("-cpu", "max", "-serial", "stdio", "-device", f"isa-debug-exit,iobase={initramfs.PORT:#x},iosize=1")
    # On a busy machine an emulated CPU may never calibrate its delay loop, so set a usual value.
    APPEND = "console=ttyS1 lpj=10000000 no_timer_check"

    def __init__(self, kernel, initrd, directory, *, cpus=2, memory=512, append="", vmgenid=None, incoming=None,
                 devices=(), qemu=None, name="guest", timeout=TIMEOUT):
        self.name = name
        self._timeout = timeout
        self._monitor = None
        self._monitor_path = pathlib.Path(directory) / f"{name}.monitor"
        command = [
            *(qemu or self.QEMU), "-accel", "tcg,thread=multi", "-smp", str(cpus), "-m", str(memory),
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", *self.DEVICES,
            "-qmp", f"unix:{self._monitor_path},server=on,wait=off",
            "-kernel", str(kernel.vmlinux), "-initrd", str(initrd),
            "-append", f"panic=-1 {self.APPEND} {append}", *devices,
        ]
        if vmgenid is not None:
            command += ["-device", f"vmgenid,guid={vmgenid}"]
        if incoming is not None:
            command += ["-incoming", f"exec:cat {shlex.quote(str(incoming))}"]
        self._start(command)
        if incoming is None:
            self._expect_boot(command)

    def _start(self, command):
        self._monitor_path.unlink(missing_ok=True)
        log, log_end = os.pipe()
        # qemu's own messages arrive on the console's pipe.
        try:
            self._process = subprocess.Popen([*command, "-serial", f"file:/dev/fd/{log_end}"], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=[log_end])
        finally:
            os.close(log_end)
        self.console = Lines(self._process.stdout)
        self.log = Lines(open(log, "rb"))

    def _expect_boot(self, command):
        complaint = self._early_complaint()
        if complaint:
            booted_again.append(f"{self.name}: {complaint}")
            self.close()
            self._start(command)
            complaint = self._early_complaint()
            if complaint:
                self.close()
                self._fail(f"before any module was loaded, in both boots, the kernel complains: {complaint}")

    def _early_complaint(self):
        """The kernel's complaint before the script begins, or None.  If the guest ends or hangs without one, later waits fail."""
        line = self.log.first(lambda line: initramfs.BEGINS in line or kernel_log.complaints([line]), self._deadline())
        return None if line is None or initramfs.BEGINS in line else line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _fail(self, what):
        def tail(lines):
            return "".join(f"\n    {line}" for line in lines.all[-30:])
        raise Failure(f"{self.name}: {what}; the end of its kernel's log:{tail(self.log)}\nof its console:"
                      f"{tail(self.console)}")

    def _deadline(self, timeout=None):
        return Deadline(self._process, timeout or self._timeout)

    def _wait_for(self, lines, what, pattern, timeout):
        match = lines.wait_for(pattern, self._deadline(timeout))
        if match is None:
            end = "" if self._process.poll() is None else f", and qemu has ended with {self._process.poll()}"
            self._fail(f"no line with {pattern!r} {what}{end}")
        return match

    def wait_for(self, pattern, timeout=None):
        """The match in the console's next matching line; earlier lines are not searched again."""
        return self._wait_for(self.console, "on the console", pattern, timeout)

    def wait_for_log(self, pattern, timeout=None):
        """The same with the kernel's log."""
        return self._wait_for(self.log, "in the kernel's log", pattern, timeout)

    def send(self, line):
        """Types a line at the console."""
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    @property
    def monitor(self):
        deadline = self._deadline()
        while self._monitor is None:
            try:
                self._monitor = Monitor(self._monitor_path)
            except (FileNotFoundError, ConnectionRefusedError):
                # qemu listens shortly after its start; no event announces that.
                if self._process.poll() is not None or deadline.left() <= 0:
                    self._fail("no monitor")
                time.sleep(0.01)
        return self._monitor

    def stop(self):
        """Stops all CPUs."""
        self.monitor.run("stop")

    def resume(self):
        self.wait_until_loaded()
        self.monitor.run("cont")

    def wait_until_loaded(self):
        """For a machine with `incoming`: waits until its state is loaded.  It is stopped where it was saved."""
        self._poll("query-status", lambda status: status["status"] != "inmigrate", "the state was not loaded")

    def _poll(self, command, good, otherwise):
        deadline = self._deadline()
        while not good(self.monitor.run(command)):
            if self._process.poll() is not None or deadline.left() <= 0:
                self._fail(otherwise)
            time.sleep(0.02)

    def save(self, path):
        """Stops the machine and writes its state to a file.  It can continue afterwards, or be closed."""
        def done(migration):
            if migration.get("status") in ("failed", "cancelled"):
                self._fail(f"the state was not saved: {migration.get('error-desc', 'no reason given')}")
            return migration.get("status") == "completed"

        self.stop()
        self.monitor.run("migrate", uri=f"exec:cat > {shlex.quote(str(path))}")
        self._poll("query-migrate", done, "the state was not saved")

    def ended(self):
        """Whether qemu has ended."""
        return self._process.poll() is not None

    def wait(self, timeout=None):
        """The exit code of qemu."""
        deadline = self._deadline(timeout)
        while self._process.poll() is None:
            left = deadline.left()
            if left <= 0:
                self._fail("it does not end")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(max(0.1, left))
        return self._process.returncode

    def finish(self, timeout=None):
        """Waits for the end; the guest must have passed, and its kernel must not have reported errors."""
        code = self.wait(timeout)
        self.close()
        self.check_log()
        self._check_end(code)

    def _check_end(self, code):
        if code != EXIT_PASS:
            self._fail(f"qemu ended with {code}; a pass is {EXIT_PASS}")

    def check_log(self):
        found = kernel_log.complaints(self.log.all)
        if found:
            self._fail(f"the kernel complains: {found[0]}")

    def close(self):
        """Ends qemu; afterwards all its output is in console and log."""
        if self._monitor is not None:
            self._monitor.close()
            self._monitor = None
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self.console.close(TIMEOUT)
        self.log.close(TIMEOUT)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._monitor_path.unlink(missing_ok=True)


class Arm64(Machine):
    """AArch64.  The board's only port has the kernel's log; the script's port is on the PCI bus.  No device ends qemu with
    an exit code, so the script's last line has the result."""

    QEMU = ("qemu-system-aarch64",)
    # Sign return addresses by a fast function: with the default one, emulation takes six times as long.
    DEVICES = ("-machine", "virt,gic-version=3", "-cpu", "max,pauth-impdef=on", "-chardev", "stdio,id=script",
               "-device", "pci-serial,chardev=script")
    APPEND = "console=ttyAMA0"

    def _check_end(self, code):
        last = self.console.all[-1:]
        if code != 0 or last != ["guest: passed"]:
            self._fail(f"qemu ended with {code} after {last}; a pass is 0 after the line that reports it")


def summarize(terminalreporter):
    """Reports at the end of a run the guests that were booted again."""
    if booted_again:
        terminalreporter.section("guests booted once more")
        for line in booted_again:
            terminalreporter.line(line)
        terminalreporter.line(f"{len(booted_again)} in all: their kernels complained before any module was loaded")
