#!/bin/sh
test_description='conversion: the tree of a box is the one that git in it makes'
. "${0%/*}/test-lib.sh"

# Content of each kind, for base files and new ones; $1: directory.
contents () {
	printf 'a\nb\n' >"$1/lf.txt" && printf 'a\r\nb\r\n' >"$1/crlf.txt" && printf 'a\r\nb\nc\r\n' >"$1/mixed.txt" &&
	printf 'a\rb\r' >"$1/cr.txt" && printf 'a\r\n\0b\r\n' >"$1/nul.txt" && printf 'a\r\nb' >"$1/open.txt" && : >"$1/empty.txt" &&
	printf '$Id$\nx $Id: 0123 $\r\n' >"$1/id.txt" && printf 'caf\351\r\n' >"$1/latin.txt" && printf 'caf\303\251\r\n' >"$1/utf8.txt" &&
	printf '\377\376a\0\r\0\n\0b\0' >"$1/u16.txt" && printf '\376\377\0a\0\r\0\n\0b' >"$1/u16be.txt"
}
# work: sh text of what is done in the box: files touched, appended to, rewritten with other line ends, new, made executable.
work='
	touch -d 2001-01-01 touch/*
	for f in more/*; do case $f in */u16.txt) printf "c\0\n\0" ;; */u16be.txt) printf "\0c\0\n" ;; *) printf "c\n" ;; esac >>$f; done
	for f in crs/*; do case $f in */u16*) ;; *) printf "c\r\n" >>$f ;; esac; done
	sed -i "s/\r\$//" tolf/lf.txt tolf/crlf.txt tolf/mixed.txt tolf/open.txt tolf/id.txt
	sed -i "s/\$/\r/" tocr/lf.txt tocr/mixed.txt tocr/id.txt
	cp new.src/* new/
	chmod +x mode/*
	cp more/crlf.txt gone/lf.txt; rm gone/crlf.txt'
# unchanged: paths of files in box s, at its path $1, that are what they were in $TRASH/at
unchanged () { diff -rs -x .git "$TRASH/at" "$1" | sed -n "s|^Files $TRASH/at/\\(.*\\) and .* are identical\$|\\1|p"; }
# conversion NAME CONFIG ATTRIBUTES BASE [forced]: CONFIG are settings for git, ATTRIBUTES lines with | between them. BASE:
# "converted" where the files were committed with the attributes in force, "raw" as they are. forced: git would change a raw
# file as soon as it looks at it again, which depends on the clock; a box says that a file is as it was.
conversion () {
	test_name="$1, $4 base"
	conversion_forced=no
	[ "$4${5:-}" != rawforced ] || conversion_forced=yes
	conversion_config=$2
	conversion_attributes=$(printf '%s' "$3" | tr '|' '\n')
	conversion_base=$4
	test_expect_success "$test_name" '
		rm -rf repo && git init -q -b main repo && cd repo && for s in $conversion_config; do git config "${s%%=*}" "${s#*=}"; done &&
		for d in same touch more crs tolf tocr new new.src mode gone; do mkdir $d && { [ $d = new ] || contents $d; } || return 1; done &&
		echo keep >new/keep && printf "%s\n" "$conversion_attributes" >.gitattributes &&
		if [ "$conversion_base" = converted ]; then git -c core.safecrlf=false add . 2>/dev/null; else
			git ls-files -o >"$TRASH/paths" && git hash-object -w --no-filters --stdin-paths <"$TRASH/paths" |
				paste - "$TRASH/paths" | sed "s/^/100644 /" | git update-index --index-info
		fi && git commit -qm base && git box create s 2>/dev/null && rm -rf "$TRASH/at" && cp -R "$(git box path s)" "$TRASH/at" && git box run s -- sh -ec "$work" &&
		git box run s -- sh -c "cp .git/index /tmp/i && GIT_INDEX_FILE=/tmp/i git -c core.safecrlf=false add -A 2>/dev/null &&
			GIT_INDEX_FILE=/tmp/i git write-tree" >"$TRASH/tree" &&
		git box run s -- git ls-tree -r "$(cat "$TRASH/tree")" >"$TRASH/want" && test -s "$TRASH/want" &&
		unchanged "$(git box path s)" >"$TRASH/same" && grep -q ^same/ "$TRASH/same" && ! grep ^more/ "$TRASH/same" &&
		git box propose s >"$TRASH/o" 2>&1 && git ls-tree -r box/s >"$TRASH/got" &&
		if [ $conversion_forced = no ]; then
			diff "$TRASH/want" "$TRASH/got" && test "$(cat "$TRASH/tree")" = "$(git rev-parse "box/s^{tree}")"
		else
			sed "s/.*/	&\$/" "$TRASH/same" >"$TRASH/as-base" && git ls-tree -r HEAD | cut -d" " -f2- | grep -f "$TRASH/as-base" >"$TRASH/1" &&
			cut -d" " -f2- "$TRASH/got" | grep -f "$TRASH/as-base" >"$TRASH/2" && diff "$TRASH/1" "$TRASH/2" &&
			grep -v -f "$TRASH/as-base" "$TRASH/want" >"$TRASH/1" && grep -v -f "$TRASH/as-base" "$TRASH/got" >"$TRASH/2" && diff "$TRASH/1" "$TRASH/2"
		fi
	'
}

for base in raw converted; do
	conversion 'nothing' '' '' $base
	conversion 'core.autocrlf=true' 'core.autocrlf=true' '' $base
	conversion 'core.autocrlf=input' 'core.autocrlf=input' '' $base
	conversion 'core.eol alone' 'core.eol=crlf' '' $base
	conversion 'text=auto' '' '* text=auto' $base
	conversion 'text=auto with core.eol=crlf' 'core.eol=crlf' '* text=auto' $base
	conversion 'text=auto with core.autocrlf=true' 'core.autocrlf=true' '* text=auto' $base
	conversion 'text=auto, binary by name' '' '* text=auto|*.txt binary|lf.txt -binary text' $base
	conversion 'text' '' '*.txt text' $base forced
	conversion 'text with core.autocrlf=input' 'core.autocrlf=input' '*.txt text' $base forced
	conversion '-text with core.autocrlf=true' 'core.autocrlf=true' '*.txt -text' $base
	conversion 'eol=crlf' '' '*.txt eol=crlf' $base forced
	conversion 'eol=lf' '' '*.txt text eol=lf' $base forced
	conversion 'text=auto eol=crlf' '' '*.txt text=auto eol=crlf' $base
	conversion 'crlf, the old name' '' '*.txt crlf=input|lf.txt -crlf' $base forced
	conversion 'ident' '' 'id.txt ident' $base forced
	conversion 'ident and text' '' 'id.txt ident text=auto' $base forced
	conversion 'working-tree-encoding=UTF-16' '' 'u16*.txt text working-tree-encoding=UTF-16' $base forced
	conversion 'working-tree-encoding=UTF-16LE-BOM' '' 'u16.txt text working-tree-encoding=UTF-16LE-BOM' $base forced
	conversion 'working-tree-encoding=ISO-8859-1' '' 'latin.txt working-tree-encoding=ISO-8859-1' $base forced
	conversion 'a filter that nobody has' '' '*.txt filter=none' $base
	conversion 'core.safecrlf=true' 'core.autocrlf=input core.safecrlf=true' '' $base
done
# raw it would be no text in that encoding, at which git gives up
conversion 'working-tree-encoding=UTF-16 eol=crlf' '' 'u16*.txt text working-tree-encoding=UTF-16 eol=crlf' converted
test_expect_success 'a box in which nothing happened proposes nothing, whatever the base is like' '
	make_repo quiet && cd quiet && contents . && printf "\$Id: old\$\n" >old.txt && for f in *.txt; do
		git update-index --add --cacheinfo "100644,$(git hash-object -w --no-filters "$f"),$f" || return 1; done &&
	printf "*.txt text eol=crlf ident\nlatin.txt working-tree-encoding=ISO-8859-1\nu16.txt working-tree-encoding=UTF-16\n" >.gitattributes &&
	git add .gitattributes && git commit -qm quiet && git box create s 2>/dev/null && git box run s -- touch -d 2001-01-01 crlf.txt mixed.txt old.txt lf.txt u16.txt &&
	test -z "$(git box diff s)" && test_exit 1 git box propose s && git box rm s
'
test_done
