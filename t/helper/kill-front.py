"""kill-front.py BOX TRIALS: kills the front of `git box run BOX` at random moments of its start.

Everything that a front started must be gone within three seconds. Prints how many trials there
were and how many left something alive; whatever is left is killed. Exit code 1 where something was.
"""
import os
import random
import subprocess
import sys
import time

WAIT_S = 3


def descendants(pid):
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        try:
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children") as f:
                    children = [int(word) for word in f.read().split()]
                found += children
                todo += children
        except OSError:
            pass
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def trial(box):
    front = subprocess.Popen(["git-box", "run", box, "--", "sleep", "600"],
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0.0005, 0.010))
    started = descendants(front.pid)
    front.kill()
    front.wait()
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and any(map(is_alive, started)):
        time.sleep(0.01)
    left = [pid for pid in started if is_alive(pid)]
    for pid in left:
        os.kill(pid, 9)
    return bool(left)


def main():
    trials = int(sys.argv[2])
    survived = sum(trial(sys.argv[1]) for _ in range(trials))
    print(f"kill-front: trials={trials} survived={survived}")
    return 1 if survived else 0


sys.exit(main())
