# SPDX-License-Identifier: BSD-2-Clause
"""The first tables of docs/c.md and docs/command.md: each row's calls run, both, and what the third column says is so.

CPRNG_BUILD  the build, with libcprng.a and the command
CXX          the compiler (c++)
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("CPRNG_BUILD", ROOT / "build"))
CXX = shlex.split(os.environ.get("CXX", "c++"))


def rows(page):
    """Pairs of calls, as the table has them."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    table = text.split("| what you use today | the call here | what differs |\n|---|---|---|\n")[1].split("\n\n")[0]
    for line in table.splitlines():
        today, here, differs = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        assert differs
        yield today.strip("`").replace("\\|", "|"), here.strip("`").replace("\\|", "|")


# What a row's calls return or throw: TODAY and HERE are its cells.  A second text names the header that today's call needs.
C = {
    "rand() % 6": ("for (int i = 0; i < 999; i++) CHECK(HERE < 6 && TODAY < 6); CHECK(RAND_MAX < UINT32_MAX);"
                   " CHECK(cprng_uniform32(UINT32_MAX) < UINT32_MAX); srand(1); int a = rand(); srand(1); CHECK(a == rand());"),
    "srand(42), rand()": "cprng_stream s; CHECK(cprng_stream_seed_integer(&s, NULL, 42) == 0); CHECK(HERE == 3906473387u); (void)(TODAY);",
    "random()": "std::uint32_t all = 0; for (int i = 0; i < 99; i++) { all |= HERE; CHECK(TODAY < 1L << 31); } CHECK(all == UINT32_MAX);",
    "drand48()": "double old = TODAY; CHECK(std::ldexp(old, 48) == std::floor(std::ldexp(old, 48))); double x = HERE; CHECK(x >= 0 && x < 1);"
                 " CHECK(std::ldexp(x, 53) == std::floor(std::ldexp(x, 53)));",
    "getrandom(buf, len, 0)": "CHECK(TODAY == (ssize_t)len); CHECK((std::is_same<decltype(HERE), void>::value)); HERE;",
    "getentropy(buf, len)": "CHECK(TODAY == 0); HERE; len = 257; CHECK(TODAY == -1 && errno == EIO); HERE;",
    "arc4random_buf(buf, len)": ("HERE; TODAY;", "ARC4RANDOM"),
    "arc4random()": ("CHECK((std::is_same<decltype(TODAY), decltype(HERE)>::value)); CHECK(sizeof(cprng_fast8()) == 1 && sizeof(cprng_fast64()) == 8);",
                     "ARC4RANDOM"),
    "arc4random_uniform(6)": ("CHECK(TODAY < 6 && HERE < 6); CHECK(arc4random_uniform(0) == 0 && cprng_uniform32(0) == 0); CHECK(cprng_uniform64(1ull << 40) < 1ull << 40);",
                              "ARC4RANDOM"),
    "RAND_bytes(buf, len)": ("CHECK(RAND_bytes(buf, (int)len) == 1); CHECK((std::is_same<decltype(HERE), void>::value)); HERE;", "<openssl/rand.h>"),
    "RAND_priv_bytes(buf, len)": ("CHECK(RAND_priv_bytes(buf, (int)len) == 1); CHECK((std::is_same<decltype(HERE), void>::value)); HERE;",
                                  "<openssl/rand.h>"),
    "randombytes_buf(buf, len)": ("HERE; CHECK(sodium_init() >= 0); TODAY;", "<sodium.h>"),
    "randombytes_uniform(6)": ("CHECK(TODAY < 6 && HERE < 6); CHECK(randombytes_uniform(0) == 0 && cprng_uniform32(0) == 0);", "<sodium.h>"),
    "randombytes_buf_deterministic(buf, len, seed)": (
        "unsigned char seed[32] = {}, nonce[12] = {}, first[64]; cprng_stream s; CHECK(cprng_stream_init(&s, \"chacha20\", seed, 32, nonce, 12) == 0);"
        " TODAY; std::memcpy(first, buf, len); CHECK(HERE == 0); CHECK(std::memcmp(first, buf, len) != 0); std::memcpy(first, buf, len); CHECK(HERE == 0);"
        " CHECK(std::memcmp(first, buf, len) != 0); TODAY; std::memcpy(first, buf, len); TODAY; CHECK(std::memcmp(first, buf, len) == 0);"
        " CHECK(cprng_stream_seek(&s, (1ull << 38) - 1) == 0); CHECK(HERE == CPRNG_ERR_RANGE);", "<sodium.h>"),
    "std::random_device()()": "CHECK(sizeof(0u + TODAY) == 4 && sizeof(0u + HERE) == 8); CHECK(noexcept(HERE));",
    "std::mt19937_64(42)()": "CHECK(sizeof(cprng::stream) == 1600 && sizeof(std::mt19937_64) == 2504); CHECK(HERE == HERE); CHECK(TODAY != HERE);"
                             " cprng::stream s(42); s.discard(1ull << 60); THROWS(s.discard(1ull << 61), out_of_range);"
                             " s.seek(UINT64_MAX); THROWS(s(), out_of_range);",
    "std::uniform_int_distribution<>(1, 6)(gen)": "for (int i = 0; i < 99; i++) CHECK(TODAY > 0 && TODAY < 7 && HERE > 0 && HERE < 7 && cprng::range(6, 1) < 7);",
    "std::uniform_real_distribution<>(0, 1)(gen)": "(void)TODAY; double x = HERE; CHECK(x >= 0 && x < 1 && std::ldexp(x, 53) == std::floor(std::ldexp(x, 53)));",
    "std::normal_distribution<>(mu, sigma)(gen)": "double mu = 1, sigma = 2; CHECK(std::isfinite(TODAY) && std::isfinite(HERE)); sigma = -1; CHECK(std::isnan(HERE));",
    "std::exponential_distribution<>(rate)(gen)": "double rate = 2; CHECK(TODAY >= 0 && HERE >= 0); rate = -1; CHECK(std::isnan(HERE));",
    "std::bernoulli_distribution(p)(gen)": "double p = 0; CHECK(!TODAY && !HERE); p = 1; CHECK(TODAY && HERE); p = -1; CHECK(!HERE); p = NAN; CHECK(!HERE); p = 2; CHECK(HERE);",
    "std::discrete_distribution<>{ 70, 30 }(gen)": "CHECK(TODAY < 2 && HERE < 2); THROWS((cprng::weighted{ 0, 0 }), invalid_argument);",
    "std::shuffle(v.begin(), v.end(), gen)": "auto sorted = v; TODAY; HERE; CHECK(std::is_permutation(v.begin(), v.end(), sorted.begin()));"
                                             " std::shuffle(v.begin(), v.end(), cprng::generator());",
    "std::sample(v.begin(), v.end(), out, 3, gen)": "std::vector<int> taken; auto out = std::back_inserter(taken); TODAY; CHECK(taken.size() == 3 && HERE.size() == 3);"
                                                    " std::sample(v.begin(), v.end(), out, 99, gen); CHECK(taken.size() == 3 + v.size());"
                                                    " THROWS(cprng::sample(v, 99), invalid_argument);",
}  # fmt: skip

HEAD = """
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>
#include <sys/random.h>
#include <unistd.h>
#include <cprng/cprng.hpp>
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)
#define ARC4RANDOM 1
#else
#define ARC4RANDOM 0
#endif
static const char *row;
static int failed;
#define CHECK(...) ((__VA_ARGS__) ? (void)0 : (void)(failed++, std::printf("%s: %s\\n", row, #__VA_ARGS__)))
#define THROWS(call, what) try { (void)(call); CHECK(!#call); } catch (const std::what &) { } static_assert(true, "")
"""


def case(number, today, here):
    """The function of a row."""
    text, needs = C[today] if isinstance(C[today], tuple) else (C[today], "")
    text = re.sub(r"\bHERE\b", lambda _: here, re.sub(r"\bTODAY\b", lambda _: today, text))
    condition = f"__has_include({needs})" if needs.startswith("<") else needs or "1"
    include = f"#include {needs}\n" if needs.startswith("<") else ""
    return (f"#if {condition}\n{include}static void row_{number}()\n{{\n\tunsigned char buf[300]; size_t len = 64; std::mt19937 gen;"
            f" std::vector<int> v{{ 1, 2, 3, 4, 5 }};\n\t(void)buf; (void)len; (void)gen;\n\t{text}\n}}\n#else\n"
            f"static void row_{number}() {{ std::puts(\"not here: {today}\"); }}\n#endif\n")  # fmt: skip


def test_table_of_c(tmp_path):
    """Catches a row whose call does not compile, or whose third column is wrong; a row without a case, and a case without a row."""
    table = list(rows("c.md"))
    assert sorted(C) == sorted(today for today, _ in table)
    source = HEAD + "".join(case(number, *row) for number, row in enumerate(table)) + "int main()\n{\n" + "".join(
        f'\trow = "{today}";\n\trow_{number}();\n' for number, (today, _) in enumerate(table)) + "\treturn failed > 0;\n}\n"  # fmt: skip
    (tmp_path / "today.cpp").write_text(source, encoding="utf-8")
    libraries = [option for header, option in [("sodium.h", "-lsodium"), ("openssl/rand.h", "-lcrypto")]
                 if subprocess.run([*CXX, "-E", "-x", "c++", "-"], input=f"#include <{header}>\n", text=True, capture_output=True,
                                   check=False).returncode == 0]  # fmt: skip
    subprocess.run([*CXX, "-std=c++17", "-O1", f"-I{ROOT / 'include'}", "today.cpp", BUILD / "libcprng.a", *libraries, "-o", "today"],
                   cwd=tmp_path, check=True, timeout=900)  # fmt: skip
    result = subprocess.run([tmp_path / "today"], capture_output=True, text=True, timeout=900, check=False)
    assert result.returncode == 0, result.stdout


UUID = "[0-9a-f]{8}-[0-9a-f]{4}-%s[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n"
LINES = r"(\w+\n){%d}"
# The form of both outputs, and what must hold of ours and of today's, which is empty where the program is not installed.
COMMAND = {
    "head -c 16 /dev/urandom": (r"(?s).{16}", lambda ours, theirs: True),
    "openssl rand -hex 16": ("[0-9a-f]{32}\n", lambda ours, theirs: ours != theirs),
    "openssl rand -base64 60": (r"[A-Za-z0-9+/\n]{81,82}", lambda ours, theirs: ours.count("\n") == 1 and theirs.count("\n") != 1),
    "shuf -e anna bert carl": (LINES % 3, lambda ours, theirs: sorted(ours.split()) == ["anna", "bert", "carl"]),
    "printf 'a\\nb\\na\\n' | sort -R": (LINES % 3, lambda ours, theirs: sorted(ours.split()) == list("aab") and theirs != "a\nb\na\n"),
    "shuf -n 2 -e anna bert carl": (LINES % 2, lambda ours, theirs: len(set(ours.split())) == 2),
    "shuf -n 1 -i 1-6": ("[1-6]\n", lambda ours, theirs: True),
    "shuf -r -n 5 -i 1-6": ("([1-6]\n){5}", lambda ours, theirs: True),
    "shuf --random-source=FILE -i 1-9": ("([1-9]\n){9}", lambda ours, theirs: ours.split() == "4 8 2 5 3 1 7 6 9".split()),
    "bash -c 'echo $((RANDOM % 6 + 1))'": ("[1-6]\n", lambda ours, theirs: True),
    "awk 'BEGIN { srand(42); print rand() }'": (r"0\.[0-9]+\n", lambda ours, theirs: (float(ours) * 2**53).is_integer()),
    "pwgen -s 20 1": ("[A-Za-z0-9]{20}\n", lambda ours, theirs: True),
    "pwgen -sy 20 1": ("[!-~]{20}\n", lambda ours, theirs: re.search("[^A-Za-z0-9]", ours)),
    "pwgen 8 1": ("[A-Za-z0-9]{8}\n", lambda ours, theirs: True),
    "diceware": ("([A-Z][a-z-]+){6}\n", lambda ours, theirs: True),
    "uuidgen": (UUID % "[14]", lambda ours, theirs: ours[14] == "4"),
    "uuidgen --time-v7": (UUID % "7", lambda ours, theirs: True),
    "uuidgen --sha1 -n @dns -N example.com": (UUID % "5", lambda ours, theirs: theirs in ("", ours)),
}  # fmt: skip


def shell(line, tmp_path):
    result = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, timeout=900, check=False,
                            env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"})  # fmt: skip
    return result.returncode, result.stdout.decode("latin-1")


def test_table_of_the_command(tmp_path):
    """Catches a row whose command line fails, prints another form than today's, or differs otherwise than the third column says; a
    row without a case, and a case without a row."""
    table = dict(rows("command.md"))
    assert sorted(COMMAND) == sorted(table)
    (tmp_path / "FILE").write_bytes(bytes(4096))
    missing = []
    for today, here in table.items():
        form, holds = COMMAND[today]
        status, ours = shell(here, tmp_path)
        assert status == 0 and re.fullmatch(form, ours), (here, ours)
        status, theirs = shell(today, tmp_path)
        # Not installed (127), or an option that this version lacks.
        known = status == 0 and shutil.which(today.split()[0]) is not None
        assert not known or re.fullmatch(form, theirs), (today, theirs)
        assert holds(ours, theirs if known else ""), (here, ours, theirs)
        missing += [] if known else [today]
    if len(missing) == len(table):
        pytest.skip("none of these programs is installed")
