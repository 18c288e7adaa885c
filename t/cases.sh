#!/bin/sh
# make cases: t/CASES is whole and true. Fails on a number without a line, a line whose test does not exist, an
# escape without a control of its own, and a number or kind that nobody asked for.
set -u
cd "$(dirname "$0")" || exit 1
list=$(mktemp) && names=$(mktemp) || exit 1
trap 'rm -f "$list" "$names"' EXIT

# What must be there.
wanted () {
	seq -f 'box.%g' 48 61
	seq -f 'box.%g' 67 72
	for n in B01 B02 B03 B04 B07 C01 C03 C04 C06 D01 D02 D03 D04 D06 D07 D08 D09 D10 D11 D12 D13 \
		E01 E02 E04 E06 E07 E09 E10 G02 G04 G05 G06 G08 G09 G10; do
		echo "cases.$n"
	done
	# what is taken in from a box
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 14 19 21 22 23 25 29 30 31 32; do
		echo "box.$n"
	done
	seq -f 'cve.%g' 1 15
	seq -f 'cve.%g' 22 46
	# apply and rebase
	for n in 13 20 103; do
		echo "box.$n"
	done
	# what the gate refuses
	echo box.26
	for n in 57 58 60 61; do
		echo "cve.$n"
	done
	# what leaves as files or is looked at
	for n in 24 29 30 31 104; do
		echo "box.$n"
	done
	for n in 21 47 50 51; do
		echo "cve.$n"
	done
	echo attack.4
	# git on what a box wrote
	for n in 15 16 17 18 27 28 102 105 107 108; do
		echo "box.$n"
	done
	for n in 01 02 03 05 08 11 14 16; do
		echo "cases.A$n"
	done
	for n in 48 49 52 53 54 55 59 62 63 64; do
		echo "cve.$n"
	done
	echo attack.3
	# submodules
	echo cases.A10
	seq -f 'cve.%g' 56 57
	for n in 1 2 3 4 6 7 8 9 11 14 15 17; do
		echo "attack.$n"
	done
}

# The names of all tests, as file:name. An escape_probe is two of them.
for f in t[0-9]*.sh; do
	[ -x "$f" ] || continue
	sed -n -E "s/^[[:space:]]*(test_expect_success|escape_probe) ('[^']*'|\"[^\"]*\") .*/\1 \2/p" "$f" |
		sed -E "s/^([a-z_]+) .(.*).\$/\1 \2/
			s|^test_expect_success |$f:|
			s|^escape_probe (.*)|$f:control: \1\n$f:escape: \1|"
done >"$names"
for f in unit/test-*.c; do
	sed -n -E "s|^(Parameterized)?Test\(([a-z0-9_]+), ([a-z0-9_]+).*|$f:\2::\3|p" "$f"
done >>"$names"

wanted >"$list"
awk -F ' [|] ' -v wanted="$list" -v names="$names" '
	function fail(text) { print "CASES:" FNR ": " text; bad++ }
	BEGIN {
		while ((getline line <wanted) > 0) want[line] = 1
		while ((getline line <names) > 0) have[line] = 1
	}
	/^#/ || /^$/ { next }
	!($1 in want) { fail("nobody asked for " $1); next }
	{ seen[$1] = 1; lines++; kinds[$2]++ }
	$2 == "later" || $2 == "none" {
		if (NF != 3 || length($3) < 15) fail($1 ": no reason")
		next
	}
	$2 != "test" && $2 != "escape" { fail($1 ": unknown kind " $2); next }
	!($3 in have) { fail($1 ": no such test: " $3) }
	$2 == "escape" && NF != 4 { fail($1 ": escape without a control"); next }
	$2 == "escape" && !($4 in have) { fail($1 ": no such control: " $4) }
	$2 == "escape" && $4 == $3 { fail($1 ": is its own control") }
	END {
		for (id in want)
			if (!(id in seen)) { print "CASES: " id " is not mapped"; bad++ }
		printf "cases: %d lines: %d tests, %d escapes with control, %d later, %d none; %d problems\n", lines,
			kinds["test"], kinds["escape"], kinds["later"], kinds["none"], bad
		exit bad > 0
	}' CASES
