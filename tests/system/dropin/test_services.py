# SPDX-License-Identifier: BSD-2-Clause
"""docs/dropins.md: systemd knows its lines for units, and servers in the environment of these lines draw from the
library, started as by Debian's units."""

import contextlib
import os
import pathlib
import re
import shlex
import signal
import time
import urllib.request

import pytest

import servers
from dropin import PYTHON, Report, distinct, good, installed, program, run

PAGE = (pathlib.Path(__file__).parent.parent.parent.parent / "docs/dropins.md").read_text(encoding="utf-8")
OPENSSL, LIBC = "nginx", "Programs that call the C library"


def block(section, kind):
    """A section's first code of a language."""
    text = re.search(rf"(?ms)^### {section}.*?\n(.*?)^##", PAGE)[1]
    return re.search(rf"(?ms)^```{kind}\n(.*?)^```$", text)[1]


def applied(section, prefix):
    """What systemd makes of the section's lines: the environment, and the commands before the start."""
    heading, *lines = block(section, "ini").replace("/usr/local", str(prefix)).splitlines()
    assert heading == "[Service]"
    settings = [line.partition("=")[::2] for line in lines]
    assert {name for name, _ in settings} == {"Environment", "ExecStartPre"}
    variables = dict(shlex.split(value)[0].partition("=")[::2] for name, value in settings if name == "Environment")
    return {**plain(), **variables}, [shlex.split(value) for name, value in settings if name == "ExecStartPre"]


def plain():
    return {**{name: value for name, value in os.environ.items() if name not in ("OPENSSL_CONF", "LD_PRELOAD")}, "LC_ALL": "C"}


def uses(process, library="/cprng.so"):
    return library in pathlib.Path(f"/proc/{process}/maps").read_text()


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("it does not happen")


@pytest.fixture(name="place", scope="module")
def fixture_place():
    """A directory that PostgreSQL's user may read, with what `make install` installs below "installed"."""
    with servers.readable([]) as (data, _):
        installed(data.parent / "installed", "openssl", "preload")
        yield data.parent


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(place):
    return place / "installed"


@pytest.mark.parametrize("section", [OPENSSL, LIBC])
def test_units(section, tmp_path):
    """Catches a line that systemd does not know."""
    program("systemd-analyze")
    (tmp_path / "a.service").write_text("[Service]\nExecStart=/bin/true\n")
    additions = tmp_path / "a.service.d/override.conf"
    additions.parent.mkdir()
    unknown = []
    for text in (block(section, "ini"), block(section, "ini").replace("Environment=", "Surroundings=")):
        additions.write_text(text)
        checked = run("systemd-analyze", "verify", "--man=no", "a.service", env={**plain(), "SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
        unknown.append(checked.returncode != 0 or b"override.conf" in checked.stderr)
    assert unknown == [False, True]


@pytest.mark.parametrize("section, missing", [(OPENSSL, "OPENSSL_CONF"), (LIBC, "LD_PRELOAD")])
def test_start_without_the_library(section, missing, prefix):
    """Catches a line before the start that stops a service with the drop-in, or lets one start without it."""
    environment, (check,) = applied(section, prefix)
    assert run(*check, env=environment).returncode == 0
    assert run(*check, env={**environment, missing: "/no/such"}).returncode != 0
    assert run(*check, env=plain()).returncode != 0


def test_start_where_nothing_may_be_executed(prefix, tmp_path):
    """Catches a line before the start that is content with a library of which the dynamic linker has mapped only data."""
    environment, (check,) = applied(LIBC, prefix)
    library = environment["LD_PRELOAD"]
    copy = f'mount -t tmpfs -o $0 none "{tmp_path}" && cp "{library}" "{tmp_path}"'
    checks = []
    for option in ("exec", "noexec"):
        line = ["unshare", "--map-root-user", "--mount", "sh", "-c", copy + ' && LD_PRELOAD="$1" exec "$2" "$3" "$4"', option,
                tmp_path / pathlib.Path(library).name, *check]
        if run(*line[:5], copy, option).returncode != 0:
            pytest.skip("no file system can be mounted")
        checks.append(run(*line).returncode)
    assert checks[0] == 0 and checks[1] != 0


def runs(process):
    """Whether the process runs; a zombie, which its parent may never wait for, does not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextlib.contextmanager
def stopping(process):
    try:
        yield process
    finally:
        os.kill(process, signal.SIGTERM)
        wait_for(lambda: not runs(process))


def test_nginx(prefix, tmp_path):
    """Catches a web server that does not draw from the library with the page's lines, or stops doing so after an upgrade, and
    an unnecessary line for the upgrade."""
    program("nginx")
    environment, _ = applied(OPENSSL, prefix)
    number = tmp_path / "pid"
    served = []
    for first in (block(OPENSSL, "nginx"), ""):
        server, line = servers.web_server(environment, tmp_path, first)
        good(*line, env=environment)
        with stopping(int(number.read_text())) as process:
            distinct([server.get() for _ in range(10)], 10)
            os.kill(process, signal.SIGUSR2)
            wait_for(lambda: number.exists() and number.read_text().strip() not in ("", str(process)))
            with stopping(int(number.read_text())) as new:
                served.append((uses(process), uses(new)))
    assert served == [(True, True), (True, False)]


def test_openssl(prefix, tmp_path):
    """Catches another server with OpenSSL that the lines for nginx do not serve."""
    environment, _ = applied(OPENSSL, prefix)
    servers.certify(tmp_path, environment)
    server = servers.WebServer(servers.free_port(), tmp_path / "cert.pem")
    line = [program("openssl"), "s_server", "-accept", f"127.0.0.1:{server.port}", "-www", "-cert", tmp_path / "cert.pem",
            "-key", tmp_path / "key.pem"]  # fmt: skip
    with servers.running(line, server.listens, env=environment) as process:
        assert b"s_server" in server.get()
        assert uses(process.pid)


def test_postgresql(place, prefix):
    """Catches lines with which PostgreSQL does not draw from the library, and lines that Debian's start of it does not need."""
    program("pg_ctlcluster")
    programs = servers.postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    typed = block("PostgreSQL", "text")
    query = re.search(r'psql -Atc "(.*)"', PAGE)[1]
    version, port, data = programs.parent.name, servers.free_port(), place / "data"
    options = {"cwd": data, **{key: servers.drops_to() for key in ("user", "group") if servers.drops_to()}}
    environment = {**applied(OPENSSL, prefix)[0], "PG_CLUSTER_CONF_ROOT": str(data / "etc")}
    good("pg_createcluster", version, "main", "-d", data / "cluster", "-p", port, "-s", data, "-l", data / "log", "--", "-A",
         "trust", "-N", env=environment, **options)  # fmt: skip
    variables = data / f"etc/{version}/main/environment"
    psql = [programs / "psql", "-X", "-At", "-h", data, "-p", port, "postgres"]
    server = servers.PostgreSQL(psql, {**options, "env": plain()})
    answers = []
    for text in ("", typed.replace("/usr/local", str(prefix))):
        variables.write_text(text)
        command = ["pg_ctlcluster", "--skip-systemctl-redirect", f"{version}-main"]
        run(*command, "start", env=environment, **options)
        try:
            answers.append(server.ask(query))
            if text:
                distinct(server.ask("select gen_random_uuid() from generate_series(1, 1000)").split(), 1000)
        finally:
            good(*command, "-m", "fast", "stop", env=environment, **options)
    assert answers == ["f\n", "t\n"]


def test_preload(prefix, tmp_path):
    """Catches a server that calls the C library and is not served by the lines for it."""
    environment, _ = applied(LIBC, prefix)
    report = Report(tmp_path / "report")
    port = servers.free_port()

    def answer():
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()

    def ready():
        try:
            return bool(answer())
        except OSError:
            return False

    line = [PYTHON, "-c", "import secrets, wsgiref.simple_server as s; s.make_server('127.0.0.1', " f"{port}, lambda e, start: "
            "start('200 OK', []) and [] or [secrets.token_hex(16).encode()]).serve_forever()"]  # fmt: skip
    with servers.running(line, ready, env={**environment, "CPRNG_PRELOAD_REPORT": str(report.path)}) as process:
        before = report.read()["getrandom"][1]
        distinct([answer() for _ in range(10)], 10)
        assert report.read()["getrandom"][1] == before + 160
        assert uses(process.pid, "/libcprng-preload.so")
