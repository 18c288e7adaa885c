#!/bin/sh
test_description='export: a proposal as patch, report and receipt'
test_lanes=both
. "${0%/*}/test-lib.sh"

# record BOX COMMIT: makes COMMIT the proposal of the box. In the repository's top.
record () {
	python3 - .git/box/b/"$(cat .git/box/name/"$1")"/manifest.json "$(git rev-parse "$2")" <<-\EOT
	import json, sys
	m = json.load(open(sys.argv[1]))
	m["proposal"], m["state"] = sys.argv[2], "proposed"
	json.dump(m, open(sys.argv[1], "w"), sort_keys=True, separators=(",", ":"))
	EOT
}

test_expect_success 'setup' '
	make_repo repo && cd repo && printf "/err\n/out\n/j\n/r1\n" >.git/info/exclude && printf "a\0b" >bin && echo 1 >del && mkdir d && echo 2 >d/one && ln -s README link && echo 3 >mode &&
	git add -A && git commit -q -m more && git box create b && git box create none && git checkout -q -b prop && printf "a\0c\377" >bin &&
	git rm -q del && echo 22 >>d/one && ln -sf d/one link && chmod +x mode && git mv README "re|na\`med" && : >empty && echo x >new &&
	printf "\351t\351\r\n" >latin && printf 1 >"$(printf "x\`\`y")" && git add -A && git commit -q -m proposed && git checkout -q main && record b prop
'
test_expect_success 'a box that has proposed nothing proposes first, and says where it has nothing' '
	cd repo && test_exit 1 git box export none 2>err && test_grep "changed nothing" err && ! test -e box-export && git box run none -- sh -c "echo all: >Makefile; echo 1 >one" &&
	git box export none -o ../first 2>err && test_grep "proposed box" err && test_grep "look at first" err && sed -n "/^## Look/,/^## Changed/p" ../first/report.md | test_grep Makefile - &&
	sed -n "/^## Changed/,\$p" ../first/report.md | grep "^| A" | head -1 | test_grep "Makefile.*flagged" - && test_grep "$(git rev-parse box/none)" ../first/receipt.json &&
	git box export -f none -o ../first --json 2>/dev/null | test_grep "flagged.: 1" -
'
test_expect_success 'the patch gives the tree of the proposal, with stock git' '
	cd repo && git box export b >out && test_grep "exported .* of box b" out && test -f box-export/b/patch.diff &&
	git init -q -b main ../plain && cd ../plain && git fetch -q ../repo main && git checkout -q FETCH_HEAD &&
	git apply --index --binary --whitespace=nowarn ../repo/box-export/b/patch.diff &&
	test "$(git write-tree)" = "$(git -C ../repo rev-parse "prop^{tree}")" && test -z "$(git status --porcelain | grep -v "^[AMDRT] ")"
'
test_expect_success 'git status does not see the export' '
	cd repo && test -z "$(git status --porcelain)" && test "$(cat box-export/b/.gitignore)" = "*"
'
test_expect_success 'the receipt' '
	cd repo && python3 -c "
import json, subprocess, re
r = json.load(open(\"box-export/b/receipt.json\"))
rev = lambda x: subprocess.check_output([\"git\", \"rev-parse\", x], text=True).strip()
assert sorted(r) == sorted([\"schema\", \"id\", \"name\", \"tier\", \"profile\", \"policy_digest\", \"base_commit\", \"base_branch\", \"proposal\", \"tree\", \"exported_at\", \"records\"]), r
assert r[\"schema\"] == 1 and r[\"name\"] == \"b\" and r[\"records\"] == [] and r[\"base_branch\"] == \"main\", r
assert r[\"base_commit\"] == rev(\"main\") and r[\"proposal\"] == rev(\"prop\") and r[\"tree\"] == rev(\"prop^{tree}\"), r
assert r[\"id\"] == open(\".git/box/name/b\").read().strip() and re.fullmatch(\"[0-9a-f]{64}\", r[\"policy_digest\"]), r"
'
test_expect_success 'the report escapes what would break its tables' '
	cd repo && cat box-export/b/report.md && grep -F "\`\` re\\|na\`med \`\`" box-export/b/report.md && grep -F "\`\`\` x\`\`y \`\`\`" box-export/b/report.md &&
	grep -E "^\| base \| ..*$(git rev-parse main)" box-export/b/report.md && test_grep "git apply --index --binary" box-export/b/report.md &&
	test_grep "| D | . del . | +0 | -1 | 100644 | 000000 |" box-export/b/report.md && test_grep "| M | . bin . | binary | |" box-export/b/report.md
'
test_expect_success 'what is not empty is refused, an earlier export replaced with --force' '
	cd repo && cp box-export/b/receipt.json r1 && test_exit 4 git box export b 2>err && test_grep "force" err && cmp box-export/b/receipt.json r1 &&
	git box export -f b && ! cmp -s box-export/b/receipt.json r1 && rm r1 && echo mine >box-export/b/notes && test_exit 4 git box export -f b 2>err &&
	test_grep "notes" err && test -f box-export/b/notes && test -f box-export/b/patch.diff && rm box-export/b/notes &&
	ls -A box-export | test_grep -v temp - && test "$(ls -A box-export)" = b
'
test_expect_success '--out, and JSON' '
	cd repo && git box export b --out ../elsewhere --json >j && python3 -c "
import json, os; j = json.load(open(\"j\"))
assert j[\"schema\"] == 1 and j[\"box\"] == \"b\" and j[\"dir\"] == \"../elsewhere\" and j[\"flagged\"] >= 0, j
assert j[\"patch_bytes\"] == os.path.getsize(\"../elsewhere/patch.diff\") and j[\"files_changed\"] == 11, j" && rm j &&
	cmp ../elsewhere/patch.diff box-export/b/patch.diff && mkdir ../empty && git box export b -o ../empty/ && test -f ../empty/report.md &&
	test_exit 3 git box export b -o ../no/where && test_exit 3 git box export b -o bin/x && test_exit 4 git box export b -o bin && test_exit 129 git box export b -o .. &&
	test_exit 2 git box export b -o .git/x && test_exit 4 git box export -f b -o .git && cd d && git box export -f b && ! test -e box-export
'
test_expect_success 'control: a directory link leads out' '
	cd repo && rm -rf box-export && mkdir ../outside && ln -s ../outside box-export && mkdir box-export/x && test -d ../outside/x && rmdir ../outside/x
'
test_expect_success 'escape: export writes through no link' '
	cd repo && test_exit 2 git box export b && test_exit 2 git box export -f b && test_exit 2 git box export -f b -o box-export/c &&
	test_exit 2 git box export -f b -o "$TRASH/repo/box-export/c" && test -z "$(ls -A ../outside)" && rm box-export && mkdir box-export &&
	ln -s ../../outside box-export/b && test_exit 4 git box export -f b && test -L box-export/b && test -z "$(ls -A ../outside)" && rm -r box-export
'
plant='git config diff.evil.command "touch $MARK; :" && git config diff.evil.textconv "touch $MARK; cat" && git config diff.external "touch $MARK; :" &&
	git config core.fsmonitor "touch $MARK; :" && git config core.pager "touch $MARK; cat" && git config core.hooksPath hooks &&
	git config filter.evil.clean "touch $MARK; cat" && git config filter.evil.smudge "touch $MARK; cat"'
test_expect_success 'control: drivers of the operator run on what attributes name' '
	cd repo && MARK=$TRASH/mark && export MARK && git checkout -q prop && printf "* diff=evil filter=evil\n" >.gitattributes && mkdir hooks &&
	printf "#!/bin/sh\ntouch \"%s\"\n" "$MARK" >hooks/post-index-change && chmod +x hooks/* && git add -A && git commit -q -m attr &&
	git checkout -q main && record b prop && printf "* diff=evil filter=evil\n" >.gitattributes && eval "$plant" &&
	git diff main prop >/dev/null && test -e "$MARK" && rm "$MARK"
'
test_expect_success 'escape: drivers of the operator run on what attributes name' '
	cd repo && rm -f "$TRASH/mark" && git box export b && git box export -f b --json >/dev/null && ! test -e "$TRASH/mark" && rm .gitattributes &&
	rm -rf .git/hooks && for k in diff.external core.fsmonitor core.pager core.hooksPath; do git config --unset $k || return 1; done &&
	git config --remove-section filter.evil && git config --remove-section diff.evil
'
test_expect_success 'the recorded commit counts, not the branch' '
	cd repo && git branch -f prop main && git box export -f b && test_grep "$(git rev-parse prop@{1}^{tree})" box-export/b/receipt.json
'
test_expect_success 'a proposal that the gate refuses is neither exported, compared nor reviewed' '
	cd repo && tree=$(printf "160000 commit %s\tsub\n" "$(git rev-parse main)" | git mktree --missing) && bad=$(git commit-tree -p main -m bad "$tree") &&
	good=$(git rev-parse box/none) && git box export none -o ../gate && rm -r ../gate && record none "$bad" && for verb in export review "compare b" "review --hunks" "export --json"; do
		test_exit 2 git box $verb none 2>err && test_grep "submodule" err || return 1
	done && ! test -e box-export/none && record none "$good"
'
test_expect_success 'a crash leaves nothing but a directory that the next export removes' '
	cd repo && rm -rf box-export && mkdir box-export && mkdir box-export/.git-box-export-0123456789abcdef && echo x >box-export/.git-box-export-0123456789abcdef/patch.diff &&
	mkdir box-export/.git-box-export-0123456789abcdeg && git box export b && test "$(ls -A box-export | tr "\n" " ")" = ".git-box-export-0123456789abcdeg b " &&
	rmdir box-export/.git-box-export-0123456789abcdeg
'
test_expect_success 'killed at any time: whole or absent' '
	cd repo && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -rf box-export/b && { git-box export b >/dev/null 2>&1 & } && pid=$! && sleep 0.00$i && { kill -9 $pid; wait $pid; } 2>/dev/null
		if test -e box-export/b; then
			test "$(ls -A box-export/b | tr "\n" " ")" = ".gitignore patch.diff receipt.json report.md " || return 1
		fi
	done && git box export -f b && test "$(ls -A box-export)" = b
'
test_expect_success 'many at once' '
	cd repo && rm -rf box-export && for i in 1 2 3 4 5 6; do { git box export -f b >/dev/null 2>&1 & } || return 1; done && wait &&
	test "$(ls -A box-export)" = b && test "$(ls -A box-export/b | wc -l)" = 4
'
test_expect_success 'random work of a box comes back exactly' '
	make_repo rand && cd rand && cat >mess.py <<-\EOT && python3 mess.py 1 && git add -A && git commit -q -m base && git box create r &&
	import os, random, sys
	r = random.Random(int(sys.argv[1]))
	def name(): return r.choice(["a b", "\u00e9t\u00e9", "-x", "q\"", "t ", "n", "[x]", "\u6f22"]) + str(r.randrange(40))
	def content(): return r.choice([b"", os.urandom(300), b"".join(b"l%d\n" % r.randrange(9) for _ in range(r.randrange(60))), b"\xe9\r\n" * 9, b"no end"])
	for i in range(600):
	    p = "/".join(["d" + str(r.randrange(9))] * r.randrange(3) + [name()])
	    os.makedirs(os.path.dirname(p) or ".", exist_ok=True)
	    what = r.randrange(6)
	    if os.path.lexists(p) and what < 3: os.unlink(p)
	    if what == 1 and not os.path.lexists(p): os.symlink(r.choice(["n1", "a b2", "gone"]), p)
	    elif what > 1 and not os.path.islink(p):
	        open(p, "wb").write(content()); os.chmod(p, r.choice([0o644, 0o755]))
	EOT
	git box run r -- python3 mess.py 2 && git box propose -m r r >/dev/null && git box export r >/dev/null && git init -q -b main ../r2 && cd ../r2 &&
	git fetch -q ../rand main && git checkout -q FETCH_HEAD && git apply --index --binary --whitespace=nowarn ../rand/box-export/r/patch.diff &&
	test "$(git write-tree)" = "$(git -C ../rand rev-parse "box/r^{tree}")" && git diff --quiet && test "$(git diff --cached --name-only | wc -l)" -gt 200
'
test_expect_success 'SHA-256' '
	git init -q -b main --object-format=sha256 s256 && cd s256 && echo a >a && git add a && git commit -q -m a && git box create b &&
	git checkout -q -b p && echo b >a && git commit -q -a -m b && record b p && git checkout -q main && git box export b && cd .. &&
	git init -q --object-format=sha256 s && cd s && git fetch -q ../s256 main && git checkout -q FETCH_HEAD && git apply --index ../s256/box-export/b/patch.diff &&
	test "$(git write-tree)" = "$(git -C ../s256 rev-parse p^{tree})"
'
test_done
