# SPDX-License-Identifier: BSD-2-Clause
"""Servers from Debian's packages on the loopback interface, for tests/system/dropin and lab/peers/dropins: each is ended by
its own process number.

Each function is a context that yields a running server in the given environment, or None if its package is not
installed.
"""

import contextlib
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

PLACES = "/usr/bin:/usr/sbin:/bin:/sbin"


def found(name):
    return shutil.which(name, path=PLACES)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def words(line):
    return [str(word) for word in line]


@contextlib.contextmanager
def running(line, ready, **options):
    """A process that is ended by its number when the block ends; `ready` reports that it answers."""
    options.setdefault("stderr", subprocess.DEVNULL)
    process = subprocess.Popen(words(line), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)
    try:
        for _ in range(600):
            if ready():
                break
            if process.poll() is not None:
                raise RuntimeError(f"{line[0]} has ended with status {process.returncode}")
            time.sleep(0.1)
        else:
            raise RuntimeError(f"{line[0]} does not answer")
        yield process
    finally:
        process.terminate()
        process.wait()


# --------------------------------------------------------------------------------------------------------- PostgreSQL


class PostgreSQL:
    def __init__(self, psql, options):
        self.psql, self.options = psql, options

    def ask(self, query, *before):
        """The answer's rows; before: psql commands."""
        line = [*self.psql, *(word for command in before for word in ("-c", command)), "-c", query]
        return subprocess.run(words(line), check=True, capture_output=True, timeout=900, **self.options).stdout.decode()


def postgresql_programs():
    """The newest server's; the package of the client alone has the same folder."""
    servers = pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")
    return max((path.parent for path in servers), key=lambda path: int(path.parent.name), default=None)


def drops_to():
    """PostgreSQL refuses root; its package creates this user."""
    return "postgres" if os.geteuid() == 0 and postgresql_programs() else None


@contextlib.contextmanager
def readable(files):
    """A directory that PostgreSQL's user may read and write, with copies of the files: {path: its copy}."""
    with tempfile.TemporaryDirectory(prefix="cprng-postgresql-", dir="/var/tmp") as name:
        os.chmod(name, 0o755)
        copies = {}
        for path in files:
            copies[path] = shutil.copy(path, name)
            os.chmod(copies[path], 0o755)
        data = pathlib.Path(name) / "data"
        data.mkdir()
        if drops_to():
            shutil.chown(data, drops_to())
        yield data, copies


@contextlib.contextmanager
def postgresql(env, data):
    """A database in the empty directory; PostgreSQL's user must be able to read the environment's files."""
    programs = postgresql_programs()
    options = {"env": env, "cwd": data, **({"user": drops_to()} if drops_to() else {})}
    plain = dict(options, env={**os.environ, "LC_ALL": "C"})
    subprocess.run(words([programs / "initdb", "-D", data / "cluster", "-U", "tester", "-A", "trust", "-N"]), check=True,
                   capture_output=True, **options)
    port = free_port()
    psql = [programs / "psql", "-X", "-A", "-t", "-q", "-h", data, "-p", port, "-U", "tester", "postgres"]
    server = PostgreSQL(psql, plain)

    def ready():
        return subprocess.run(words([*psql, "-c", "select 1"]), check=False, capture_output=True, **plain).stdout == b"1\n"

    with running([programs / "postgres", "-D", data / "cluster", "-k", data, "-c", "listen_addresses=127.0.0.1", "-p", port,
                  "-F"], ready, **options):
        yield server


# -------------------------------------------------------------------------------------------------------------- Redis


@contextlib.contextmanager
def redis(env, directory):
    """The beginning of a client's command line."""
    port = free_port()
    ask = [found("redis-cli"), "-h", "127.0.0.1", "-p", port]

    def ready():
        return subprocess.run(words([*ask, "ping"]), check=False, capture_output=True).stdout == b"PONG\n"

    with running([found("redis-server"), "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", directory, "--logfile",
                  pathlib.Path(directory) / "log"], ready, env=env):
        yield ask


# -------------------------------------------------------------------------------------------------------------- nginx


class WebServer:
    def __init__(self, port, certificate):
        self.port, self.process = port, None
        self.context = ssl.create_default_context(cafile=str(certificate))

    def listens(self):
        with socket.socket() as channel:
            return channel.connect_ex(("127.0.0.1", self.port)) == 0

    def get(self):
        """The answer to a request on a new connection: "id ", and 32 digits."""
        with socket.create_connection(("127.0.0.1", self.port)) as plain, \
                self.context.wrap_socket(plain, server_hostname="localhost") as channel:
            channel.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return b"".join(iter(lambda: channel.recv(4096), b"")).partition(b"\r\n\r\n")[2]


def certify(directory, env):
    """Creates key.pem by a command with this environment, and its cert.pem."""
    directory = pathlib.Path(directory)
    subprocess.run(words(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", directory / "key.pem"]),
                   check=True, capture_output=True, env=env)
    plain = {name: value for name, value in os.environ.items() if name not in ("OPENSSL_CONF", "LD_PRELOAD")}
    subprocess.run(words(["openssl", "req", "-x509", "-key", directory / "key.pem", "-out", directory / "cert.pem", "-days", "2",
                          "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]),
                   check=True, capture_output=True, env=plain)


def web_server(env, directory, first):
    """A TLS server with two processes, which answers with a request identifier from its RAND_bytes, and the command that starts
    it; first: a line of its configuration."""
    directory = pathlib.Path(directory)
    certify(directory, env)
    port = free_port()
    (directory / "nginx.conf").write_text(f"""{first}
worker_processes 2; pid {directory}/pid; error_log {directory}/error.log;
events {{}}
http {{
	access_log off; client_body_temp_path {directory}/a; proxy_temp_path {directory}/b; fastcgi_temp_path {directory}/c;
	uwsgi_temp_path {directory}/d; scgi_temp_path {directory}/e;
	server {{
		listen 127.0.0.1:{port} ssl; ssl_certificate {directory}/cert.pem; ssl_certificate_key {directory}/key.pem;
		location / {{ return 200 "id $request_id\\n"; }}
	}}
}}
""")
    return WebServer(port, directory / "cert.pem"), words([found("nginx"), "-p", directory, "-e", directory / "error.log", "-c",
                                                           directory / "nginx.conf"])


@contextlib.contextmanager
def nginx(env, directory):
    server, line = web_server(env, directory, "daemon off;")
    with running(line, server.listens, env=env) as server.process:
        yield server
