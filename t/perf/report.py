#!/usr/bin/python3
"""Table, JSON and verdicts from the samples of one bench run (t/perf/bench.sh).

Medians carry a 95 % interval by order statistics. Ratios are taken within a round (row i of a round against row j of
the same round, so both saw the same machine) and get the same median and interval. Exit 1 where a target is missed.
"""
import json
import math
import os
import sys


def read(path):
    """{row: [microseconds in round order]}"""
    rows = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, value = line.rstrip("\n").split("\t")
            rows.setdefault(name, []).append(float(value))
    return rows


def median_interval(values):
    """(median, low, high): the order statistics that hold the median with 95 %."""
    v = sorted(values)
    n = len(v)
    median = v[n // 2] if n % 2 else (v[n // 2 - 1] + v[n // 2]) / 2
    # rank: the largest k with P(fewer than k of n values lie below the median) <= 2.5 %
    tail, rank = 0.0, 0
    while rank < n and tail + math.comb(n, rank) / 2**n <= 0.025:
        tail += math.comb(n, rank) / 2**n
        rank += 1
    low = max(0, rank - 1)
    return median, v[low], v[n - 1 - low]


def ratio(rows, over, under):
    return median_interval([a / b for a, b in zip(rows[over], rows[under])])


def names(out, part):
    """Sample files of a part, "part" or "part-N", by N."""
    found = [f.removesuffix(".samples") for f in os.listdir(out) if f.endswith(".samples")]
    return sorted((f for f in found if f == part or f.startswith(part + "-")), key=lambda f: (len(f), f))


class Report:
    def __init__(self):
        self.json = {"schema": 1, "cpus": os.cpu_count(), "kernel": os.uname().release, "rows": [], "targets": []}
        self.missed = 0

    def table(self, title, rows, base=None):
        print(f"\n{title}")
        for name, values in rows.items():
            m, lo, hi = median_interval(values)
            entry = {"part": title, "row": name, "n": len(values), "median_us": m, "low_us": lo, "high_us": hi}
            text = f"  {name:<12} n={len(values):<4} {m / 1000:10.3f} ms  [{lo / 1000:.3f}, {hi / 1000:.3f}]"
            if base in rows:
                r = ratio(rows, name, base)
                entry["ratio"] = {"to": base, "median": r[0], "low": r[1], "high": r[2]}
                text += f"   x{r[0]:.3f} of {base} [{r[1]:.3f}, {r[2]:.3f}]"
            self.json["rows"].append(entry)
            print(text)

    def target(self, text, value, limit, n, n_min=30):
        ok = value <= limit and n >= n_min
        self.missed += not ok
        few = "" if n >= n_min else f" (only {n} rounds)"
        self.json["targets"].append({"target": text, "value": value, "limit": limit, "n": n, "pass": ok})
        print(f"  {'pass' if ok else 'FAIL'}: {text}: {value:.3f}, limit {limit}{few}")


def main():
    out = sys.argv[1]
    report = Report()

    def samples(part):
        path = f"{out}/{part}.samples"
        return read(path) if os.path.exists(path) else None

    rows = samples("run")
    if rows:
        report.table("run: one confined `true`", rows, base="bwrap")
        if "bwrap" in rows:
            report.target("run / bwrap agent-style", ratio(rows, "git-box", "bwrap")[0], 0.9, len(rows["git-box"]))
        else:
            print("  not judged: bwrap is not installed")
            report.missed += 1
    for name in names(out, "create"):
        n = name.removeprefix("create-")
        rows = samples(name)
        report.table(f"create: {n} files", rows, base="worktree")
        report.target(f"create / git worktree add, {n} files", ratio(rows, "create", "worktree")[0], 1.0,
                      len(rows["create"]))
    for part, what, limit in (("files", "file-heavy", 1.05), ("cpu", "CPU-heavy", 1.02)):
        rows = samples(part)
        if rows:
            report.table(f"work: {what}", rows, base="outside")
            report.target(f"{what} inside / outside, upper bound", ratio(rows, "inside", "outside")[2], limit,
                          len(rows["inside"]))
    for part, over, under, limit in (("unchanged", "snapshot", "status", 1.2),
                                     ("changed", "snapshot", "write-tree", 2.0),
                                     ("propose", "propose", "commit", None), ("apply", "apply", "merge", None)):
        for name in names(out, part):
            rows = samples(name)
            report.table(name, rows, base=under)
            if limit:
                report.target(f"{name}: {over} / git {under}", ratio(rows, over, under)[0], limit, len(rows[over]))
    rows = samples("pss")
    if rows:
        kib = max(rows["pss"])
        print("\nmemory: all our processes around one sleeping command")
        report.target("PSS in MiB, largest of the rounds", kib / 1024, 8, len(rows["pss"]), n_min=5)
        if min(rows["pss"]) == 0:
            print("  FAIL: no process of ours was seen")
            report.missed += 1
    with open(f"{out}/bench.json", "w", encoding="utf-8") as f:
        json.dump(report.json, f, indent=1)
    print(f"\n{'all targets reached' if not report.missed else f'{report.missed} targets missed'}; {out}/bench.json")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
