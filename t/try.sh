#!/bin/sh
# make try: the main job from end to end on a repository of its own, in a minute, leaving nothing behind.
# Fails where any of the walls that it shows does not hold.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/build/${VARIANT:-plain}/inst/usr/bin:$PATH
top=$(mktemp -d /var/tmp/git-box-try.XXXXXX)
trap 'cd /; chmod -R u+rwX "$top" 2>/dev/null || :; rm -rf "$top"' EXIT
trap 'exit 130' INT TERM

# The stage: a HOME with something to steal, and a small C project with a test suite.
export HOME="$top/home" TMPDIR="$top"
export GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir -p "$HOME/.ssh" "$top/sample"
git config --global user.name Try
git config --global user.email try@example.com
echo 'not a real key' >"$HOME/.ssh/id_ed25519"
install -m 755 /dev/null "$HOME/tool"
cd "$top/sample"
cat >stack.c <<'EOF'
#include "stack.h"

int push(struct stack *s, int value)
{
	if (s->len == STACK_MAX)
		return -1;
	s->items[s->len++] = value;
	return 0;
}

int pop(struct stack *s, int *value)
{
	if (s->len == 0)
		return -1;
	*value = s->items[--s->len];
	return 0;
}
EOF
cat >stack.h <<'EOF'
#define STACK_MAX 8
struct stack { int items[STACK_MAX], len; };
int push(struct stack *s, int value);
int pop(struct stack *s, int *value);
EOF
cat >test.c <<'EOF'
#include <stdio.h>
#include "stack.h"

int main(void)
{
	struct stack s = { .len = 0 };
	int failed = 0, value = 0;

	failed += pop(&s, &value) == 0;
	for (int i = 0; i < STACK_MAX; i++)
		failed += push(&s, i) != 0;
	failed += push(&s, 99) == 0;
	failed += pop(&s, &value) != 0 || value != STACK_MAX - 1;
	printf("11 checks, %d failed\n", failed);
	return failed != 0;
}
EOF
printf 'check:\n\t@cc -o test test.c stack.c && ./test\n' >Makefile
echo /test >.gitignore
git init -q -b main
git add .
git commit -q -m 'a stack'

say () { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say () { printf '\n%s\n' "$*"; }
show () {
	echo "\$ $*"
	"$@"
}
# must_fail WHAT PROBE: works out here, must fail in the box.
must_fail () {
	sh -c "$2" >/dev/null 2>&1 || { echo "try: the probe '$1' does not even work outside" >&2; exit 1; }
	echo "\$ git box run demo -- sh -c '$2'"
	out=$(git box run demo -- sh -c "echo started; ($2) 2>&1 || echo denied") || :
	case $out in
	started*denied) printf '%s\n' "$out" | sed '1d; s/^/    /' ;;
	*)
		printf '%s\n' "$out"
		echo "try: '$1' was not stopped" >&2
		exit 1
		;;
	esac
}

say "1. A box of this repository"
show git box create demo
show git box ls
say "2. Its test suite, in the box"
show git box run demo -- make check
say "3. Work in the box stays in the box"
show git box run demo -- sh -c 'echo "/* How many fit. */" | cat - stack.h >x && mv x stack.h && git commit -qam "Say what it is"'
echo "\$ git status --short; git log --oneline    # your repository, untouched"
[ -z "$(git status --porcelain)" ] && git log --oneline
say "4. What it cannot do"
must_fail 'read a key' "cat $HOME/.ssh/id_ed25519"
must_fail 'change a program' "test \"\$(stat -c %a $HOME/tool)\" = 755 && chmod 700 $HOME/tool && chmod 755 $HOME/tool"
# a box has a HOME and a /tmp of its own at the same places: it may write there, and nothing of it is seen outside
echo "\$ git box run demo -- sh -c 'echo mine >$HOME/mine; echo mine >/tmp/mine'"
git box run demo -- sh -c "echo mine >$HOME/mine && echo mine >/tmp/git-box-try-mine && cat $HOME/mine"
[ ! -e "$HOME/mine" ] && [ ! -e /tmp/git-box-try-mine ] && echo '    not to be seen outside'
must_fail 'see your processes' "test -d /proc/$$ && grep -q try.sh /proc/$$/cmdline"
must_fail 'reach a network interface' "grep -v -E 'lo:|Inter|face' /proc/net/dev | grep -q :"
say "5. What it did, as one commit that is checked, reviewed and applied"
show git box diff demo --stat
show git box propose demo -m 'Say what the limit is'
show git box review demo
show git box apply demo
show git log --oneline --stat -1
[ "$(git rev-list --count HEAD)" = 2 ] && [ -z "$(git status --porcelain)" ] && make -s check
say "6. Gone, with nothing left behind"
show git box rm demo
[ -z "$(git box ls 2>/dev/null | grep demo || :)" ] && [ -z "$(git status --porcelain)" ]
say "Done. Next: README.md, or 'make install' and 'git box --help'."
