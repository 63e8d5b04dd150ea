#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make sequences with a fresh seed (make-fortuna.py) and have a program play them.

play-fortuna.py [--seed=N] [--sequences=N] [--steps=N] PROGRAM...

PROGRAM is the test program `fortuna`, or an emulator and that; it is run with --replay=FILE.
"""

import argparse
import pathlib
import secrets
import subprocess
import sys
import tempfile

MAKE = pathlib.Path(__file__).with_name("make-fortuna.py")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=secrets.randbits(63))
    parser.add_argument("--sequences", type=int, default=40)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    sizes = [f"--sequences={arguments.sequences}", f"--steps={arguments.steps}"]
    print(f"seed {arguments.seed} of the sequences", flush=True)

    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        subprocess.run([sys.executable, "-B", MAKE, f"--seed={arguments.seed}", *sizes], stdout=file, check=True)
        status = subprocess.run([*arguments.program, f"--replay={file.name}"], check=False).returncode
    if status != 0:
        print(f"repeat with --seed={arguments.seed}", *sizes)
    return 1 if status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
