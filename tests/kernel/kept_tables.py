# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/kernel.md, made of a run of tests/kernel/measure."""


def markdown(head, rows):
    """Lines."""
    def line(cells):
        return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"

    return [line(head), "|---" * len(head) + "|", *map(line, rows)]


def instructions(result, where):
    """`where` is "process" or "interrupt"."""
    table = []
    for name, size, mean, each, least, median, most_of_100, _, most in result["tables"][where]:
        table.append([f"`{name}`" if size else name, f"{size:.0f}", f"{mean:.0f}", f"{each:.1f}", f"{least:.0f}",
                      f"{median:.0f}", f"{most_of_100:.0f}", f"{most:.0f}"])
    return markdown(["", "bytes", "mean", "per byte", "least", "median", "99%", "most"], table)


def cycles(result):
    return result["rows"]


def ways(result):
    rows = [[name, *(f"{seconds:.2f} s" for seconds in times)] for name, times in result["seconds"].items()]
    return markdown(["", "1 way", "2 ways", "4 ways"], rows)


# For tools/doc-tables.
VIEWS = {
    "instructions": lambda run, where: "\n".join(instructions(run, where[0])),
    "cycles": lambda run: "\n".join(cycles(run)),
    "ways": lambda run: "\n".join(ways(run)),
}
