#!/bin/sh
# run.sh SECONDS TARGET...: lets each fuzz target search that long, starting from its corpus; what it finds beyond the
# corpus is forgotten, what breaks it is kept below build/fuzz/found and fails the run.
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=$1
shift
found=build/fuzz/found
mkdir -p "$found"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
bad=0

for target; do
	what=${target##*/}
	mkdir "$scratch/$what"
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$found/$what-" "$scratch/$what" "t/fuzz/corpus/$what" >"$scratch/log" 2>&1
	rc=$?
	execs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
	cov=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$scratch/log" | tail -1)
	echo "fuzz: $what execs=${execs:-0} cov=${cov:-0}"
	if [ $rc -ne 0 ] || [ "${execs:-0}" -eq 0 ]; then
		tail -40 "$scratch/log"
		bad=1
	fi
done
exit $bad
