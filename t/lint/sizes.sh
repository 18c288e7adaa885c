#!/bin/sh
# Budgets: .c files of 600 lines, functions of 80 lines and 5 parameters, 100 columns. There is no waiver file.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
sources=$(find libcommon git-box t -name '*.[ch]' | sort)

# shellcheck disable=SC2086 # a list of words on purpose
for f in $sources; do
	expand -t 8 "$f" | awk -v f="$f" '
		length($0) > 100 { print f ":" NR ": " length($0) " columns"; bad = 1 }
		END { if (NR > 600 && f ~ /\.c$/) { print f ":1: " NR " lines"; bad = 1 } exit bad }' || bad=1
done
command -v ctags >/dev/null || { echo "sizes: ctags is missing"; exit 1; }
# shellcheck disable=SC2086
ctags -f - --languages=C --langmap=C:.c.h --c-kinds=f --fields=+neS --sort=no $sources 2>/dev/null | awk -F'\t' '
	/^!/ { next }
	{
		line = end = 0; sig = ""
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^line:/) line = substr($i, 6)
			if ($i ~ /^end:/) end = substr($i, 5)
			if ($i ~ /^signature:/) sig = substr($i, 11)
		}
		n++
		if (end - line + 1 > 80) {
			print $2 ":" line ": " $1 " has " end - line + 1 " lines"; bad = 1
		}
		gsub(/^\(|\)$/, "", sig)
		while (gsub(/\([^()]*\)/, "", sig)) ;
		params = sig == "" || sig == "void" ? 0 : split(sig, p, ",")
		if (params > 5) { print $2 ":" line ": " $1 " has " params " parameters"; bad = 1 }
	}
	END { if (n == 0) { print "sizes: no function seen"; bad = 1 } exit bad }' || bad=1
exit $bad
