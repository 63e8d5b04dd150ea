#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wasi.py PROGRAM: run the WebAssembly program where the host has random bytes, and where it has none."""

import pathlib
import sys
import tempfile

import wasmtime

NAMES = ("wasi_snapshot_preview1", "random_get")
ENOSYS = 52  # WASI's number


def run(program, refused):
    """(exit status or None for a trap, standard output, standard error)"""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    if refused:
        linker.allow_shadowing = True
        number = wasmtime.ValType.i32()
        linker.define_func(*NAMES, wasmtime.FuncType([number, number], [number]), lambda buf, length: ENOSYS)
    with tempfile.TemporaryDirectory() as directory:
        files = [pathlib.Path(directory, name) for name in ("stdout", "stderr")]
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["program"]
        wasi.stdout_file, wasi.stderr_file = map(str, files)
        store.set_wasi(wasi)
        instance = linker.instantiate(store, wasmtime.Module.from_file(engine, program))
        try:
            instance.exports(store)["_start"](store)
            status = 0
        except wasmtime.ExitTrap as end:
            status = end.code
        except wasmtime.Trap:
            status = None
        # The files are written to the end when their owner is gone.
        del instance, linker, store
        return status, *(file.read_text() for file in files)


def main():
    program = sys.argv[1]
    values = set()
    for _ in range(2):
        status, out, err = run(program, refused=False)
        says, value = out.splitlines()
        assert (status, err) == (0, ""), (status, err)
        assert says == "placement unbuffered, fork guard unbuffered, entropy getentropy, chacha20/portable", says
        values.add(value)
    assert len(values) == 2, "two runs draw the same"
    status, out, err = run(program, refused=True)
    assert status is None, status
    assert err == f"cprng: no random numbers from the system: getentropy: error {ENOSYS}\n", err
    assert out == "", out


if __name__ == "__main__":
    main()
