# SPDX-License-Identifier: BSD-2-Clause
"""The row of an installed librandp: what pkg-config finds is used, and its functions are called.  A stand-in of
a few lines replaces it."""

import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent / "randp"
HEADER = """#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
void randp_bytes(void *buf, size_t n);
uint8_t randp_u8();
uint16_t randp_u16();
uint32_t randp_u32();
uint64_t randp_u64();
uint32_t randp_lt_u32(uint32_t upper_bound);
uint64_t randp_lt_u64(uint64_t upper_bound);
#ifdef __cplusplus
}
#endif
"""


def row(directory, where):
    """The row's output in a build whose pkg-config looks there."""
    environment = os.environ | {"PKG_CONFIG_LIBDIR": str(where), "PKG_CONFIG_PATH": ""}
    for command in (["cmake", "-S", HERE, "-B", directory], ["cmake", "--build", directory]):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    result = subprocess.run([directory / "row"], check=True, capture_output=True, text=True)
    return result.stdout.splitlines()


def test_without(tmp_path):
    """Catches a lab that does not build, or claims figures of randp, where there is none."""
    (text,) = row(tmp_path / "build", tmp_path)
    assert text == "randp|0|pkg-config found no randp when the lab was built|"


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config")
def test_installed(tmp_path):
    """Catches an installed randp that is ignored, and a function other than the one with its name."""
    subprocess.run(["cc", "-shared", "-fPIC", HERE / "stand_in.c", "-o", tmp_path / "librandp.so"], check=True)
    (tmp_path / "randp.h").write_text(HEADER)
    (tmp_path / "randp.pc").write_text(f"Name: randp\nDescription: a stand-in\nVersion: 7.1\nLibs: -L{tmp_path} -lrandp\n"
                                       f"Cflags: -I{tmp_path}\n")
    assert row(tmp_path / "build", tmp_path) == [
        "randp|0||randp 7.1", "8", "1616", "32323232", "6464646464646464", "6", "bbbbbbbb00"]
