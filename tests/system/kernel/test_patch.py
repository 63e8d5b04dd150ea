# SPDX-License-Identifier: BSD-2-Clause
"""What a maintainer of the kernel would run first, from the source of Debian's 6.1: checkpatch over the module's own files (not those
of src/, which have the project's style) and over the patch of docs/kernel.md, and Kconfig with this patch."""

import dataclasses
import re
import subprocess
import textwrap

import pytest

from guests import compiled, kernels

from conftest import ROOT

pytestmark = pytest.mark.debug_kernel(only=False)

PATCHED = ["MAINTAINERS", "drivers/char/Kconfig", "drivers/char/Makefile"]
CHECKPATCH = [f"scripts/{name}" for name in ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")]

# Findings that stay: type, file, text of the line, and the reason.  All others fail.
STAYS = [
    ("LINUX_VERSION_CODE", "compat.h", "^#if LINUX_VERSION_CODE <", "one source for all kernels since 6.1"),
    ("CONSTANT_COMPARISON", "compat.h", "^#if LINUX_VERSION_CODE <", "the form in which kernels are compared everywhere"),
    ("MACRO_ARG_REUSE", "compat.h", "^#define cprng_register_sysctl", "an array's name, as in the kernel's register_sysctl()"),
    ("MACRO_ARG_REUSE", "testing.h", "^#define CPRNG_TUNABLE", "the name of the variable that it declares"),
    ("LINE_SPACING", "", r"^NOKPROBE_SYMBOL\(", "follows its function without a blank line everywhere in the kernel"),
    ("EXPORT_SYMBOL", "", r"^EXPORT_SYMBOL_NS_GPL\(.*CPRNG_TEST_NAMESPACE", "only in test builds, beside their other exports"),
]


@dataclasses.dataclass(frozen=True)
class Finding:
    file: str
    line: str
    type: str
    text: str

    def stays(self):
        return [one for one in STAYS if one[0] == self.type and self.file.endswith(one[1]) and re.search(one[2], self.line)]


@pytest.fixture(scope="session", name="source")
def _source(tmp_path_factory):
    return compiled.source_files(tmp_path_factory.mktemp("linux"), *CHECKPATCH, *PATCHED)


def checkpatch(source, *arguments):
    """Its findings, in files that are named absolutely: in a git repository it would leave a file in the current directory."""
    result = subprocess.run(["perl", source / "scripts/checkpatch.pl", "--no-tree", "--strict", "--show-types", "--emacs", *arguments],
                            cwd=source, capture_output=True, check=False, text=True)
    found = re.findall(r"(?m)^(.+?):(\d+): (?:ERROR|WARNING|CHECK):(\w+): (.*)$", result.stdout)
    totals = re.findall(r"(?m)^total: (\d+) errors, (\d+) warnings, (\d+) checks, [1-9]\d* lines checked$", result.stdout)
    assert totals and not result.stderr, result.stdout + result.stderr
    assert len(found) == sum(int(n) for total in totals for n in total), result.stdout
    for name, number, kind, text in found:
        with open(name, encoding="utf-8") as file:
            yield Finding(name, file.read().splitlines()[int(number) - 1], kind, text)


def page_commands():
    """The commands that copy the sources, and the patch."""
    page = (ROOT / "docs/kernel.md").read_text(encoding="utf-8").partition("### In a kernel's tree\n")[2].partition("\n### ")[0]
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?m)((?:^    .*\n|^\n(?=    ))+)", page)]
    commands, patch = (block.strip("\n") + "\n" for block in blocks)
    return commands.replace("/path/to/checkout", str(ROOT)), patch


def test_checkpatch_finds_nothing_new_in_the_sources(source):
    """Catches a line of the module that the kernel's style refuses, and an exception that no line needs."""
    files = sorted(path for path in (ROOT / "kernel/linux").iterdir() if path.suffix in (".c", ".h"))
    assert files
    found = list(checkpatch(source, "--file", *files))
    assert not [one for one in found if not one.stays()]
    unused = set(STAYS) - {one for finding in found for one in finding.stays()}
    assert not unused


def test_the_patch_applies_and_configures_the_module(source, tmp_path):
    """Catches a patch of the page that does not apply, that checkpatch refuses, or after which the module cannot be chosen."""
    commands, patch = page_commands()
    (tmp_path / "patch").write_text(patch, encoding="utf-8")
    # The page's diff has no message; its sender writes and signs one.
    assert not list(checkpatch(source, "--no-signoff", "--ignore=COMMIT_MESSAGE", tmp_path / "patch"))
    (source / "Documentation/ABI/testing").mkdir(parents=True)
    subprocess.run(["sh", "-e"], input=commands, cwd=source, check=True, text=True)
    applied = subprocess.run(["patch", "-p1"], input=patch, cwd=source, capture_output=True, check=True, text=True).stdout
    assert applied.splitlines() == [f"patching file {name}" for name in PATCHED]
    maintained = re.search(r"(?s)\nCPRNG RANDOM.*?\n\n", (source / "MAINTAINERS").read_text())[0]
    for name in re.findall(r"(?m)^F:\t(.*)$", maintained):
        assert (source / name).exists(), name
    assert (source / "drivers/char/cprng/Kbuild").exists()
    # Kconfig's own program, with what drivers/char/Kconfig requires and the other files that it names left out.
    entries = re.sub(r"(?m)^source .*$", "", (source / "drivers/char/Kconfig").read_text())
    (tmp_path / "Kconfig").write_text(f"config MODULES\n\tdef_bool y\n\tmodules\n\nconfig X86_64\n\tdef_bool y\n\n{entries}")
    conf = next(kernels.fetch("release", headers=True).tree.rglob("scripts/kconfig/conf"))
    subprocess.run([conf, "--allyesconfig", "Kconfig"], cwd=tmp_path, check=True, capture_output=True)
    assert "CONFIG_CPRNG=m" in (tmp_path / ".config").read_text().splitlines()
