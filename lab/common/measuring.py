# SPDX-License-Identifier: BSD-2-Clause
"""Common parts of the measuring scripts: the machine, a command's output, a table cell, and the file of a run."""

import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def of_cpu(member, otherwise="unknown"):
    """The entries of the first CPU in /proc/cpuinfo."""
    found = re.search(rf"(?m)^{member}\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1].strip() if found else otherwise


def signature():
    """As lab/common/machine.cpp writes it."""
    if of_cpu("cpu family") == "unknown":
        return "unknown"
    return f"{of_cpu('vendor_id')} {of_cpu('cpu family')}-{of_cpu('model')}-{of_cpu('stepping')}"


def machine(**others):
    """The machine's description in a run, with the run's own additions."""
    return {"time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "cpu": of_cpu("model name", platform.machine()), "cpu_signature": signature(), "cpus": len(os.sched_getaffinity(0)),
            "architecture": platform.machine(), "kernel": f"Linux {platform.release()}",
            "libc": " ".join(platform.libc_ver()), **others}  # fmt: skip


def commit():
    found = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"],
                           capture_output=True, text=True, check=False)  # fmt: skip
    return found.stdout.strip() or "unknown"


def output(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def cell(values):
    median = statistics.median(values)
    return {"median": median, "least": min(values), "most": max(values),
            "deviation": statistics.median(abs(value - median) for value in values),
            "repetitions": len(values), "values": values}  # fmt: skip


def quartiles(values):
    """A cell with the quartiles for least and most: a turn that another program cut says nothing about what is measured."""
    least, median, most = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": round(median, 4), "least": round(least, 4), "most": round(most, 4), "repetitions": len(values)}


def quartiles_shown(value):
    def number(x):
        return "0" if x == 0 else f"{x:.{3 if x < 1 else 2 if x < 10 else 1 if x < 100 else 0}f}"

    return f"{number(value['median'])} ({number(value['least'])} to {number(value['most'])})"


def laid_out(value, indent=""):
    """JSON with a line for each object of a list, such as the row of a table."""
    inner = indent + "\t"
    if isinstance(value, dict) and any(isinstance(member, (dict, list)) for member in value.values()):
        members = [f"{json.dumps(key)}: {laid_out(member, inner)}" for key, member in value.items()]
        return f"{{\n{inner}" + f",\n{inner}".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(member, (dict, list)) for member in value):
        return f"[\n{inner}" + f",\n{inner}".join(json.dumps(member, ensure_ascii=False) for member in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def keep(document, file):
    """Write a run to a file, or print it."""
    text = laid_out(document) + "\n"
    if file:
        file.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
