#!/bin/sh
test_description='looking at a box in which nothing happened'
test_lanes=both
. "${0%/*}/test-lib.sh"

# quiet BOX: diff says nothing and starts none of our other processes. loud BOX: it asks the scribe.
asked () { traced -e trace=execve -o "$TRASH/trace" git-box diff "$1" >"$TRASH/out" && grep -q git-box-monitor "$TRASH/trace"; }
quiet () { ! asked "$1" && [ ! -s "$TRASH/out" ]; }
shows () { git-box diff "$1" >"$TRASH/out" && grep -q "$2" "$TRASH/out"; }
relearn () { sleep 0.1 && git-box diff b && sleep 0.1 && git-box diff b && quiet b; }

test_expect_success 'the first look asks, the next ones do not' '
	make_repo repo && echo "*.o" >repo/.gitignore && git -C repo add -A && git -C repo commit -q -m ignore && cd repo &&
	git-box create b && sleep 0.1 && asked b && ! test -s "$TRASH/out" && quiet b && quiet b
'
test_expect_success 'content of the same size, with its old time' '
	cd repo && w=$(git-box path b) && cp -p "$w/README" "$TRASH/old" && sed -i s/sample/SAMPLE/ "$w/README" &&
	touch -r "$TRASH/old" "$w/README" && shows b "^+a SAMPLE" && cp "$TRASH/old" "$w/README" && relearn
'
test_expect_success 'a mode, a new file, a removed one, a symlink' '
	cd repo && w=$(git-box path b) && chmod +x "$w/README" && shows b "new mode 100755" && chmod -x "$w/README" && relearn &&
	echo new >"$w/new" && shows b "^+new" && rm "$w/new" && relearn &&
	mv "$w/README" "$TRASH/away" && shows b "deleted file" && mv "$TRASH/away" "$w/README" && relearn &&
	ln -s README "$w/link" && shows b "new file mode 120000" && rm "$w/link" && relearn
'
test_expect_success 'an ignored file is looked at and is no change' '
	cd repo && w=$(git-box path b) && echo x >"$w/x.o" && asked b && ! test -s "$TRASH/out" && relearn && rm "$w/x.o"
'
test_expect_success 'a change right after a look' '
	cd repo && w=$(git-box path b) && relearn && for i in 1 2 3 4 5 6 7 8 9; do
		git-box diff b && echo $i >>"$w/README" && shows b "^+$i" && git-box diff b >"$TRASH/out" &&
		sed -i "\$d" "$w/README" || return 1
	done
'
# 200 MB of paths, if all of them were kept at once.
peak () { python3 -c "
import resource, subprocess
subprocess.run([\"git-box\", \"diff\", \"--quiet\", \"b\"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"; }
test_expect_success 'a tree of long paths does not fill our memory' '
	cd repo && relearn && git-box run b -- python3 -c "
import os
for i in range(17):
    os.mkdir(\"d\" * 200); os.chdir(\"d\" * 200)
for i in range(60000):
    os.mkdir(str(i))" && peak=$(peak) && echo "# peak: $peak KiB" && test "$peak" -lt 80000 &&
	git-box run b -- python3 -c "import shutil; shutil.rmtree(\"d\" * 200)" && relearn
'
test_expect_success 'what the record says of another base, or in another form, does not count' '
	cd repo && relearn && f=.git/box/b/$(cat .git/box/name/b)/clean && test "$(stat -c %a "$f")" = 600 &&
	sed -i "s/.\$/x/" "$f" && asked b && relearn && : >"$f" && asked b
'
test_expect_success 'a proposal reads every file' '
	cd repo && relearn && test_exit 1 traced -e trace=execve -o "$TRASH/trace" git-box propose b &&
	grep -q git-box-monitor "$TRASH/trace"
'
test_done
