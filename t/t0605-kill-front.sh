#!/bin/sh
test_description='a front that is killed while its session starts'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' '
	make_repo repo && cd repo && git-box create b && git-box run b -- true
'
# Between "run" and "started" the monitor once waited for ever on channels whose other ends lived.
test_expect_success 'nothing outlives it, whenever it comes' '
	cd repo && python3 "$T_DIR/helper/kill-front.py" b 150
'
test_expect_success 'the box works, and is free' '
	cd repo && git-box run b -- true && git-box rm b
'
test_done
