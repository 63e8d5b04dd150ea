# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/kernel.md, from a run of tests/system/kernel/measure."""


def markdown(head, rows):
    """The table's lines."""
    def line(cells):
        return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"

    return [line(head), "|---" * len(head) + "|", *map(line, rows)]


# Each heading with its column and form.
INSTRUCTIONS = {"bytes": ("bytes", ".0f"), "mean": ("mean", ".0f"), "per byte": ("per_byte", ".1f"), "least": ("least", ".0f"),
                "median": ("median", ".0f"), "99%": ("p99", ".0f"), "most": ("most", ".0f")}  # fmt: skip


def instructions(result, where):
    """`where` is "process" or "interrupt"."""
    table = []
    for row in result["tables"][where]["rows"]:
        name = f"`{row['call']}`" if row["bytes"] else row["call"]
        table.append([name, *(f"{row[key]:{form}}" for key, form in INSTRUCTIONS.values())])
    return markdown(["", *INSTRUCTIONS], table)


def cycles(result):
    head = ["refill", "rounds", "cycles of the core for a draw that refills", "for 32 bits in the mean, refills spread"]
    rows = []
    for row in result["tables"]["refills"]["rows"]:
        blocks = f"{row['blocks']} block{'s'[:row['blocks'] > 1]} ({row['bytes']} bytes)"
        rows.append([blocks, f"{row['rounds']}", f"{row['cycles']:.0f}", f"{row['each']:.0f}"])
    return markdown(head, rows)


def ways(result):
    table = {}
    for row in result["tables"]["ways"]["rows"]:
        table.setdefault(row["name"], []).append(f"{row['seconds']:.2f} s")
    return markdown(["", "1 way", "2 ways", "4 ways"], [[name, *times] for name, times in table.items()])


# For tools/doc-tables.
VIEWS = {
    "instructions": lambda run, where: "\n".join(instructions(run, where[0])),
    "cycles": lambda run: "\n".join(cycles(run)),
    "ways": lambda run: "\n".join(ways(run)),
}
