# SPDX-License-Identifier: BSD-2-Clause
"""docs/openssl.md: its commands, with the module installed, without it, and without anything installed."""

import os
import pathlib
import re
import signal
import subprocess
import textwrap

import pytest

from dropin import distinct, good, installed, run

PAGE = (pathlib.Path(__file__).parent.parent.parent.parent / "docs/openssl.md").read_text(encoding="utf-8")
GENERATOR = "  CPRNG @ cprng\n"


def typed(prefix):
    """The page's first commands, for another prefix."""
    block = textwrap.dedent(re.search(r"\n\n((?:    .*\n)+)", PAGE)[1])
    assert block.startswith("export OPENSSL_CONF=/usr/local/") and block.count("\n") == 3
    return [line.replace("/usr/local", str(prefix)) for line in block.splitlines()]


def in_c(prefix):
    """The two ways for a library context."""
    blocks = re.findall(r" ```c\n(.*?) ```", PAGE, re.DOTALL)
    assert len(blocks) == 2 and "OSSL_LIB_CTX_load_config" in blocks[0] and "RAND_set_DRBG_type" in blocks[1]
    return [block.replace("/usr/local", str(prefix)) for block in blocks]


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory):
    """What `make install` installs for OpenSSL."""
    prefix = tmp_path_factory.mktemp("installed")
    installed(prefix, "openssl")
    return prefix


def shell(lines, **options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENSSL_")}
    return run("sh", "-c", "\n".join(lines), env=dict(environment, LC_ALL="C"), **options)


def test_page_commands(prefix):
    """Catches commands of the page that do not work as typed after an installation."""
    result = shell(typed(prefix))
    assert (result.returncode, result.stderr) == (0, b"")
    assert re.fullmatch(3 * GENERATOR + "[0-9a-f]{32}\n", result.stdout.decode())


@pytest.mark.parametrize("missing", ["lib/ossl-modules", "."])
def test_page_commands_without_the_module(prefix, tmp_path, missing):
    """Catches a check that is silent, or succeeds, if OpenSSL uses its own generator or none."""
    copy = tmp_path / "installed"
    subprocess.run(["cp", "-R", prefix, copy], check=True)
    for file in (copy / "share/cprng").iterdir():
        file.write_text(file.read_text().replace(str(prefix), str(copy)))
    subprocess.run(["rm", "-r", (copy / missing).resolve()], check=True)
    checked = shell(typed(copy)[:2])
    assert (checked.returncode, checked.stdout) == (1, b"")
    assert checked.stderr.decode().endswith("OpenSSL does not use cprng\n")
    # With the configuration and without the module there are no bytes, checked or not.
    if missing != ".":
        drawn = shell(typed(copy)[::2])
        assert drawn.returncode != 0 and drawn.stdout == b""


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

static OSSL_LIB_CTX *child;

static void teardown(void *provctx)
{
	OSSL_LIB_CTX_free(provctx);
}

static int init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **provctx)
{
	static const OSSL_DISPATCH functions[] = { { OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown }, { 0, NULL } };

	*out = functions;
	*provctx = child = OSSL_LIB_CTX_new_child(handle, in);
	return child != NULL;
}

static void as_it_is(OSSL_LIB_CTX *library)
{
	(void)library;
}

static void by_file(OSSL_LIB_CTX *library)
{
	BY_FILE
}

static void by_calls(OSSL_LIB_CTX *library)
{
	BY_CALLS
}

static void draw(OSSL_LIB_CTX *library, void (*choose)(OSSL_LIB_CTX *))
{
	unsigned char value[16];
	size_t most = 0;
	OSSL_PARAM asked[] = { OSSL_PARAM_construct_size_t(OSSL_RAND_PARAM_MAX_REQUEST, &most), OSSL_PARAM_construct_end() };
	EVP_RAND_CTX *public;

	choose(library);
	if (RAND_bytes_ex(library, value, sizeof(value), 256) != 1) {
		ERR_print_errors_fp(stderr);
		exit(1);
	}
	for (size_t i = 0; i < sizeof(value); i++)
		printf("%02x", value[i]);
	public = RAND_get0_public(library);
	if (EVP_RAND_CTX_get_params(public, asked) != 1)
		exit(3);
	printf(" %s %s, state %d, strength %u, max_request %zu\n", EVP_RAND_get0_name(EVP_RAND_CTX_get0_rand(RAND_get0_primary(library))),
	       EVP_RAND_get0_name(EVP_RAND_CTX_get0_rand(public)), EVP_RAND_get_state(public), EVP_RAND_get_strength(public), most);
}

/* A provider each: one that is unloaded keeps its context. */
static void draw_in_child(const char *name, void (*choose)(OSSL_LIB_CTX *))
{
	if (!OSSL_PROVIDER_add_builtin(NULL, name, init) || OSSL_PROVIDER_load(NULL, name) == NULL)
		exit(2);
	draw(child, choose);
}

int main(void)
{
	OSSL_LIB_CTX *plain = OSSL_LIB_CTX_new(), *library = OSSL_LIB_CTX_new();

	draw(NULL, as_it_is);
	draw(plain, as_it_is);
	draw(library, by_file);
	draw_in_child("a", as_it_is);
	draw_in_child("b", by_file);
	draw_in_child("c", by_calls);
	OSSL_LIB_CTX_free(plain);
	OSSL_LIB_CTX_free(library);
	return 0;
}
"""


def test_page_library_contexts(prefix, tmp_path):
    """Catches wrong statements about which library contexts draw from another generator, C lines that do not help, and contexts,
    also of providers, that draw the same bytes."""
    by_file, by_calls = in_c(prefix)
    program = tmp_path / "program"

    def ran(source):
        (tmp_path / "program.c").write_text(source, encoding="utf-8")
        good(*os.environ.get("CC", "cc").split(), "-Wall", "-Wextra", "-Werror", tmp_path / "program.c", "-o", program, "-lcrypto")
        return shell([typed(prefix)[0], f"exec {program}"])

    source = PROGRAM.replace("BY_FILE", by_file).replace("BY_CALLS", by_calls)
    result = ran(source)
    assert (result.returncode, result.stderr) == (0, b"")
    ours = "CPRNG CPRNG, state 1, strength 256, max_request 2147483647"
    theirs = "CTR-DRBG CTR-DRBG, state 1, strength 256, max_request 65536"
    values, names = zip(*(line.split(" ", 1) for line in result.stdout.decode().splitlines()), strict=True)
    assert names == (ours, theirs, ours, theirs, ours, ours)
    distinct(values, 6)
    assert ran(source.replace(str(prefix), "/no/such")).returncode == -signal.SIGABRT


def test_page_fips_properties(prefix, tmp_path):
    """Catches bytes of another generator where FIPS properties exclude this one, and an exemption that does not work."""
    text = (prefix / "share/cprng/openssl-cprng.cnf").read_text()
    properties = text.replace("random = random\n", "random = random\nalg_section = evp\n") + "\n[evp]\ndefault_properties = fips=yes\n"
    path = tmp_path / "openssl.cnf"
    commands = [f"export OPENSSL_CONF={path}", *typed(prefix)[1:]]
    path.write_text(properties)
    refused = shell(commands)
    assert refused.returncode != 0 and refused.stdout == b""
    assert b"Algorithm (CPRNG" in refused.stderr and b"unable to fetch drbg" in refused.stderr
    block = textwrap.dedent(re.search(r"(    \[random\]\n(?:    .*\n)+)", PAGE)[1])
    path.write_text(re.sub(r"\[random\]\n(?:.+\n)+", block, properties))
    assert path.read_text().count("-fips") == 2
    served = shell(commands)
    assert (served.returncode, served.stderr) == (0, b"")
    assert re.fullmatch(3 * GENERATOR + "[0-9a-f]{32}\n", served.stdout.decode())
