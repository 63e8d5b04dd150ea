# SPDX-License-Identifier: BSD-2-Clause
"""Searches a kernel's log for complaints."""

import re

# The kernel's messages about its own errors: lib/bug.c, kernel/panic.c, kernel/locking/lockdep.c, kernel/rcu,
# kernel/watchdog.c, kernel/hung_task.c, kernel/softirq.c, kernel/workqueue.c, mm/kasan, mm/kfence, lib/ubsan.c,
# lib/debugobjects.c, mm/kmemleak.c.
COMPLAINTS = re.compile("|".join([
    r"\bBUG: ", r"\bBUG at ", r"\bWARNING: ", r"\bINFO: (possible|suspicious|rcu|task|trying|inconsistent|lockdep)",
    r"possible (circular|recursive) locking", r"bad unlock balance", r"inconsistent lock state",
    r"suspicious RCU usage", r"rcu: INFO", r"self-detected stall", r"soft lockup", r"hard LOCKUP",
    r"Kernel panic", r"\bOops\b", r"general protection fault", r"Call Trace:", r"kernel BUG",
    r"\bKASAN\b.*:", r"\bKCSAN: ", r"\bKFENCE: ", r"\bUBSAN: ", r"kmemleak: \d+ new", r"refcount_t: ",
    r"Invalid wait context", r"\bODEBUG: ", r"workqueue lockup", r"huh, entered", r"held lock freed",
    r"scheduling while atomic", r"sleeping function called", r"double fault", r"divide error",
    r"unable to handle", r"list_(add|del) corruption", r"Attempted to kill init", r"blocked for more than",
    # A detector that is turned off reports nothing more.
    r"turning off the locking correctness validator", r"kmemleak: .*disabled",
]))

# Harmless similar lines: start-up messages about enabled features.
HARMLESS = re.compile(r"RCU lockdep checking is enabled|Lock dependency validator|\bKASAN\b.*initialized|"
                      r"UBSAN: .*enabled|rcu: \tRCU")


def complaints(lines):
    """The lines in which the kernel reports an error of its own."""
    return [line for line in lines if COMPLAINTS.search(line) and not HARMLESS.search(line)]
