# SPDX-License-Identifier: BSD-2-Clause
"""Linux in an emulated machine: kernels of the distribution, initial file systems, machines that can be cloned.

    from guests import kernels, initramfs
    from guests.machine import Machine

    kernel = kernels.fetch("release")
    root = initramfs.build(directory, [initramfs.Program(path, "/bin/draw")], "echo ready; draw && pass; fail draw")
    with Machine(kernel, root, directory, cpus=2) as machine:
        machine.wait_for("^ready$")
        machine.finish()                # the agreed exit code, and a kernel's log without complaints, or an exception

Modules: kernels.fetch("release", headers=True), kernels.build_modules(kernel, directory) and the argument `modules` of
initramfs.build.  Clones: Machine(..., vmgenid=GUID), save(path); then Machine(..., vmgenid=OTHER, incoming=path), resume().

A test needs tests/vm in its path to import this; `python3 -m pytest` adds it for the tests beside it.
"""
