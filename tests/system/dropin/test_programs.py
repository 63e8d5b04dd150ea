# SPDX-License-Identifier: BSD-2-Clause
"""Debian programs with the drop-ins: they work as before, and values do not repeat.  `make check-dropin` draws more."""

import os
import pathlib
import re
import shutil

import pytest

import servers
from dropin import LARGE, Report, built, distinct, environment, good, program, run
from test_openssl import configuration

ROWS = 1000000 if LARGE else 20000


@pytest.fixture(name="report")
def fixture_report(tmp_path):
    return Report(tmp_path / "report")


@pytest.fixture(name="env")
def fixture_env(tmp_path, report):
    """Both drop-ins, with the devices, and counters."""
    return dict(environment(devices=True, report=report), OPENSSL_CONF=configuration(tmp_path)["OPENSSL_CONF"])


def test_postgresql(tmp_path, env):
    """Catches a database with the provider whose backends repeat a UUID, or that does not start."""
    if servers.postgresql_programs() is None:
        pytest.skip("PostgreSQL is not installed")
    del env["CPRNG_PRELOAD_REPORT"]  # it belongs to another user
    modules = [built("CPRNG_PROVIDER"), *env["LD_PRELOAD"].split(":")]
    with servers.readable([*modules, env["OPENSSL_CONF"]]) as (data, copies):
        config = pathlib.Path(copies[env["OPENSSL_CONF"]])
        config.write_text(config.read_text().replace(modules[0], copies[modules[0]]))
        env.update(OPENSSL_CONF=str(config), LD_PRELOAD=":".join(copies[name] for name in modules[1:]))
        with servers.postgresql(env, data) as server:
            assert server.ask(f"select count(distinct gen_random_uuid()) from generate_series(1, {ROWS})") == f"{ROWS}\n"
            used = "pg_read_file('/proc/self/maps') like '%/cprng.so%', pg_read_file('/proc/self/maps') like '%cprng-preload%'"
            assert server.ask(f"select gen_random_uuid() is null, {used}") == "f|t|t\n"
            # Backends are forked, each with its own.
            distinct([server.ask("select gen_random_uuid()") for _ in range(20)], 20)


def test_redis(tmp_path, env, report):
    """Catches a server that fails with the drop-ins, repeated passwords, and runs with the same identifier."""
    program("redis-server")
    program("redis-cli")
    passwords, runs = [], []
    for _ in range(3 if LARGE else 2):
        with servers.redis(env, tmp_path) as ask:
            passwords += [good(*ask, "acl", "genpass") for _ in range(10)]
            runs += re.findall(rb"run_id:(\w+)", good(*ask, "info", "server"))
    distinct(passwords, 10 * len(runs))
    distinct(runs, 3 if LARGE else 2)
    # Its own generator reads a seed through a C library stream, which the kernel serves (docs/dropins.md).
    assert report.read() and report.processes > 0


def test_nginx(tmp_path, env):
    """Catches a web server whose TLS fails with both drop-ins, or whose processes repeat an identifier."""
    program("nginx")
    connections = 300 if LARGE else 30
    with servers.nginx(env, tmp_path) as server:
        answers = [server.get() for _ in range(connections)]
        children = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
        maps = [pathlib.Path(f"/proc/{child}/maps").read_text() for child in children]
    assert all(re.fullmatch(rb"id [0-9a-f]{32}\n", answer) for answer in answers)
    distinct(answers, connections)
    assert len(maps) == 2 and all("/cprng.so" in text and "libcprng-preload.so" in text for text in maps)


def test_node(env):
    """Catches Node.js without the provider (its own OpenSSL loads it), and values that repeat in its threads and
    processes."""
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
    node = shutil.which("node", path=servers.PLACES) or program("nodejs")
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
