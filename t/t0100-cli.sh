#!/bin/sh
test_description='command line: usage errors, help, manual, completion, traces'
test_lanes=both
. "${0%/*}/test-lib.sh"

ESC=$(printf '\033')
verbs=$(git-box --complete '' | cut -f1)

# usage_error WORDS...: exit 129, nothing on stdout, one line and one hint on stderr.
usage_error () {
	test_exit 129 git-box "$@" >out 2>err &&
	test ! -s out &&
	test_grep -c '^git box: ' err &&
	test "$(wc -l <err)" -eq 2 &&
	test_grep '^git box: hint: ' err
}

test_expect_success 'there are verbs' '
	test -n "$verbs"
'

test_expect_success 'an unknown verb is a usage error' '
	usage_error zzzzzz &&
	test_grep -F "see '\''git box -h'\''" err
'

# known_options VERB: each line of ./options is completed and stands in ./verb.1.
known_options () {
	while read -r option; do
		git-box --complete "$1" "$option" | grep -q "^$option	" ||
			{ echo "$option is not completed"; return 1; }
		roff=$(printf '%s' "$option" | sed 's/-/\\-/g')
		grep -q -F -e "$roff" verb.1 || { echo "$option is not in the manual"; return 1; }
	done <options
}

# each_verb CMD...: CMD with every verb in turn.
each_verb () {
	for each in $verbs; do
		"$@" "$each" || { echo "failed: $* $each"; return 1; }
	done
}

help_names () {
	grep -q "^    $1 " help
}

installed_page () {
	test -s "$INST/usr/share/man/man1/git-box-$1.1"
}

lint_page () {
	git-box --man "$1" >verb.1 && mandoc -T lint -W warning verb.1
}

for verb in $verbs; do
	test_expect_success "$verb: -h and --help on stdout" '
		git-box $verb -h >help 2>err &&
		test ! -s err &&
		test_grep "^usage: git box $verb" help &&
		git-box $verb --help >help2 &&
		cmp help help2 &&
		test "$(awk "length > 80" help)" = ""
	'
	test_expect_success "$verb: unknown option, and a near one" '
		usage_error $verb --zzzzzz &&
		test_grep -F "see '\''git box $verb -h'\''" err &&
		usage_error $verb --halp &&
		test_grep -F "did you mean '\''--help'\''?" err
	'
	test_expect_success "$verb: in manual, JSON and completion" '
		git-box --man >page.1 &&
		test_grep "^\.SS $verb\$" page.1 &&
		test_grep "^\.B git box $verb\$" page.1 &&
		git-box --json-spec >spec &&
		test_grep -F "\"name\":\"$verb\"" spec &&
		git-box --complete "$verb" >words &&
		test_grep "^$verb	" words &&
		git-box --complete $verb -- >words &&
		test_grep "^--help	" words
	'
	test_expect_success "$verb: every option of -h is completed and in the manual" '
		git-box $verb -h | sed -n "s/^    \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p" >options &&
		cat options >>all-options &&
		git-box --man $verb >verb.1 &&
		known_options $verb
	'
	test_expect_success "$verb: a wrong letter gets the verb as hint" '
		usage_error ${verb}x &&
		test_grep -F "did you mean '\''git box $verb'\''?" err
	'
done

test_expect_success 'the options were really looked at' '
	test_grep -x -e --json all-options &&
	test_grep -x -e --force all-options
'

test_expect_success 'wrong options before the verb' '
	usage_error --zzz &&
	usage_error --versoin &&
	test_grep -F "did you mean '\''--version'\''?" err &&
	usage_error --json &&
	usage_error -v nosuchverb &&
	usage_error --man nosuchverb
'

test_expect_success 'git box -h names every verb' '
	git-box -h >help &&
	each_verb help_names
'

test_expect_success 'version, for people and programs' '
	git-box --version >out &&
	test_grep "^git box version [0-9]" out &&
	git-box --version --json >out &&
	test_grep "\"schema\": 1" out &&
	test_grep "\"features\": \[" out
'

test_expect_success 'a verb that was asked for JSON fails in JSON, too' '
	test_exit 3 git-box status nosuchbox --json >out 2>err &&
	test_grep "not inside" err &&
	python3 -c "
import json
j = json.load(open(\"out\"))
assert j[\"schema\"] == 1 and j[\"exit_code\"] == 3, j
assert j[\"error\"][\"kind\"] == \"notfound\", j
assert \"not inside\" in j[\"error\"][\"message\"], j" &&
	test_exit 3 git-box status nosuchbox >out 2>err &&
	test ! -s out
'

test_expect_success 'git finds it: git box, exit codes, aliases' '
	git box --version >out &&
	test_grep "^git box version" out &&
	test_exit 129 git box --zzz 2>err &&
	test_grep "^git box: " err
'

test_expect_success 'names with control characters do not reach the terminal' '
	usage_error "$(printf "ev\033[31mil\n\342\200\256x")" &&
	! grep -q "$ESC" err &&
	test_grep -F "ev[31mil x" err
'

test_expect_success 'no colour when piped, whatever TERM says' '
	TERM=xterm-256color git-box -h >out 2>err &&
	{ TERM=xterm-256color git-box zzzzzz >>out 2>&1 || :; } &&
	! grep -q "$ESC" out err
'

# on_terminal WORDS...: git-box with a terminal as stdin, stdout and stderr; what it shows comes out here.
on_terminal () {
	script -q -e -c "$*" /dev/null </dev/null
}

test_expect_success 'colour on a terminal that has it and wants it' '
	{ TERM=xterm on_terminal git-box zzzzzz >colour || :; } &&
	test_grep "$ESC\[33mhint:" colour &&
	{ TERM=dumb on_terminal git-box zzzzzz >dumb || :; } &&
	test_grep "hint:" dumb &&
	! grep "$ESC" dumb &&
	{ TERM=xterm NO_COLOR=1 on_terminal git-box zzzzzz >plain || :; } &&
	test_grep "hint:" plain &&
	! grep "$ESC" plain
'

test_expect_success 'an answer that cannot be written is no success' '
	test_exit 128 git-box --json-spec >/dev/full 2>err &&
	test_grep "cannot write to standard output" err
'

test_expect_success 'closed standard streams are no danger' '
	git-box --version >out <&- &&
	test_grep "^git box version" out &&
	test_exit 129 git-box zzzzzz 2>&- &&
	GIT_TRACE2_EVENT=$TRASH/closed test_exit 129 git-box zzzzzz >&- 2>&- &&
	! grep "^git box:" closed
'

if command -v mandoc >/dev/null; then
	test_expect_success 'the manual is clean for mandoc' '
		git-box --man >page.1 &&
		mandoc -T lint -W warning page.1 &&
		each_verb lint_page
	'
fi

test_expect_success 'the manual is clean for man' '
	git-box --man >page.1 &&
	MANWIDTH=80 man --warnings -l page.1 >text 2>err &&
	test ! -s err &&
	test_grep "^EXIT STATUS" text &&
	test_grep "^ENVIRONMENT" text &&
	test_grep "box.keepRemoved" text
'

test_expect_success 'the manual is installed where git looks for it' '
	test -s "$INST/usr/share/man/man1/git-box.1" &&
	each_verb installed_page &&
	git box --help >text &&
	test_grep "^NAME" text
'

test_expect_success 'bash completes for git-box and through git' '
	cat >complete.bash <<-\EOT &&
	source "$1"
	__git () { git "$@"; }
	COMP_WORDS=(git-box --vers) COMP_CWORD=1
	__git_box_main && echo "${COMPREPLY[*]}"
	cur=--json- words=(git -C . box --json-) cword=4 __git_cmd_idx=3
	_git_box && echo "${COMPREPLY[*]}"
	EOT
	bash complete.bash "$INST/usr/share/bash-completion/completions/git-box" >out &&
	printf "%s\n" --version --json-spec >want &&
	cmp want out
'

test_expect_success 'traces join those of git' '
	GIT_TRACE2_EVENT="$TRASH/trace" test_exit 129 git box zzzzzz 2>/dev/null &&
	test_grep "\"event\":\"error\".*not a verb" trace &&
	parent=$(sed -n "s/.*\"child_start\",\"sid\":\"\([^\"]*\)\".*\"git-box\".*/\1/p" trace) &&
	test -n "$parent" &&
	test_grep -F "\"event\":\"start\",\"sid\":\"$parent/" trace &&
	test_grep -F "\"event\":\"atexit\",\"sid\":\"$parent/" trace
'

test_expect_success 'what we start is traced below us' '
	make_repo traced &&
	(cd traced && GIT_TRACE2_EVENT="$TRASH/below" git-box create one) &&
	own=$(sed -n "s/.*\"cmd_name\",\"sid\":\"\([^\"]*\)\".*\"name\":\"create\".*/\1/p" below) &&
	test -n "$own" &&
	test_grep -F "\"event\":\"start\",\"sid\":\"$own/" below &&
	test_grep -F "\"event\":\"region_enter\",\"sid\":\"$own\"" below &&
	(cd traced && GIT_TRACE2_EVENT="$TRASH/ran" test_exit 3 git-box run one -- sh -c "exit 3") &&
	test_grep "\"child_exit\".*\"code\":3" ran
'

test_expect_success 'boxes, revisions and tiers are completed' '
	(
		cd traced &&
		test "$(git-box --complete run o)" = one &&
		test "$(git-box --complete create --from ma)" = main &&
		test "$(git-box --complete create --isolation=proc)" = --isolation=process &&
		test "$(git-box --complete create --isolation "" | tr "\n" " ")" = "auto workspace process " &&
		test "$(git-box --complete create --profile ag)" = agent &&
		test "$(git-box --complete run one -- o)" = :command
	) &&
	test "$(git-box --complete run o)" = ""
'

test_expect_success 'bare git box lists the boxes, or says how to make one' '
	make_repo bare &&
	(cd bare && git box >../none 2>&1) &&
	test_grep "git box create" none &&
	(cd traced && git box >../some) &&
	test_grep "^one " some
'

test_expect_success 'traces hold no values of variables' '
	GIT_TRACE2_EVENT="$TRASH/quiet" GIT_TRACE2="$TRASH/quiet" GIT_TRACE2_PERF="$TRASH/quiet" \
		test_exit 129 git-box zzzzzz -eTOKEN=hush --env=A=hush B=hush 2>/dev/null &&
	test_grep "TOKEN=<redacted>" quiet &&
	! grep hush quiet
'

# An option whose member has another type must not compile; the right one must.
compile_option () {
	printf "%s\n" "#include \"base/base.h\"" "#include \"cli/opt.h\"" \
		"struct o { $1 member; };" "extern const struct opt t[];" \
		"const struct opt t[] = { $2, OPT_END };" >member.c &&
	"${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -iquote "$SRC_DIR/libcommon" -fsyntax-only member.c
}

if test -d "$SRC_DIR/libcommon"; then
	flag='OPT_FLAG(0, "x", struct o, member, "h")'
	list='OPT_LIST(0, "x", struct o, member, "A", "h")'
	number='OPT_U64(0, "x", struct o, member, "A", "h")'
	string='OPT_STRING(0, "x", struct o, member, "A", COMPLETE_NONE, "h")'
	test_expect_success 'a member of the wrong type does not compile' '
		compile_option bool "$flag" &&
		! compile_option int "$flag" &&
		compile_option "struct strv" "$list" &&
		! compile_option "const char *" "$list" &&
		compile_option uint64_t "$number" &&
		! compile_option uint32_t "$number" &&
		compile_option "const char *" "$string" &&
		! compile_option "struct strv" "$string"
	'
fi

test_done
