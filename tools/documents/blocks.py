# SPDX-License-Identifier: BSD-2-Clause
"""Tables and texts of a run, between two comments in a document.

VIEW is the name of a table or text of the run, or one of VIEWS.  Tables are printed as by cprng-lab: `columns` selects
columns, and the name of any other column selects rows by their printed values; texts are printed unchanged.
The KIND `tree` has the views of tree.py: counts of tests and mutants.
"""

import re
import shlex
import sys
import textwrap

import tree
from runs import ROOT, Trouble

sys.path.insert(0, str(ROOT / "tests/system/kernel"))
import kept_tables  # pylint: disable=wrong-import-position  # noqa: E402


def pipes(head, rows):
    return "\n".join(kept_tables.markdown(head, rows))


# ------------------------------------------------------------------------------------------- tables as they are printed


def written(value):
    """Three digits, as cprng-lab prints a number (lab/common/table.cpp)."""
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.4f}"
    return f"{value:,.{3 if size < 0.9995 else 2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


def chosen(table, columns, wanted):
    """The columns' indices, and the printed rows."""
    keys = [column["key"] for column in table["columns"]]
    unknown = [key for key in [*columns, *wanted] if key not in keys]
    if unknown:
        raise Trouble(f"no column {', '.join(unknown)}; there are: {', '.join(keys)}")
    rows = [row for row in table["printed"] if all(row[keys.index(key)] in values for key, values in wanted.items())]
    if not rows:
        raise Trouble(f"no row has {wanted}")
    return [keys.index(key) for key in columns] or list(range(len(keys))), rows


def shown(headings):
    """The lines of each heading.  All but the last are its group, which is empty where the column to the left shows it."""
    lines, left = [], None
    for heading in headings:
        group, newline, last = heading.rpartition("\n")
        lines.append([""] * (group.count("\n") + 1) + [last] if newline and group == left else heading.split("\n"))
        left = group if newline else None
    return lines


def printed(table, columns=(), **wanted):
    """As lab/common/table.cpp: text is left-aligned, figures right-aligned, and headings aligned at their last lines.
    """
    indices, rows = chosen(table, columns, wanted)
    parts = []
    for i, heading in zip(indices, shown(table["columns"][i]["heading"] for i in indices)):
        key = table["columns"][i]["key"]
        words = any(isinstance(row[key], str) for row in table["rows"])
        width = max(map(len, [*heading, *(row[i] for row in rows)]))
        parts.append((heading, str.ljust if words else str.rjust, width, i))
    high = max(len(heading) for heading, *_ in parts)
    lines = ["  ".join(put(([""] * (high - len(heading)) + heading)[line], width) for heading, put, width, _ in parts)
             for line in range(high)]
    lines.append("-" * (sum(width + 2 for _, _, width, _ in parts) - 2))
    lines += ["  ".join(put(row[i], width) for _, put, width, i in parts) for row in rows]
    return "\n".join(["```", *(line.rstrip() for line in lines if line.strip()), "```"])


# --------------------------------------------------------------------------------------------------------------- others


def in_other_unit(text, scale):
    """The printed cell, its first number converted to another unit; what follows is relative."""
    number, separator, rest = text.partition(" ")
    return text if number == "-" else written(float(number) * scale) + separator + rest


def generators(run, rows=(), numbers=("bits32", "below_one"), sizes=("256", "65536"), more=(), spread=("yes",)):
    """For `others`: ns of numbers with their range (‡ where they lie around two places), GB/s of requests; with more=yes µs to the
    first byte, bytes a thread; with spread=no medians alone."""
    tables = run["tables"]

    def cell(table, name, key, scale=1.0, **where):
        column = [one["key"] for one in tables[table]["columns"]].index(key)
        for row, shown in zip(tables[table]["rows"], tables[table]["printed"]):
            if row["contender"] == name and all(row[k] == v for k, v in where.items()):
                return in_other_unit(shown[column], scale) if scale != 1 else shown[column]
        return "-"

    heads = {"bits32": "32 bits, ns", "below_one": "integer below 10^6, ns"}
    headings = {column["key"]: " ".join(column["heading"].split()) for column in tables["others"]["columns"]}

    def number(row, key):
        """With its range over repetitions, processes and layouts, which differ by more than the median deviation shows.
        """
        if row[key] is None:
            return "-"
        if "no" in spread:
            return written(row[key]["median"])
        text = f"{written(row[key]['median'])} ({written(row[key]['least'])}–{written(row[key]['most'])})"
        return text + ("‡" if f"{headings[key]}:" in (row.get("two_modes") or "") else "")

    def request(size):
        return next((row["request"] for row in tables["others_fill"]["rows"] if row["bytes"] == int(size)), f"{size} B")

    head = ["", *(heads[key] for key in numbers)]
    head += [f"{request(size)}, GB/s" for size in sizes]
    head += ["first byte, µs", "bytes a thread"] if more else []
    lines = []
    for row in tables["others"]["rows"]:
        name = row["contender"]
        if row["here"] != "here" or (rows and name not in rows):
            continue
        line = [name, *(number(row, key) for key in numbers)]
        fills = [cell("others_fill", name, "rate", 1e-3, bytes=int(size)) for size in sizes]
        line += [one.split(" ±")[0] for one in fills] if "no" in spread else fills
        if more:
            line += [cell("others_start", name, "in_process"), cell("others_memory", name, "drawn")]
        lines.append(line)
    return pipes(head, lines)


def scores(run, sweeps):
    """For `sweep`: each value's time relative to the default's."""
    lines = []
    for name in sweeps:
        values = []
        for row in run["tables"][f"sweep_{name}"]["rows"]:
            score = row["score"]
            if row["mark"] is not None and "default" in row["mark"]:
                values.append(f"**{row['label']}** 1")
            else:
                values.append(f"{row['label']} {score['median']:.2f} ± {score['deviation']:.2f}")
        lines.append([name, ", ".join(values)])
    return pipes(["", ""], lines)


def ct_memory(run):
    """For `ct`: engines, and the backends on which valgrind reported something."""
    found = {}
    for row in run["tables"]["ct_memory"]["rows"]:
        cells = []
        for phase in ("key", "keystream"):
            parts = [f"{kind} in {row[f'{phase}_{kind}_places']} places, {row[f'{phase}_{kind}_times']} times"
                     for kind in ("index", "branch") if row[f"{phase}_{kind}_places"]]
            cells.append("; ".join(parts).replace(" 1 places", " 1 place") or "nothing")
        found.setdefault((row["engine"], *cells, row["verdict"]), []).append(row["backend"])
    rows = [[engine, ", ".join(backends).strip("-"), *rest] for (engine, *rest), backends in found.items()]
    return pipes(["engine", "backends", "key set-up", "keystream", "verdict"], rows)


def ct_timing(run):
    """For `ct`: |t| of each backend with instructions unknown to valgrind."""
    rows = []
    for row in run["tables"]["ct_timing"]["rows"]:
        cells = []
        for work in ("key", "keystream", "cold"):
            t, count, ns = (row[f"{work}_{what}"] for what in ("t", "count", "ns"))
            flagged = f": {ns:.1f} ns" if row[f"{work}_flagged"] else ""
            cells.append("no flush" if t is None else f"{t:.{0 if t > 10 else 1}f} of {count / 1e6:.2g} million{flagged}")
        rows.append([row["engine"], row["backend"].strip("-"), *cells, row["verdict"]])
    return pipes(["engine", "backend", "key set-up", "keystream", "cold keystream", "verdict"], rows)


KINDS_OF_DRAWS = {"fast": "`cprng_fast` of 16 bytes", "inlined": "inlined draws", "long": "requests of 1024 bytes",
                  "strong": "`cprng_strong`", "unbuffered-fast": "unbuffered"}


def clones(run, by=("clone",)):
    """For `vm`: bytes that clones of a virtual machine (by=clone) or of a process (by=criu) have in common, by kernel and draws:
    from one clone's view and the other's."""
    found = {}
    for row in run["tables"]["clones"]["rows"]:
        if row["by"] == by[0]:
            name = f"Linux {row['release']}, {KINDS_OF_DRAWS[row['draws']]}{', ' if row['how'] else ''}{row['how']}"
            found.setdefault(name, []).append(row)

    def cell(rows, key):
        values = [row[key] for row in rows if row[key] is not None]
        if not values:
            return "-"
        return f"{min(values):,}" if min(values) == max(values) else f"{min(values):,} to {max(values):,}"

    lines = [[name, *(cell(rows, key) for key in ("common", "after_notice", "after_invalidation"))]
             for name, rows in found.items()]
    head = ["", "bytes in common", "drawn after the kernel noticed", "drawn after the invalidation"]
    shown = [i for i in range(len(head)) if i < 2 or any(line[i] != "-" for line in lines)]
    return pipes([head[i] for i in shown], [[line[i] for i in shown] for line in lines])


def peers_of(run):
    """Their versions; some include their names."""
    contenders = run["settings"]["contenders"]
    if run["command"] == "choices":
        own = [of["version"] for of in contenders.values() if of.get("version")]
        return list(dict.fromkeys([f"libstdc++ {run['peers']['libstdc++']}", run["peers"]["rustc"], *own]))
    versions = [version if name.split(": ")[-1].lower() in version.lower() else f"{name} {version}"
                for name, version in run["peers"].items()]
    return versions + [("glibc " if name == "arc4random-newer" else "") + contenders[name]["version"] for name in ("randp", "arc4random-newer")
                       if contenders.get(name, {}).get("here") == "here"]


def machine(run, peers=("yes",)):
    """The machine, place and time of the measurement, in a sentence."""
    of, settings = run["machine"], run.get("settings", {})
    # Names alone, such as "Intel(R) Xeon(R) Processor", may be of several CPU kinds.
    kind = f" ({of['cpu_signature']})" if of.get("cpu_signature", "unknown") != "unknown" else ""
    parts = [of["cpu"] + kind, f"{of['cpus']} CPUs", of["kernel"].partition("-")[0], of["libc"]]
    parts += [text for text in (of.get("compiler"), of.get("cycles"), of.get("microcode") and f"microcode {of['microcode']}", of.get("valgrind"),
                          of.get("qemu") and f"qemu {of['qemu']}", of.get("criu") and f"CRIU {of['criu']}")
              if text]
    text = f"Measured on {of['time'][:10]}"
    text += f" by cprng {of['cprng']}" if of.get("cprng") else ""
    commit = run.get("build", of).get("commit")
    text += f" at {commit[:12]}" if commit else ""
    text += f": {', '.join(parts)}"
    if "repetitions" in settings:
        text += f"; {settings['repetitions']} repetitions of {settings['seconds']} s"
    loads = [part["cpus"] for part in (run.get("others", {}), *run.get("others_of_parts", {}).values()) if "cpus" in part]
    if loads:
        median, most = (max(load[key] for load in loads) for key in ("median", "most"))
        text += f", during which other programs used {median:.2f} CPUs (median; at most {most:.2f})"
    if of.get("load") is not None:
        text += f"; the load was {of['load']:.1f}"
    if not loads and run.get("load_before"):
        text += f"; the load was {run['load_before'][0]:.1f}"
    text += "."
    if run.get("peers") and run.get("command") in ("choices", "others", "sizes") and peers[0] == "yes":
        text += f" Beside it: {', '.join(peers_of(run))}."
    return text


def wrapped(text, width=118):
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


VIEWS = {
    "clones": clones,
    "ct_memory": ct_memory,
    "ct_timing": ct_timing,
    "generators": generators,
    "machine": lambda run, **options: wrapped(machine(run, **options)),
    "scores": scores,
    **kept_tables.VIEWS,
}


# ------------------------------------------------------------------------------------------------------------ documents


def made(directions, runs):
    kind, view, *words = shlex.split(directions)
    options = {name: values.split(",") for name, values in (word.split("=", 1) for word in words)}
    if kind == "tree":
        if view not in tree.VIEWS:
            raise Trouble(f"tree has no {view}; there are: {', '.join(tree.VIEWS)}")
        head, rows = tree.VIEWS[view](runs)
        return pipes(head, [[str(cell) for cell in row] for row in rows])
    run = runs[kind]
    if view in VIEWS:
        return VIEWS[view](run, **options)
    if view in run.get("texts", {}):
        return "```\n" + run["texts"][view] + "\n```"
    if view not in run.get("tables", {}):
        there = [*VIEWS, *run.get("texts", {}), *run.get("tables", {})]
        raise Trouble(f"{runs.paths[kind].name} has no {view}; there are: {', '.join(there)}")
    return printed(run["tables"][view], **options)


BLOCK = re.compile(r"(?ms)^<!-- table: ([^\n]*) -->\n(.*?)^<!-- end of table -->$")
MARK = re.compile(r"(?m)^<!-- (?:table: .*|end of table) -->$")


def remade(text, runs):
    """The text with its tables updated from the runs, and [(line, problem)]."""
    wrong = []

    def block(match):
        try:
            table = made(match[1], runs)
        except (Trouble, ValueError, TypeError) as trouble:
            wrong.append((text.count("\n", 0, match.start()) + 1, f"{trouble}: {match[1]}"))
            return match[0]
        return f"<!-- table: {match[1]} -->\n{table}\n<!-- end of table -->"

    result = BLOCK.sub(block, text)
    if len(MARK.findall(text)) != 2 * len(BLOCK.findall(text)):
        wrong.append((1, "a table begins and does not end, or the other way round"))
    return result, wrong
