#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wasip1.py PROGRAM ARGUMENT...: run a program that Go compiled for wasip1, with the files of this machine (for `go test -exec`)."""

import os
import sys

import wasmtime

config = wasmtime.WasiConfig()
config.argv = sys.argv[1:]
config.env = [*os.environ.items(), ("PWD", os.getcwd())]
config.preopen_dir("/", "/")
config.inherit_stdout()
config.inherit_stderr()
engine = wasmtime.Engine()
store = wasmtime.Store(engine)
store.set_wasi(config)
linker = wasmtime.Linker(engine)
linker.define_wasi()
program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
try:
    program.exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
