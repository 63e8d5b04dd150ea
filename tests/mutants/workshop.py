# SPDX-License-Identifier: BSD-2-Clause
"""Building a mutated test program: only the objects that the changed file is part of, with the commands of the project's
own build, and the test program linked again with these objects before the library."""

from __future__ import annotations

import contextlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator

from catalogue import ROOT, Mutant

# Warnings are not looked at: a mutant may leave a variable unused.
QUIET = ["-w"]

# The objects of libcprng.a, and those of programs that have a library compiled for them.
STATIC_LIBRARY = re.compile(r"CMakeFiles/cprng_(freestanding|hosted|api_hidden)\.dir/")
LIBRARIES = {"lengths": re.compile(r"tests/CMakeFiles/cprng_objects-lowered\.dir/")}


# What mutants are in, what these include, and the tests of the kernel module and of the one file, which build it where they stand.
FOLDERS = ("src", "include", "dropin", "kernel", "tests/system/kernel", "tests/vm", "tests/system/one", "cmake", "tools")

# The modules of the drop-ins by their targets.
MODULES = {"cprng_preload": "libcprng-preload.so", "cprng_preload_devices": "libcprng-preload-devices.so",
           "cprng_provider": "ossl-modules/cprng.so"}


class BuildError(Exception):
    """A compiler or linker has refused a mutant."""


class Plan:
    """What the project's build knows: commands, and which headers each object has read.  Shared by all workshops."""

    def __init__(self, build: pathlib.Path) -> None:
        self.build = build
        self.compile: dict[str, tuple[pathlib.Path, list[str]]] = {}  # by object: source, command
        for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
            command = shlex.split(entry["command"])
            self.compile[command[command.index("-o") + 1]] = (pathlib.Path(entry["file"]), command)
        self.reads = self._dependencies()
        self._links: dict[str, list[str]] = {}

    def _ninja(self, *arguments: str) -> str:
        return subprocess.run(["ninja", "-C", str(self.build), *arguments], check=True, capture_output=True,
                              text=True).stdout

    @staticmethod
    def _tidy(path: str) -> str:
        """The path of an object, as compile_commands.json has it."""
        return path.replace("/./", "/")

    def _dependencies(self) -> dict[str, set[pathlib.Path]]:
        reads: dict[str, set[pathlib.Path]] = {}
        target = ""
        for line in self._ninja("-t", "deps").splitlines():
            if line.startswith("    "):
                path = pathlib.Path(line.strip())
                reads[target].add(path if path.is_absolute() else (self.build / path).resolve())
            elif ": #deps" in line:
                target = self._tidy(line.split(": #deps")[0])
                reads[target] = set()
        return reads

    def link(self, target: str) -> list[str]:
        """The command that links a program or module of the build."""
        if target not in self._links:
            last = self._ninja("-t", "commands", target).strip().splitlines()[-1]
            self._links[target] = [self._tidy(part) for part in shlex.split(re.sub(r"^: && | && :$", "", last))]
        return self._links[target]

    def module(self, mutant: Mutant) -> tuple[str, str]:
        """The object of a drop-in's source, and the module that it is linked into."""
        for output, (source, _) in self.compile.items():
            found = re.match(r"dropin/.*/CMakeFiles/(\w+)\.dir/", output)
            if found and source == ROOT / mutant.file and found[1] in MODULES:
                return output, MODULES[found[1]]
        raise BuildError(f"{mutant.file} is not part of a drop-in here")

    def library_objects(self, mutant: Mutant) -> list[str]:
        """The objects of the library, as the killer's program has it, that a mutated file is compiled into."""
        assert mutant.killer is not None
        path, chosen = ROOT / mutant.file, {ROOT / source for source in mutant.sources}
        library = LIBRARIES.get(mutant.killer.program, STATIC_LIBRARY)
        return [output for output, (source, _) in self.compile.items()
                if library.match(output) and (source == path or path in self.reads.get(output, ()))
                and (not chosen or source in chosen)]

    def test_object(self, program: str, source: str) -> str:
        """The object of a source in a test program, by itself or with others of its folder."""
        within = re.compile(rf"tests/CMakeFiles/cprng_test_{program}(_parts|_examiner)?\.dir/")
        for output, (path, _) in self.compile.items():
            if within.match(output) and ROOT / source in (path, *self.reads.get(output, ())):
                return output
        raise BuildError(f"{source} is not part of {program}")


class Workshop:
    """A copy of the library's sources, in which one mutant at a time is built."""

    def __init__(self, plans: dict[str | None, Plan], directory: pathlib.Path) -> None:
        self.plans = plans  # by preset
        self.directory = directory
        self.objects = directory / "objects"
        shutil.rmtree(directory, ignore_errors=True)
        self.objects.mkdir(parents=True)
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, directory / folder)
        shutil.copy(ROOT / "LICENSE", directory)

    def _moved(self, argument: str) -> str:
        """The argument of a compiler, with the copy for the project's own sources."""
        for prefix in ("", "-I"):
            for folder in FOLDERS:
                original = f"{prefix}{ROOT / folder}"
                if argument == original or argument.startswith(original + "/"):
                    return f"{prefix}{self.directory / folder}{argument[len(original):]}"
        return argument

    def _run(self, plan: Plan, command: list[str]) -> None:
        result = subprocess.run(command, cwd=plan.build, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise BuildError(result.stderr.strip()[-2000:])

    def _compile(self, plan: Plan, output: str, number: int) -> pathlib.Path:
        made = self.objects / f"{number}.o"
        command = [self._moved(argument) for argument in plan.compile[output][1]]
        command[command.index("-o") + 1] = str(made)
        self._run(plan, command + QUIET)
        return made

    @contextlib.contextmanager
    def build(self, mutant: Mutant) -> Iterator[pathlib.Path]:
        """The test program of the mutant's killer, with the mutant in it; or the module of the drop-in; or the copy of the
        sources, in which the tests of the kernel module and of the one file build it."""
        assert mutant.killer is not None
        path = self.directory / mutant.file
        original = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutant.apply(original), encoding="utf-8")
            if mutant.killer.program in ("kernel", "one"):
                yield self.directory
            elif mutant.killer.program == "dropin":
                yield self._build_dropin(mutant, self.plans[mutant.killer.preset])
            else:
                yield self._build_program(mutant, mutant.killer.program, self.plans[mutant.killer.preset])
        finally:
            path.write_text(original, encoding="utf-8")

    def _build_program(self, mutant: Mutant, name: str, plan: Plan) -> pathlib.Path:
        program = self.directory / "programs" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        library = plan.library_objects(mutant) if not mutant.test_sources else []
        if not library and not mutant.test_sources:
            raise BuildError(f"{mutant.file} is not part of the library here")
        sources = {plan.test_object(name, source) for source in mutant.test_sources}
        made = {output: str(self._compile(plan, output, number))
                for number, output in enumerate([*library, *sorted(sources)])}
        command = [made.pop(argument, argument) for argument in plan.link(f"tests/{name}")]
        command[command.index("-o") + 1] = str(program)
        # The others come before the archive, of which members that define nothing new are left out.
        at = command.index("libcprng.a") if made else 0
        self._run(plan, command[:at] + list(made.values()) + command[at:])
        return program

    def _build_dropin(self, mutant: Mutant, plan: Plan) -> pathlib.Path:
        output, name = plan.module(mutant)
        module = self.directory / name
        module.parent.mkdir(exist_ok=True)
        made = str(self._compile(plan, output, 0))
        command = [made if argument == output else argument for argument in plan.link(name)]
        command[command.index("-o") + 1] = str(module)
        self._run(plan, command)
        return module
