#!/bin/sh
test_description='toolchains at work in a box, with caches of its own'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Only where the program belongs to the system: this HOME holds none.
in_system () {
	case $(command -v "$1") in /usr/*) true ;; *) false ;; esac
}
test_expect_success 'setup' '
	make_repo repo && (cd repo &&
		printf "all: src/hello.c\n\t@\$(CC) -o hello src/hello.c && ./hello\n" >Makefile &&
		mkdir -p pkg/sample && touch pkg/sample/__init__.py &&
		printf "from setuptools import setup\nsetup(name=\"sample\", version=\"1\", packages=[\"sample\"])\n" >pkg/setup.py &&
		printf "module sample\n\ngo 1.19\n" >go.mod && printf "package main\n\nfunc main() { println(\"go\") }\n" >main.go &&
		git add -A && git commit -qm tools && git box create b --profile agent)
'
test_expect_success 'make' '(cd repo && git box run b -- make >out) && test_grep hello repo/out'
test_expect_success 'pip install --no-index' '
	cd repo && git box run b -- sh -ec "
		python3 -m zipfile -c /tmp/sample-1-py3-none-any.whl pkg/sample
		python3 - <<EOF
import zipfile
w = zipfile.ZipFile(\"/tmp/sample-1-py3-none-any.whl\", \"w\")
w.writestr(\"sample/__init__.py\", \"\")
w.writestr(\"sample-1.dist-info/METADATA\", \"Metadata-Version: 2.1\nName: sample\nVersion: 1\n\")
w.writestr(\"sample-1.dist-info/WHEEL\", \"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n\")
w.writestr(\"sample-1.dist-info/RECORD\", \"\")
w.close()
EOF
		python3 -m pip --version >/dev/null 2>&1 || { echo NO-PIP; exit 0; }
		python3 -m pip install -q --no-index --target ~/site /tmp/sample-1-py3-none-any.whl
		PYTHONPATH=~/site python3 -c \"import sample\""
'
if in_system go; then
	test_expect_success 'go build' '(cd repo && git box run b -- sh -c "go build -o /tmp/m . && /tmp/m" 2>out) && test_grep go repo/out'
fi
# The toolchain of the real HOME, seen through links of the one that the test has.
real_home=$(getent passwd "$(id -u)" | cut -d: -f6)
if [ -x "$real_home/.cargo/bin/cargo" ]; then
	test_expect_success 'cargo build' '
		mkdir -p "$HOME/.cargo" && ln -s "$real_home/.cargo/bin" "$HOME/.cargo/bin" &&
		ln -s "$real_home/.rustup" "$HOME/.rustup" && (cd repo && git box run b -- sh -ec "cargo new -q /tmp/c && cd /tmp/c && cargo build -q --offline")'
fi
if in_system npm; then
	test_expect_success 'npm ci' '
		(cd repo && git box run b -- sh -ec "mkdir /tmp/n && cd /tmp/n && printf \"{\\\"name\\\":\\\"n\\\",\\\"version\\\":\\\"1.0.0\\\"}\" >package.json &&
			npm i -s --offline && npm ci -s --offline")'
fi
test_expect_success "caches are the box's own" '
	mkdir -p "$HOME/.cache/pip" "$HOME/.cargo/registry" && echo mine >"$HOME/.cargo/registry/file" &&
	find "$HOME" -printf "%p %T@\n" | sort >before &&
	(cd repo && git box create c --profile agent && git box run c -- sh -ec "
		mkdir -p ~/.cache/pip ~/.cargo && echo x >~/.cache/pip/y && echo z >~/.cargo/config.toml
		grep -q mine ~/.cargo/registry/file && ! echo w >>~/.cargo/registry/file") &&
	find "$HOME" -printf "%p %T@\n" | sort >after && cmp before after
'
test_done
