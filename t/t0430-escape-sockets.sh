#!/bin/sh
test_description='escapes: sockets, FIFOs and the network'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Listens on everything that the probes try, and notes each contact in $TRASH/contacts.
cat >"$TRASH/listen.py" <<'EOF'
import os, select, socket, sys
home, name, tmp, out = sys.argv[1:5]
listeners = []
for path in (home + "/.x.sock", tmp + "/box-test-sock." + name, home + "/.cargo/bin/sock"):
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    listeners.append(s)
s = socket.socket(socket.AF_UNIX)
s.bind("\0box-test-" + name)
listeners.append(s)
tcp = socket.socket()
tcp.bind(("127.0.0.1", 0))
listeners.append(tcp)
for s in listeners:
    s.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", tcp.getsockname()[1]))
fifo = os.open(home + "/.cargo/bin/fifo", os.O_RDWR | os.O_NONBLOCK)
with open(out + "/port.tmp", "w") as f:
    f.write(str(tcp.getsockname()[1]))
os.rename(out + "/port.tmp", out + "/port")
while True:
    for s in select.select(listeners + [udp, fifo], [], [])[0]:
        if s in listeners:
            c = s.accept()[0]
            c.send(b"hello\n")
            c.close()
        elif s is udp:
            data, peer = udp.recvfrom(100)
            udp.sendto(b"hello", peer)
        else:
            os.read(fifo, 100)
        with open(out + "/contacts", "a") as f:
            f.write("contact\n")
EOF
unix='python3 -c "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(3)
s.connect(sys.argv[1].replace(\"@\", chr(0), 1))
assert s.recv(5) == b\"hello\"[:5]" '

test_expect_success 'setup: listeners of the host, and a box' '
	mkdir -p "$HOME/.cargo/bin" && mkfifo "$HOME/.cargo/bin/fifo" &&
	make_repo repo && (cd repo && git box create b --profile agent && git box run b -- true)
'
name=$$
python3 "$TRASH/listen.py" "$HOME" "$name" /tmp "$TRASH" &
listener=$!
test_expect_success 'setup: the listeners answer' 'wait_for 5 "test -s port"'
port=$(cat "$TRASH/port")

escape_probe 'a socket in HOME' repo b "$unix $HOME/.x.sock"
escape_probe 'a socket in /tmp' repo b "$unix /tmp/box-test-sock.$name"
escape_probe 'a socket in a granted directory' repo b "$unix $HOME/.cargo/bin/sock"
escape_probe 'an abstract socket' repo b "$unix @box-test-$name"
escape_probe 'a connection to the host' repo b "python3 -c '
import socket
s = socket.create_connection((\"127.0.0.1\", $port), timeout=3)
assert s.recv(5) == b\"hello\"'"
escape_probe 'a packet to the host' repo b "python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.sendto(b\"x\", (\"127.0.0.1\", $port))
assert s.recv(5) == b\"hello\"'"
escape_probe 'a FIFO in a granted directory' repo b \
	"python3 -c 'import os; os.write(os.open(\"$HOME/.cargo/bin/fifo\", os.O_WRONLY | os.O_NONBLOCK), b\"x\")'"

# The same two lines as payload: a socket of the host as standard input.
on_stdin='import socket, sys
s = socket.socket(fileno=0)
print(s.getpeername())'
test_expect_success 'control: a host socket on stdin' '
	bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; python3 -c \"\$0\" <&3" "$on_stdin"
'
test_expect_success 'escape: a host socket on stdin' '
	(cd repo && bash -c "exec 3<>/dev/tcp/127.0.0.1/$port
		git box run b -- sh -c \"echo STARTED; python3 -c \\\"\\\$0\\\" || echo DENIED\" \"\$0\" <&3" "$on_stdin" >"$TRASH/out") &&
	test_grep ^STARTED out && test_grep ^DENIED out
'

test_expect_success 'the loopback of the box works' '
	(cd repo && git box run b -- python3 -c "
import socket
a = socket.socket(); a.bind((\"127.0.0.1\", 0)); a.listen()
b = socket.create_connection(a.getsockname(), timeout=3)
a.accept()[0].send(b\"hello\")
assert b.recv(5) == b\"hello\"")
'
test_expect_success 'no interface but loopback' '
	(cd repo && git box run b -- python3 -c "
import socket
assert [n for _, n in socket.if_nameindex()] == [\"lo\"], socket.if_nameindex()")
'
test_expect_success 'a name is not found, at once' '
	(cd repo && test_exit 2 git box run --timeout 10s b -- getent hosts secret.example.com)
'
test_expect_success 'agent and bus variables are not passed' '
	(cd repo && SSH_AUTH_SOCK=$HOME/.x.sock DBUS_SESSION_BUS_ADDRESS=unix:path=$HOME/.x.sock \
		DOCKER_HOST=unix://$HOME/.x.sock git box run b -- env >"$TRASH/out") &&
	! grep -E "SSH_AUTH|DBUS|DOCKER" out
'

kill "$listener"
wait "$listener" 2>/dev/null
rm -f "/tmp/box-test-sock.$name"
test_done
