#!/bin/sh
test_description='the commands of README.md work as they stand there'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Lines "$ command" of console blocks, in order.
awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on && /^\$ / { print substr($0, 3) }' \
	"$SRC_DIR/README.md" >"$TRASH/tour"

test_expect_success 'the tour is there' '
	test "$(grep -c . tour)" -ge 12 && make_repo repo && git config --global --add safe.directory "*"
'
while read -r command <&3; do
	test_expect_success "$command" '
		case $command in
		*probe* | *doctor*) (cd repo && sh -c "$command"; test $? -le 1) ;; # the answer may be no
		*) (cd repo && sh -c "$command") ;;
		esac
	'
done 3<"$TRASH/tour"
test_expect_success 'one reviewed change has come, and nothing else' '
	cd repo && test -z "$(git status --porcelain)" && test "$(git rev-list --count main)" = 2 && grep -q goodbye src/hello.c &&
	git log -1 --format=%an main | grep -q fix-login && git fsck --strict
'
test_expect_success 'the manual is installed where git finds it' '
	git box --help | grep -q "fix\|create" && man -w git-box
'
test_done
