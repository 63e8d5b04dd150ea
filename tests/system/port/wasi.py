#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wasi.py PROGRAM BACKEND: run the WebAssembly program, which takes that backend, on a host as it is, on one without random bytes, and on one without memory."""

import pathlib
import sys
import tempfile

import wasmtime

NAMES = ("wasi_snapshot_preview1", "random_get")
ENOSYS = 52  # WASI's number
PAGE = 65536  # WebAssembly's unit of memory


def run(program, refused=False, no_memory=False):
    """(exit status or None for a trap, standard output, standard error), and the bytes by which the program's memory grew."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    linker = wasmtime.Linker(engine)
    module = wasmtime.Module.from_file(engine, program)
    memory, = [export for export in module.exports if isinstance(export.type, wasmtime.MemoryType)]
    first = memory.type.limits.min
    if no_memory:
        store.set_limits(memory_size=(first + 4) * PAGE)  # the C library itself needs some
    linker.define_wasi()
    if refused:
        linker.allow_shadowing = True
        number = wasmtime.ValType.i32()
        linker.define_func(*NAMES, wasmtime.FuncType([number, number], [number]), lambda buf, length: ENOSYS)
    with tempfile.TemporaryDirectory() as directory:
        files = [pathlib.Path(directory, name) for name in ("stdout", "stderr")]
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["program", *["without memory"] * no_memory]
        wasi.stdout_file, wasi.stderr_file = map(str, files)
        store.set_wasi(wasi)
        instance = linker.instantiate(store, module)
        try:
            instance.exports(store)["_start"](store)
            status = 0
        except wasmtime.ExitTrap as end:
            status = end.code
        except wasmtime.Trap:
            status = None
        grown = (instance.exports(store)[memory.name].size(store) - first) * PAGE
        # The files are complete when their owner has been deleted.
        del instance, linker, store
        return (status, *(file.read_text() for file in files)), grown


def main():
    program, backend = sys.argv[1:]
    values = set()
    for _ in range(2):
        (status, out, err), grown = run(program)
        says, value = out.splitlines()
        assert (status, err) == (0, ""), (status, err)
        # The C library's allocator takes whole pages.
        assert grown <= 2 * PAGE, f"memory for buffers that nothing fills: {grown} bytes"
        assert says == "placement unbuffered, fork guard unbuffered, entropy getentropy, chacha20/" + backend, says
        values.add(value)
    assert len(values) == 2, "two runs draw the same"
    no_entropy = f"cprng: no random numbers from the system: getentropy: error {ENOSYS}\n"
    # None: abort(3) is a trap.
    for host, line in (({"refused": True}, no_entropy), ({"no_memory": True}, "cprng: no memory\n")):
        ended, _ = run(program, **host)
        assert ended == (None, "", line), ended


if __name__ == "__main__":
    main()
