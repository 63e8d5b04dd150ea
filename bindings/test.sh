#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The common part of the tests of Rust, Go, Java and Node, which source it with their own arguments.  It sets here (the test's directory,
# which becomes the working directory), root (the project's), page (the language's page), work (a temporary directory, removed at the end)
# and short (yes or no).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$(dirname "$0")"
here=$PWD
self=${here#"$root"/}/${0##*/}
page=$root/docs/$(basename "$here").md
short=no
[ "${1:-}" != --short ] || short=yes
work=$(mktemp -d)
trap 'chmod -R u+w "$work" || :; rm -rf "$work"' EXIT

step() {
	echo "-- $*"
}

fail() {
	echo "$self: $*" >&2
	exit 1
}

# absent WHAT...: fail because a tool is missing.  The short form, which CI runs, is skipped instead: Debian 12's Go, Rust and Java are too old.
absent() {
	[ $short = no ] || { echo "$self: SKIPPED: $*" && exit 0; }
	fail "$*"
}

# needs LEAST WHY COMMAND...: call absent unless the command exists and prints a version that is not older.
needs() {
	command -v "$3" >/dev/null || absent "there is no $3; $2"
	local version
	version=$("${@:3}" | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
	printf '%s\n' "$1" "$version" | sort -CV || absent "$3 $version is older than $1; $2"
}

# quietly COMMAND...: run a command with its output in $work/output, and show that and exit if it fails.
quietly() {
	"$@" >"$work/output" 2>&1 || { cat "$work/output" >&2 && exit 1; }
}

# code LANGUAGE [BEGIN [N]]: print the page's first block, or block N, in that language that begins with BEGIN.
code() {
	awk -v fence="\`\`\`$1" -v begin="${2:-}" -v n="${3:-1}" '
		last == fence && substr($0, 1, length(begin)) == begin && --n == 0 { on = 1 }
		{ last = $0 }
		on && /^```/ { exit }
		on' "$page"
}

# prints PATTERN COMMAND...: run a program of the page, which must print one line that matches the extended regular expression.
prints() {
	quietly "${@:2}"
	if [ "$(wc -l <"$work/output")" != 1 ] || ! grep -xE -e "$1" "$work/output"; then
		fail "the page's program printed: $(cat "$work/output")"
	fi
}

# optimised LEVEL FILE...: fail unless LEVEL is the last optimisation option that gcc recorded in the files.
optimised() {
	local levels
	levels=$(readelf --string-dump=.GCC.command.line "${@:2}" | sed -n 's/.* \(-O[^ ]*\).*/\1/p' | sort -u)
	[ "$levels" = "$1" ] || fail "with CFLAGS=-O0 the library is compiled by: $levels"
}
