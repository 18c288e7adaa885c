#!/bin/sh
# libcommon/LAYERS: who may include whom, and which folders may use which system library.
set -u
cd "$(dirname "$0")/../.." || exit 1

find libcommon git-box -name '*.[ch]' | sort | xargs awk '
	BEGIN {
		while ((getline line <"libcommon/LAYERS") > 0) {
			n = split(line, w, /[: ]+/)
			if (line ~ /^#/ || n == 0)
				continue
			first = w[1] == "lib" ? 3 : 2
			if (first == 3)
				owned[w[2]] = 1
			else
				known[w[1]] = 1
			for (i = first; i <= n; i++)
				may[(first == 3 ? w[2] : w[1]), w[i]] = 1
		}
	}
	FNR == 1 {
		split(FILENAME, part, "/")
		tool = part[1] != "libcommon"
		folder = tool ? part[1] : part[2]
		if (!tool && !(folder in known)) {
			print FILENAME ":1: folder " folder " is not in LAYERS"; bad = 1
		}
	}
	/^#[ \t]*include[ \t]*"/ {
		split($0, q, "\"")
		if (q[2] ~ /\.inc$/)
			next	# generated below build/
		if (split(q[2], d, "/") < 2) {
			if (!tool) { print FILENAME ":" FNR ": include by folder: " q[2]; bad = 1 }
			next
		}
		if (!tool && d[1] != folder && d[1] in known && !((folder, d[1]) in may)) {
			print FILENAME ":" FNR ": " folder " may not use " d[1]; bad = 1
		}
		if (!tool && !(d[1] in known)) { print FILENAME ":" FNR ": unknown folder " d[1]; bad = 1 }
	}
	/^#[ \t]*include[ \t]*</ {
		split($0, q, /[<>]/)
		if (q[2] in owned && !((q[2], folder) in may)) {
			print FILENAME ":" FNR ": " folder " may not use " q[2]; bad = 1
		}
	}
	END { exit bad }'
