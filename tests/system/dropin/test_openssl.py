# SPDX-License-Identifier: BSD-2-Clause
"""The provider for OpenSSL 3: chosen by configuration alone, it keeps the promises of the library."""

import os
import pathlib
import re
import subprocess
import time

import pytest

import servers
from dropin import PYTHON, Served, built, distinct, good, run
from promises import (  # noqa: F401
    test_children_in_the_memory_of_their_parent, test_forks, test_nothing_remains, test_sandbox, test_threads, test_without_the_kernel_it_aborts)

FRAGMENT = pathlib.Path(__file__).parent.parent.parent.parent / "dropin/openssl/openssl-cprng.cnf"


def configuration(directory, module=None, edit=lambda text: text):
    """The fragment, with the module's path; returns the environment."""
    path = directory / "openssl.cnf"
    text = FRAGMENT.read_text()
    assert "\n[cprng_provider]\n" in text
    text = text.replace("\n[cprng_provider]\n", f"\n[cprng_provider]\nmodule = {module or built('CPRNG_PROVIDER')}\n")
    path.write_text(edit(text))
    return dict(os.environ, LC_ALL="C", OPENSSL_CONF=str(path))


@pytest.fixture(name="env")
def fixture_env(tmp_path):
    return configuration(tmp_path)


@pytest.fixture(name="served", scope="module")
def fixture_served(tmp_path_factory):
    return Served(built("CPRNG_OPENSSL_SUBJECT"), configuration(tmp_path_factory.mktemp("served")))


def subject(mode, env):
    return good(built("CPRNG_OPENSSL_SUBJECT"), mode, env=env)


PARAMETERS = """
status: 1
primary: CPRNG of cprng, state 1, strength 256, max_request 2147483647
public: CPRNG of cprng, state 1, strength 256, max_request 2147483647
private: CPRNG of cprng, state 1, strength 256, max_request 2147483647
enable_locking: 1
enable_locking: 1
self-test: 1
size of the name: 1
is: 5
new: state: 0
generate before instantiate: 0
reseed before instantiate: 0
instantiate, too strong: 0
instantiate: 1
state: 1
generate, too strong: 0
reseed: 1
reseeds: 1
generate with prediction resistance: 1
reseeds: 1
generate 3 MiB: 1
eight zeros in a row: 0
zeroized while in use: 0
uninstantiate: 1
reseeds: 1
state: 0
zeroized: 1
generate after it: 0
bytes after RAND_seed: 1
RAND_seed reseeds more often than it may: 0
reseeds with prediction resistance: 3
reseeds of a child before it draws: 1, after: 1, time is of the draw: 1
"""


def test_exported_names():
    """Catches a module whose copy of the library is mixed with another one."""
    listed = good("nm", "-D", "--defined-only", built("CPRNG_PROVIDER")).decode().split()
    assert listed[2:] == ["OSSL_provider_init"]
    assert b"libcrypto" not in good("readelf", "-d", built("CPRNG_PROVIDER"))


def test_parameters(env):
    """Catches an answer to the core that contradicts provider-rand(7), or another generator than this one."""
    assert "\n" + subject("parameters", env).decode() == PARAMETERS


def test_parameter_types(env):
    """Catches a parameter that is refused, truncated or stored differently than by OpenSSL's functions, by its type and
    size."""
    lines = subject("parameter-types", env).decode().splitlines()
    assert len(lines) == 1 and int(lines[0].split()[1]) > 400, lines


def test_parents_of_other_generators(env):
    """Catches a missing or repeated seed for the default provider's generators."""
    distinct(subject("parents", env).split(), 8)


def test_seeds(env):
    """Catches a seed of the wrong length, or that is not random, and an incomplete core that is not refused."""
    result = run(built("CPRNG_OPENSSL_SUBJECT"), "seeds", env=env)
    assert result.returncode == 0
    assert re.fullmatch(r"cprng.so: [^\n]+: not loaded\n", result.stderr.decode())
    lines = result.stdout.decode().splitlines()
    assert lines[0] == "without memory functions: 0"
    assert [line for line in lines[1:] if ":" in line] == 2 * ["longer than allowed: 0", "lengths: 48 100"]
    # Three lines of a 48-byte seed, and six of a 100-byte one.
    distinct([line for line in lines if ":" not in line], 2 * (3 + 6))


def test_openssl_loaded_without_the_kernel():
    """Catches a program that ends when it loads the module while the kernel refuses random numbers or is not seeded."""
    result = run(built("CPRNG_OPENSSL_SUBJECT"), "refused-at-load", env=dict(os.environ, OPENSSL_CONF="/dev/null"))
    assert result.stdout == b"signal 0, loaded 0\nsignal 0, loaded 1\n"
    assert result.stderr == b"cprng.so: no random numbers from the kernel: not loaded\n"


def test_openssl_refused_once(env):
    """Catches a context that one refusal of the kernel disables for all threads."""
    assert subject("refused-once", env).decode() == (
        "instantiate: 1\nrefused, with prediction resistance: 0\nrefused, reseed: 0\nstate: 1\ngenerate: 1\n"
        "with prediction resistance: 1\n")


# ------------------------------------------------------------------------------------------------------- the command


def test_rand(env):
    """Catches a command that another generator serves, or that receives the same bytes twice."""
    listed = good("openssl", "list", "-random-instances", env=env).decode()
    assert listed.count("CPRNG @ cprng") == 3
    distinct([good("openssl", "rand", "-hex", "16", env=env) for _ in range(5)], 5)
    data = good("openssl", "rand", "3000000", env=env)
    distinct([data[i:i + 16] for i in range(0, len(data), 16)], 3000000 // 16)


MISTAKES = {
    "no module": lambda path: configuration(path, path / "missing.so"),
    "not a provider": lambda path: configuration(path, built("CPRNG_PRELOAD")),
    "another architecture": lambda path: configuration(path, of_32_bits(path)),
    "no section": lambda path: configuration(path, edit=lambda text: text.replace("cprng = cprng_provider", "")),
    "another name": lambda path: configuration(path, edit=lambda text: text.replace("random = CPRNG\n", "random = CPRNG-2\n")),
    "no diagnostics": lambda path: configuration(path, path / "missing.so", lambda text: text.replace("config_diagnostics = 1", "")),
}


def of_32_bits(directory):
    data = bytearray(pathlib.Path(built("CPRNG_PROVIDER")).read_bytes())
    data[4] = 1  # EI_CLASS
    path = directory / "cprng.so"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("mistake", MISTAKES)
def test_bad_configuration(tmp_path, mistake):
    """Catches random bytes from another generator if the configured one is missing, and a silent failure."""
    env = MISTAKES[mistake](tmp_path)
    result = run("openssl", "rand", "-hex", "16", env=env)
    lines = result.stderr.decode().splitlines()
    assert result.returncode != 0
    assert result.stdout == b""
    # One line of OpenSSL names what is missing; the next one says what needed it.
    assert sum("Algorithm (CPRNG" in line for line in lines) == 1 and "unable to fetch drbg" in lines[-1], lines
    # Programs that ignore it have an error at each request.
    script = "import ssl\ntry:\n    print(ssl.RAND_bytes(16))\nexcept ssl.SSLError as error:\n    print('refused')"
    assert run(PYTHON, "-c", script, env=env).stdout == b"refused\n"


def connected(line, env, data):
    """A client's output; it is restarted until its server listens."""
    for _ in range(100):
        result = subprocess.run(line, input=data, env=env, capture_output=True, check=False, timeout=900)
        if b"Connection refused" not in result.stderr:
            return result
        time.sleep(0.1)
    raise AssertionError("the server does not listen")


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_server_and_client(tmp_path, env, version):
    """Catches a handshake, session ticket or key that fails with the generator on both sides, and repeated randoms."""
    servers.certify(tmp_path, env)
    port = servers.free_port()
    server = subprocess.Popen(["openssl", "s_server", version, "-accept", f"127.0.0.1:{port}", "-key", tmp_path / "key.pem",
                               "-cert", tmp_path / "cert.pem", "-rev"], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    randoms = []
    try:
        for _ in range(3):
            result = connected(["openssl", "s_client", version, "-connect", f"127.0.0.1:{port}", "-CAfile", tmp_path / "cert.pem",
                                "-verify_return_error", "-ign_eof", "-msg"], env, b"abc def\nQ\nCLOSE\n")
            text = result.stdout.decode(errors="replace")
            assert "fed cba" in text, text + result.stderr.decode(errors="replace")
            assert "Verify return code: 0 (ok)" in text
            # A hello's random: 32 bytes after the header of 4 and the version of 2.
            hellos = re.findall(r"Hello\n((?:    [0-9a-f ]+\n)+)", text)
            randoms += [hello.replace("\n", " ").split()[6:38] for hello in hellos]
    finally:
        server.terminate()
        server.wait()
    distinct([" ".join(random) for random in randoms], 6)
