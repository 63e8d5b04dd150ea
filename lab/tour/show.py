#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tour: runs cprng-tour, which shows numbers and measures, and makes tables of what it measured."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

try:
    from rich import box
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table
except ImportError:
    sys.exit(f"show.py: {sys.executable} has no rich: install python3-rich, or run tools/setup run")

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"

# How fast a loop runs depends on where its code and data happen to lie, which each process has for itself: so the
# repetitions are spread over some.
PROCESSES = 5

# What the widest table takes; and there is no width to be asked for without a terminal.
FULL_WIDTH = 110

CPRNG = "cprng"

# As cprng-tour names them, in the order of the table.
GENERATORS = {
    CPRNG: "cprng",
    "vdso": "vDSO getrandom",
    "getrandom": "getrandom system call",
    "arc4random": "C library arc4random",
    "libsodium": "libsodium randombytes",
    "openssl-rand": "OpenSSL RAND_bytes",
    "openssl-ctr": "OpenSSL AES-256-CTR [1]",
    "xoshiro-call": "xoshiro256++ called [2]",
    "xoshiro-memory": "xoshiro256++ inlined [2]",
    "xoshiro-registers": "xoshiro256++ at best [2]",
}

NOTES = """\
x: time, in multiples of cprng's.  ±: median absolute deviation.  CPU time of one thread.  Bounded: below {bound}.
[1] The cipher under one key: nothing is erased or rekeyed.
[2] Not cryptographic, for scale: called; inlined, its state in memory; the same with its state in registers."""

NOT_HERE = "not here"


@dataclasses.dataclass(frozen=True)
class Work:
    """A column: its name in cprng-tour, and the bytes of a request (0 for a single number, shown in nanoseconds)."""

    key: str
    title: str
    size: int

    def show(self, nanoseconds: float) -> str:
        return three_digits(self.size / nanoseconds if self.size else nanoseconds)


WORKS = (
    Work("u32", "32 bits\nns", 0),
    Work("below", "bounded\nns", 0),
    Work("256B", "256 B\nGB/s", 256),
    Work("64KiB", "64 KiB\nGB/s", 65536),
)


@dataclasses.dataclass(frozen=True)
class Target:
    """A ratio that is wanted: of speeds at the least, or of times at the most.  None: there is to see, not to meet."""

    what: str
    ours: str
    theirs: str
    at_least: float | None = None
    at_most: float | None = None


# Those of the project's targets that can be measured with what a distribution has.
TARGETS = (
    Target("32 bits: time / xoshiro256++ in memory", "cprng/u32", "xoshiro-memory/u32", at_most=1.0),
    Target("32 bits: time / getrandom of the vDSO", "cprng/u32", "vdso/u32", at_most=1 / 30),
    Target("256 B: speed / its bare cipher", "cprng/256B", "bare/256B"),
    Target("64 KiB: speed / its bare cipher", "cprng/64KiB", "bare/64KiB", at_least=0.95),
    Target("64 KiB: speed / OpenSSL RAND_bytes", "cprng/64KiB", "openssl-rand/64KiB", at_least=4),
    Target("256 MiB: speed / its bare cipher, streaming", "cprng/256MiB", "bare/256MiB", at_least=0.9),
    Target("ChaCha20: speed / OpenSSL's", "bare-chacha20/64KiB", "openssl-chacha20/64KiB", at_least=1.5),
    Target("Salsa20: speed / libsodium's", "bare-salsa20/64KiB", "libsodium-salsa20/64KiB", at_least=4),
)
STATE_BYTES_MAX = 8192


class Results:
    """Nanoseconds of CPU time of every repetition, by "generator/work", and what the program said of itself."""

    def __init__(self, runs: list[dict]) -> None:
        self.context: dict[str, str] = runs[0]["context"]
        self.processes = len(runs)
        self.times: dict[str, list[float]] = {}
        for run in runs:
            for result in run["benchmarks"]:
                if result["run_type"] == "iteration":
                    # Google Benchmark appends its settings: "cprng/u32/iterations:900/repeats:4".
                    name = "/".join(result["name"].split("/")[:2])
                    self.times.setdefault(name, []).append(float(result["cpu_time"]))

    @property
    def repetitions(self) -> int:
        return int(self.context["repetitions"]) * self.processes

    def median(self, name: str) -> float | None:
        return statistics.median(self.times[name]) if name in self.times else None

    def deviation(self, name: str) -> float:
        """The median absolute deviation, as a part of the median."""
        middle = statistics.median(self.times[name])
        return statistics.median(abs(time - middle) for time in self.times[name]) / middle

    def ratio(self, over: str, under: str) -> float | None:
        a, b = self.median(over), self.median(under)
        return a / b if a is not None and b is not None else None


def three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


# ------------------------------------------------------------------------------------------------------- the measuring


@contextlib.contextmanager
def progress_bar(console: Console, milliseconds: int) -> Iterator[Callable[[int, int], None]]:
    """What is called with (done, total); a line of text at the beginning where there is no terminal."""
    if not console.is_terminal:
        def announce(done: int, total: int) -> None:
            if done == 0:
                print(f"\nMeasuring for some {1 + total * milliseconds // 1000} seconds ...", flush=True)

        yield announce
        return
    columns = (TextColumn("Measuring"), BarColumn(), MofNCompleteColumn(), TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def run_tour(options: list[str], advance: Callable[[int, int], None] | None = None) -> None:
    """cprng-tour to its end, or SystemExit; advance is called with what it says of its progress."""
    reader, writer = os.pipe()
    if advance:
        options = [*options, f"--progress-fd={writer}"]
    with subprocess.Popen(options, pass_fds=[writer]) as process:
        os.close(writer)
        try:
            with os.fdopen(reader, encoding="ascii") as lines:
                for line in lines:
                    done, total = map(int, line.split())
                    if advance:
                        advance(done, total)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        sys.exit(f"show.py: {options[0]} ended with status {process.returncode}")


def measure(program: pathlib.Path, repetitions: int, milliseconds: int, console: Console) -> list[dict]:
    """The reports of some processes in turn."""
    each = max(1, round(repetitions / PROCESSES))
    runs = []
    with tempfile.TemporaryDirectory() as directory, progress_bar(console, milliseconds) as advance:
        report = pathlib.Path(directory) / "report.json"
        command = [str(program), "--no-numbers", f"--json={report}", f"--repetitions={each}",
                   f"--milliseconds={milliseconds}"]
        for number in range(PROCESSES):
            run_tour(command, lambda done, total, before=number: advance(before * total + done, PROCESSES * total))
            runs.append(json.loads(report.read_text()))
    return runs


# ---------------------------------------------------------------------------------------------------------- the showing


def cpu_model() -> str:
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Processor", "uarch"):
                return value.strip()
    return platform.machine()


def describe_machine(results: Results) -> str:
    context = results.context
    libraries = [" ".join(platform.libc_ver())]
    if "openssl" in context:
        libraries.append(context["openssl"])
    if "libsodium" in context:
        libraries.append(f"libsodium {context['libsodium']}")
    seconds = float(context["seconds"])
    load = context.get("load_avg", [0])[0]
    lines = [
        f"{cpu_model()}, {context['num_cpus']} CPUs; Linux {platform.release()}; {context['compiler']}",
        "; ".join(libraries),
        f"Medians of {results.repetitions} repetitions of {seconds * 1000:.0f} ms, in {results.processes} processes, "
        "in random order within each.",
        "Machines are noisy, and figures of different runs do not compare: only ratios within one run count.",
    ]
    if load > 0.5 * context["num_cpus"]:
        lines.append(f"This one was busy with other work (load {load:.1f}).")
    return "\n".join(lines)


def new_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def speed_table(results: Results, spreads: bool) -> Table:
    table = new_table()
    table.add_column("")
    for work in WORKS:
        table.add_column(work.title, justify="right", no_wrap=True)
        table.add_column("\nx", justify="right", no_wrap=True)
    for generator, label in GENERATORS.items():
        cells = [cell for work in WORKS for cell in speed_cells(results, generator, work, spreads)]
        table.add_row(label.replace("[", r"\["), *cells, style="bold" if generator == CPRNG else None)
    return table


def speed_cells(results: Results, generator: str, work: Work, spreads: bool) -> tuple[str, str]:
    """The figure and the ratio."""
    name = f"{generator}/{work.key}"
    time = results.median(name)
    if time is None:
        absent = not any(f"{generator}/{other.key}" in results.times for other in WORKS)
        return NOT_HERE if absent else "-", ""
    ratio = results.ratio(name, f"{CPRNG}/{work.key}")
    spread = f" ±{results.deviation(name):2.0%}" if spreads else ""
    return work.show(time) + spread, three_digits(ratio) if ratio is not None else ""


def far_off(results: Results) -> list[str]:
    """What a median hides: the slowest repetitions, where they took half as long again."""
    lines = []
    for name, times in results.times.items():
        middle = statistics.median(times)
        if name.split("/")[0] == CPRNG and max(times) > 1.5 * middle:
            lines.append(f"{name}: the slowest repetition took {max(times) / middle:.1f} x the median")
    return lines


def fraction(value: float) -> str:
    return f"1/{1 / value:.0f}" if value < 0.1 else three_digits(value)


def target_cells(target: Target, ratio: float | None) -> tuple[str, str, str]:
    """Measured, wanted, verdict."""
    measured = fraction(ratio) if ratio is not None else NOT_HERE
    if target.at_most is not None:
        wanted, met = f"<= {fraction(target.at_most)}", ratio is not None and ratio <= target.at_most
    elif target.at_least is not None:
        wanted, met = f">= {fraction(target.at_least)}", ratio is not None and ratio >= target.at_least
    else:
        return measured, "-", ""
    return measured, wanted, verdict(met) if ratio is not None else ""


def verdict(met: bool) -> str:
    return "[green]met[/]" if met else "[yellow]missed[/]"


def target_table(results: Results) -> Table:
    table = new_table()
    table.add_column("")
    for title in ("measured", "target", ""):
        table.add_column(title, justify="right", no_wrap=True)
    for target in TARGETS:
        # A ratio of times is ours over theirs, one of speeds is theirs over ours, since both are kept as times.
        names = (target.ours, target.theirs) if target.at_most is not None else (target.theirs, target.ours)
        table.add_row(target.what, *target_cells(target, results.ratio(*names)))
    state = int(results.context["state_bytes"])
    met = state <= STATE_BYTES_MAX
    table.add_row("memory of a CPU that drew", f"{state} B", f"<= {STATE_BYTES_MAX} B", verdict(met))
    return table


class Page:
    """Standard output: in the terminal's width and colours, or as plain text."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty()
        width = None if self.terminal else FULL_WIDTH
        self.console = Console(force_terminal=self.terminal, width=width, highlight=False)

    def title(self, text: str) -> None:
        self.console.print(f"\n[bold]{text}[/]\n")

    def text(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    def table(self, table: Table) -> None:
        with self.console.capture() as capture:
            self.console.print(table)
        # Cells are filled with blanks to the right.
        print("\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n")


def show(results: Results, page: Page) -> None:
    page.title("How fast")
    page.table(speed_table(results, page.console.width >= FULL_WIDTH))
    page.text("\n".join([NOTES.format(bound=results.context["bound"]), *far_off(results)]))
    page.title("Targets of the project")
    page.table(target_table(results))
    page.text(describe_machine(results))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/run", description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=BUILD / "cprng-tour", help="which cprng-tour to run")
    parser.add_argument("--json", type=pathlib.Path, default=BUILD / "tour.json",
                        help="where every repetition is kept (%(default)s)")
    parser.add_argument("--again", action="store_true", help="show what was kept, and measure nothing")
    parser.add_argument("--repetitions", type=int, default=20, help="of each measurement (%(default)s)")
    parser.add_argument("--milliseconds", type=int, default=20, help="of each repetition (%(default)s)")
    return parser.parse_args()


def tour(arguments: argparse.Namespace, page: Page) -> None:
    if not arguments.again:
        run_tour([str(arguments.program), "--no-measurements"])
        runs = measure(arguments.program, arguments.repetitions, arguments.milliseconds, page.console)
        arguments.json.write_text(json.dumps(runs, indent=1) + "\n")
    show(Results(json.loads(arguments.json.read_text())), page)
    if not arguments.again:
        page.text(f"Every repetition is in {os.path.relpath(arguments.json)}")


def main() -> None:
    arguments = parse()
    # Rather a question mark than an end, where the locale does not know ±.
    sys.stdout.reconfigure(errors="replace")
    try:
        tour(arguments, Page())
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Who read the output has seen enough.  Python would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"show.py: {error}")


if __name__ == "__main__":
    main()
