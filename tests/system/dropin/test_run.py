# SPDX-License-Identifier: BSD-2-Clause
"""cprng run: programs with libcprng-preload.so, or one line that says why not."""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

from dropin import PYTHON, built, full_disk, run

MAPS = "print('libcprng-preload.so' in open('/proc/self/maps').read(), 'preload-devices' in open('/proc/self/maps').read())"


def cprng(*words, **options):
    return run(built("CPRNG_COMMAND"), "run", *words, **options)


def refused(result, status, *culprits):
    """One line that names the culprits, without the program's output; a long path is truncated."""
    text = result.stderr.decode()
    assert (result.returncode, result.stdout) == (status, b"")
    assert text.startswith("cprng: ") and text.count("\n") == 1
    for culprit in culprits:
        assert culprit in text


def test_run_preloads():
    """Catches a program started without the library, or with the devices although they were not requested."""
    assert cprng("--", PYTHON, "-c", MAPS).stdout == b"True False\n"
    assert cprng("--devices", "--", PYTHON, "-c", MAPS).stdout == b"True True\n"
    # In addition to already preloaded libraries.
    other = built("CPRNG_PRELOAD_DEVICES")
    assert cprng("--", PYTHON, "-c", MAPS, env=dict(os.environ, LD_PRELOAD=other)).stdout == b"True True\n"


def test_run_passes_on(tmp_path):
    """Catches arguments, input, environment, status or signals that do not reach the program unchanged."""
    script = "import os, sys; print(sys.argv[1:], sys.stdin.read(), os.environ['X']); sys.exit(7)"
    result = cprng("--", PYTHON, "-c", script, "-x", "--", "a b", "", stdin=None, input=b"in", env=dict(os.environ, X="1"))
    assert (result.returncode, result.stdout, result.stderr) == (7, b"['-x', '--', 'a b', ''] in 1\n", b"")
    show = ["cat", "/proc/self/status"]
    signals = [re.findall(r"Sig(?:Ign|Blk|Cgt):\t\w+", result.stdout.decode())
               for result in (run(*show), cprng("--", *show), cprng("--report", "--", *show))]
    assert len(signals[0]) == 3 and signals[0] == signals[1] == signals[2]
    # Relative to PATH and to the directory.
    (tmp_path / "script").write_text("#!/bin/sh\necho here $1\n")
    (tmp_path / "script").chmod(0o755)
    assert cprng("--", "./script", "1", cwd=tmp_path).stdout == b"here 1\n"
    (tmp_path / "plain").write_text("echo plain $1\n")
    (tmp_path / "plain").chmod(0o755)
    assert cprng("--", "./plain", "3", cwd=tmp_path).stdout == b"plain 3\n"
    path = f"/nowhere:{tmp_path}:/usr/bin:/bin"
    assert cprng("--", "script", "2", env=dict(os.environ, PATH=path)).stdout == b"here 2\n"


def test_run_takes_a_command_line_as_env_does():
    """Catches a program's option that `cprng run` treats as its own, or the reverse."""
    script = "import sys; print(sys.argv[1:]); " + MAPS
    own = ["--devices", "--report", "--help", "-h", "--version", "--", "-x", "--no-such"]
    expected = f"{own}\nTrue {{}}\n"
    assert cprng(PYTHON, "-c", script, *own).stdout.decode() == expected.format(False)
    result = cprng("--report", "--devices", PYTHON, "-c", script, *own)
    assert result.stdout.decode() == expected.format(True)
    assert result.stderr.startswith(b"cprng run: 1 program")
    # Only the first one belongs to it.
    assert cprng("--devices", "--", PYTHON, "-c", script, *own).stdout.decode() == expected.format(True)
    assert cprng("printf", "%s", "--").stdout == b"--"
    assert cprng("--help", "ls").stdout.startswith(b"run a program")
    words = ["[a,b]", "[]", "[[aabb]]", "{}", "%%", "++", "", "\x7f[", "-", "[print(1),print(2)]", "a=[b]"]
    for before in [[], ["--"], ["--devices"], ["--report", "--"]]:
        assert cprng(*before, "printf", "%s|", *words).stdout.decode() == "".join(f"{word}|" for word in words)
    refused(cprng("[a,b]"), 127, "'[a,b]'")
    refused(cprng("--no-such", "--help", "ls"), 2, "'--no-such'")
    refused(cprng("--", "--report"), 127, "'--report'")


def test_run_report(tmp_path):
    """Catches wrong counts, "1 calls", a report mixed with the output, a lost status, and a file left behind."""
    env = dict(os.environ, TMPDIR=str(tmp_path))
    result = cprng("--report", "--", built("CPRNG_SUBJECT"), "counted", env=env)
    assert (result.returncode, result.stdout) == (0, b"")
    assert [line.split() for line in result.stderr.decode().splitlines()] == [
        "cprng run: 1 program with the library".split(), "arc4random 4 calls 16 bytes".split(),
        "arc4random_buf 1 call 16 bytes".split(), "arc4random_uniform 1 call 4 bytes".split(),
        "getentropy 1 call 16 bytes".split(), "getrandom 1 call 16 bytes".split(),
    ]
    assert cprng("--report", "--", "sh", "-c", "exit 9", env=env).returncode == 9
    killed = cprng("--report", "--", "sh", "-c", "kill -9 $$", env=env)
    assert killed.returncode == 137 and killed.stderr.startswith(b"cprng run: 1 program with the library\n")
    assert not list(tmp_path.iterdir())
    refused(cprng("--report", "--", "true", env=dict(os.environ, TMPDIR="/no/such")), 1, "/no/such", "No such file")


def test_run_report_on_a_full_disk(tmp_path):
    """Catches a command or program killed by SIGBUS for lack of space, and a useless file left behind."""
    script = 'TMPDIR="$0" "$1" run --report -- echo started; status=$?; ls "$0"; exit $status'
    result = full_disk(tmp_path, "sh", "-c", script, tmp_path, built("CPRNG_COMMAND"))
    assert (result.returncode, result.stdout) == (1, b"full\nreport\n")
    assert re.fullmatch(r"cprng: '\S+': No space left on device\n", result.stderr.decode())


def test_run_report_of_processes_that_stay(tmp_path):
    """Catches complaints of programs started after the report was printed, and a report that waits for them."""
    fifo, said = tmp_path / "fifo", tmp_path / "said"
    os.mkfifo(fifo)
    script = f'(read word <"{fifo}"; "$0" counted; echo "status $?") >"{said}" 2>&1 &'
    result = cprng("--report", "--", "sh", "-c", script, built("CPRNG_SUBJECT"))
    assert result.returncode == 0 and b"cprng run: 1 program with the library\n" == result.stderr
    with open(fifo, "w", encoding="ascii") as go:
        go.write("word\n")
    while not said.read_text().endswith("\n"):
        time.sleep(0.01)
    assert said.read_text() == "status 0\n"


TELLS_SIGNALS = """
import signal, sys
signals = [signal.Signals[name] for name in sys.argv[1:]] + [signal.SIGRTMIN + 3]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
print("ready", flush=True)
while True:
    info = signal.sigtimedwait(signals, 60) or sys.exit(1)
    print(info.si_signo, flush=True)
    if info.si_signo == signal.SIGRTMIN + 3:
        sys.exit(3)
"""


def test_run_report_passes_signals_on(tmp_path):
    """Catches a signal that ends or bypasses `cprng run --report` instead of reaching its program."""
    names = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGTERM", "SIGCONT", "SIGWINCH"]
    process = subprocess.Popen([built("CPRNG_COMMAND"), "run", "--report", "--", PYTHON, "-c", TELLS_SIGNALS, *names],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(tmp_path)))
    assert process.stdout.readline() == b"ready\n"
    for number in [*(signal.Signals[name] for name in names), signal.SIGRTMIN + 3]:
        process.send_signal(number)
        assert process.stdout.readline() == b"%d\n" % number
    _, text = process.communicate(timeout=900)
    assert process.returncode == 3
    assert text.startswith(b"cprng run: 1 program")
    assert not list(tmp_path.iterdir())


def test_run_report_at_a_terminal(tmp_path):
    """Catches a terminal signal that the program receives twice, or that ends `cprng run --report` before its program."""
    script = ("import os, signal, sys\n"
              "count = lambda *_: os.write(1, b'interrupted\\n')\n"
              "signal.signal(signal.SIGINT, count)\n"
              "os.write(1, b'ready\\n')\n"
              "sys.exit(len(sys.stdin.readline()))\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TMPDIR"] = str(tmp_path)
        os.execv(built("CPRNG_COMMAND"), ["cprng", "run", "--report", "--", PYTHON, "-c", script])
    text = b""

    def read_until(end):
        nonlocal text
        while end not in text:
            text += os.read(terminal, 4096)

    read_until(b"ready")
    os.write(terminal, b"\x03")
    read_until(b"interrupted")
    os.write(terminal, b"abc\n")
    read_until(b"with the library")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 4
    assert text.count(b"interrupted") == 1
    assert not list(tmp_path.iterdir())


def test_run_what_is_not_there(tmp_path):
    """Catches a command that cannot be started without a line that says why, or another status than env(1)'s."""
    refused(cprng("--", "no-such-command-1"), 127, "'no-such-command-1'", "PATH")
    refused(cprng("--", "/no/such"), 127, "'/no/such'", "No such file")
    (tmp_path / "text").write_text("text")
    refused(cprng("--", "./text", cwd=tmp_path), 126, "text'", "Permission denied")
    # A FIFO's writer is not waited for.
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "fifo").chmod(0o755)
    (tmp_path / "wrapped").write_text(f"#!{tmp_path}/fifo\n")
    (tmp_path / "wrapped").chmod(0o755)
    for name, culprit in [("./fifo", "fifo'"), ("./wrapped", "fifo'"), (tmp_path, "Permission"), ("/dev/null", "'/dev/null'")]:
        refused(cprng("--", name, cwd=tmp_path), 126, culprit, "Permission denied")
    refused(cprng(), 2, "command", "cprng run --help")
    refused(cprng("--report"), 2, "command", "cprng run --help")
    refused(cprng("--"), 2, "command", "cprng run --help")
    refused(cprng("--repord", "ls"), 2, "'--repord'", "cprng run --help")
    refused(cprng("-l", "ls", "--report"), 2, "'-l'", "cprng run --help")
    (tmp_path / "script").write_text("#! /no/such/interpreter -x\n")
    (tmp_path / "script").chmod(0o755)
    refused(cprng("--", "./script", cwd=tmp_path), 126, "script'", "'/no/such/interpreter'")


def program_of(tmp_path, *options):
    path = tmp_path / "program"
    compiled = subprocess.run([*os.environ.get("CC", "cc").split(), *options, "-x", "c", "-", "-o", path],
                              input="int main(void) { return 0; }", text=True, capture_output=True, check=False)
    if compiled.returncode != 0:
        pytest.skip(f"no program with {' '.join(options)} can be made")
    return path


@pytest.mark.parametrize("options, why", [
    (["-static"], "is a static program"), (["-static-pie"], "is a static program"),
    (["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"], "for another C library"),
])
def test_run_refuses_programs(tmp_path, options, why):
    """Catches a program that the dynamic linker would silently start without the library."""
    program_of(tmp_path, *options)
    refused(cprng("--", "./program", cwd=tmp_path), 126, "program'", why)
    # By a script, too.
    (tmp_path / "script").write_text("#!./program\n")
    (tmp_path / "script").chmod(0o755)
    refused(cprng("--", "./script", cwd=tmp_path), 126, "program'", why)


def test_run_refuses_the_address_sanitizer(tmp_path):
    """Catches a program whose sanitizer ends it because of the preloaded library, without an advance warning."""
    program_of(tmp_path, "-fsanitize=address")
    if b"libasan" not in run("readelf", "-d", tmp_path / "program").stdout:
        pytest.skip("this compiler has the address sanitizer in the program")
    refused(cprng("--", "./program", cwd=tmp_path), 126, "program'", "address sanitizer", "ASAN_OPTIONS=verify_asan_link_order=0")
    for name, value in [("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0"), ("LD_PRELOAD", "libasan.so.8:libm.so.6")]:
        result = cprng("--", "./program", cwd=tmp_path, env=dict(os.environ, **{name: value}))
        assert (result.returncode, result.stderr) == (0, b""), name


def test_run_refuses_another_architecture(tmp_path):
    """Catches a 32-bit program started without the library; with a compiler for them, one that would run."""
    compiler = shutil.which("i686-linux-gnu-gcc")
    if compiler:
        subprocess.run([compiler, "-x", "c", "-", "-o", tmp_path / "of-32-bits"], input="int main(void) { return 0; }", text=True,
                       check=True)
        refused(cprng("--", "./of-32-bits", cwd=tmp_path), 126, "of-32-bits'", "another architecture")
    data = bytearray(pathlib.Path("/bin/true").read_bytes())
    data[4] = 1  # EI_CLASS: 32 bits
    path = tmp_path / "program"
    path.write_bytes(data)
    path.chmod(0o755)
    refused(cprng("--", "./program", cwd=tmp_path), 126, "program'", "another architecture")


def test_run_refuses_setuid(tmp_path):
    """Catches a set-user-ID program or the like, for which the dynamic linker silently ignores the library."""
    if os.getuid() != 0:
        pytest.skip("only root can make a program of another user")
    path = tmp_path / "program"
    shutil.copy("/bin/true", path)
    os.chown(path, 65534, 0)
    path.chmod(0o4755)
    refused(cprng("--", "./program", cwd=tmp_path), 126, "program'", "setuid")
    path.chmod(0o755)
    os.chown(path, 0, 65534)
    path.chmod(0o2755)
    refused(cprng("--", "./program", cwd=tmp_path), 126, "program'", "setuid or setgid")
    # Its own user gains nothing.
    os.chown(path, 0, 0)
    path.chmod(0o6755)
    assert cprng("--", path).returncode == 0


def test_run_without_the_libraries(tmp_path):
    """Catches a program started without the library if that is not installed, or is in an unusable path."""
    shutil.copy(built("CPRNG_COMMAND"), tmp_path / "cprng")
    refused(run(tmp_path / "cprng", "run", "--", "true"), 1, "libcprng-preload.so", "beside the command")
    # As installed, and as built.
    shutil.copy(built("CPRNG_PRELOAD"), tmp_path)
    result = run(tmp_path / "cprng", "run", "--", PYTHON, "-c", MAPS)
    assert (result.returncode, result.stdout) == (0, b"True False\n")
    blank = tmp_path / "a b"
    blank.mkdir()
    for path in (built("CPRNG_COMMAND"), built("CPRNG_PRELOAD")):
        shutil.copy(path, blank)
    refused(run(blank / "cprng", "run", "--", "true"), 1, "a b", "blank")
