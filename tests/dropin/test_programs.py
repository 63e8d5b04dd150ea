# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Debian with the drop-ins in them: they work as before, and nothing comes twice.  For `make dropin-test`."""

import pathlib
import pwd
import re
import shutil
import subprocess
import time

import pytest

from dropin import LARGE, Report, built, distinct, environment, good, program, run
from test_openssl import configuration, free_port

pytestmark = pytest.mark.skipif(not LARGE, reason="make dropin-test")


@pytest.fixture(name="report")
def fixture_report(tmp_path):
    return Report(tmp_path / "report")


@pytest.fixture(name="env")
def fixture_env(tmp_path, report):
    """Both drop-ins, with the devices, and counters."""
    return dict(environment(devices=True, report=report), OPENSSL_CONF=configuration(tmp_path)["OPENSSL_CONF"])


class Server:
    """A process that is ended by its number when the block ends; in between `ready` says when it answers."""

    def __init__(self, line, ready, **options):
        self.line, self.ready, self.options = [str(word) for word in line], ready, options

    def __enter__(self):
        self.process = subprocess.Popen(self.line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **self.options)
        for _ in range(300):
            if self.ready():
                return self.process
            assert self.process.poll() is None, "the server has ended"
            time.sleep(0.1)
        raise AssertionError("the server does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def test_postgresql(tmp_path_factory, env):
    """Catches a database with the provider whose backends give a UUID twice, or that does not start."""
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    if not versions:
        pytest.skip("PostgreSQL is not installed")
    # It refuses to be root's.
    user = "postgres" if pathlib.Path("/root").owner() == pwd.getpwuid(pathlib.Path("/proc/self").stat().st_uid).pw_name else None
    directory = pathlib.Path("/var/tmp") / tmp_path_factory.mktemp("postgresql").name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    config = directory / "openssl.cnf"
    config.write_text(pathlib.Path(env["OPENSSL_CONF"]).read_text())
    modules = directory / "modules"
    modules.mkdir()
    for name in ("CPRNG_PROVIDER", "CPRNG_PRELOAD", "CPRNG_PRELOAD_DEVICES"):
        shutil.copy(built(name), modules)
    config.write_text(config.read_text().replace(str(pathlib.Path(built("CPRNG_PROVIDER")).parent), str(modules)))
    env = dict(env, OPENSSL_CONF=str(config), LD_PRELOAD=":".join(
        str(modules / pathlib.Path(path).name) for path in env["LD_PRELOAD"].split(":")))
    del env["CPRNG_PRELOAD_REPORT"]  # it belongs to another user
    options = {"env": env, "user": user, "cwd": directory} if user else {"env": env, "cwd": directory}
    port = free_port()
    psql = [versions[-1] / "psql", "-X", "-A", "-t", "-h", directory, "-p", port, "-U", "tester", "postgres", "-c"]
    try:
        result = run(versions[-1] / "initdb", "-D", directory / "data", "-U", "tester", "-A", "trust", "-N", **options)
        assert result.returncode == 0, result.stderr.decode()
        with Server([versions[-1] / "postgres", "-D", directory / "data", "-k", directory, "-c", "listen_addresses=127.0.0.1",
                     "-p", port, "-F"], lambda: run(*psql, "select 1", **options).stdout == b"1\n",
                    stderr=subprocess.DEVNULL, **options):
            count = run(*psql, "select count(distinct gen_random_uuid()) from generate_series(1, 1000000)", **options)
            assert count.stdout.decode() == "1000000\n", count.stderr.decode()
            used = run(*psql, "select gen_random_uuid(), pg_read_file('/proc/self/maps') like '%/cprng.so%'", **options)
            assert used.stdout.endswith(b"|t\n"), used
            # Backends are forked: each its own.
            distinct([run(*psql, "select gen_random_uuid()", **options).stdout for _ in range(20)], 20)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def test_redis(tmp_path, env):
    """Catches a server that does not work with the drop-ins, passwords that repeat, and runs that have the same identifier."""
    server, client = program("redis-server"), program("redis-cli")
    port = free_port()
    ask = [client, "-h", "127.0.0.1", "-p", port]
    passwords, runs = [], []
    for _ in range(3):
        with Server([server, "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", tmp_path, "--logfile",
                     tmp_path / "log"], lambda: run(*ask, "ping").stdout == b"PONG\n", env=env):
            passwords += [good(*ask, "acl", "genpass") for _ in range(10)]
            runs += re.findall(rb"run_id:(\w+)", good(*ask, "info", "server"))
    distinct(passwords, 30)
    distinct(runs, 3)


def test_node(env):
    """Catches Node.js without the provider (its own OpenSSL loads it), and values that repeat in its threads and processes."""
    script = """
const crypto = require("crypto"), { execFileSync } = require("child_process"), { Worker } = require("worker_threads");
const draw = 'for (let i = 0; i < 1000; i++) console.log(require("crypto").randomBytes(16).toString("hex"));';
console.log(require("fs").readFileSync("/proc/self/maps", "utf8").includes("/cprng.so"));
for (let i = 0; i < 3; i++)
	process.stdout.write(execFileSync(process.execPath, ["--openssl-shared-config", "-e", draw]));
for (let i = 0; i < 1000; i++)
	console.log(crypto.randomUUID().replaceAll("-", ""));
for (let i = 0; i < 3; i++)
	new Worker(draw, { eval: true });
"""
    node = shutil.which("node", path="/usr/bin:/usr/local/bin") or program("nodejs")
    used, *values = good(node, "--openssl-shared-config", "-e", script, env=env).split()
    assert used == b"true"
    distinct(values, 7000)


JAVA = """
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentLinkedQueue;

class Draw {
	public static void main(String[] arguments) throws Exception {
		var lines = new ConcurrentLinkedQueue<String>();
		var threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				for (String name : new String[] { "NativePRNGNonBlocking", "NativePRNG", "DRBG" }) {
					try {
						var random = SecureRandom.getInstance(name);
						for (int j = 0; j < 200; j++) {
							byte[] value = new byte[16];
							random.nextBytes(value);
							lines.add(HexFormat.of().formatHex(value));
						}
						lines.add(HexFormat.of().formatHex(random.generateSeed(16)));
					} catch (Exception e) {
						throw new RuntimeException(e);
					}
				}
			});
			threads[i].start();
		}
		for (var thread : threads)
			thread.join();
		// A child by the JVM's own way, which runs in the memory of its parent.
		var child = new ProcessBuilder("/bin/echo", "a child").inheritIO().start();
		System.err.print(child.waitFor());
		lines.forEach(System.out::println);
	}
}
"""


def test_openjdk(tmp_path, env, report):
    """Catches SecureRandom that is not served, repeats in threads, or children that the JVM cannot start."""
    java = program("java")
    (tmp_path / "Draw.java").write_text(JAVA)
    result = run(java, tmp_path / "Draw.java", env=env)
    assert (result.returncode, result.stderr) == (0, b"0"), result.stderr.decode()
    lines = result.stdout.split(b"\n")
    assert lines.pop(0) == b"a child"
    distinct(lines[:-1], 4 * 3 * 201)
    # It reads /dev/urandom and /dev/random.
    assert report.read()["getrandom"][0] > 10
