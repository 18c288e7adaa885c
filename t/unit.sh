#!/bin/bash
# Runs one unit test program for prove: its YAML blocks are not what prove can read, so they become comments, and its
# own ones are left out.
# A program that exits badly after good lines (a sanitizer, a crash at exit) must fail, hence pipefail.
set -o pipefail
"$1" --tap -j1 | sed -e '/^# \(Criterion\|Running\) /d' -e '/^#$/d' -e 's/^  /#   /'
