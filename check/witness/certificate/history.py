"""A history in the notation of Axe, for verify.py, and the digest that certificates name it by."""
import hashlib, re
from collections import namedtuple
LL, LS, SL, SS = 1, 2, 4, 8
KEEPS = dict(sc=15, wsc=15, ccm=15, cc=15, ccv=15, cm=15, tso=11, wtso=11, wccm=11, pso=3, wpso=3, rmo=0)
Op = namedtuple("Op", "t i loc read wrote mask")  # read, wrote: values or None; a fence has a mask and no location
comps = lambda a, b: sum(c for c, x, y in ((LL, a.read, b.read), (LS, a.read, b.wrote), (SL, a.wrote, b.read), (SS, a.wrote, b.wrote))
                         if x is not None and y is not None)
def need(ok, why):
    if not ok: raise ValueError(why)
def history(lines, names):  # threads in the order of names; final values and store orders by location; dependencies
    T, final, order, deps, M = {n: [] for n in names}, {}, {}, [], r"(?:M\[(\w+)\]|v(\w+))"
    for line in lines:
        line = line.split("#")[0].split("@")[0].strip()
        if m := re.fullmatch(rf"final {M} *== *(\d+)", line): final[m[1] or m[2]] = int(m[3])
        elif m := re.fullmatch(rf"order {M} *:(.*)", line): order[m[1] or m[2]] = [int(v) for v in m[3].split()]
        elif m := re.fullmatch(r"dep (\w+) *: *(\d+) *-> *(\d+)", line): deps.append((names.index(m[1]), int(m[2]) - 1, int(m[3]) - 1))
        elif m := re.fullmatch(r"(?!dep |tx )(\w+) *: *(.*)", line):
            mask = {"sync": 15, "stbar": SS}.get(m[2]) or sum({"LL": LL, "LS": LS, "SL": SL, "SS": SS}[w] for w in m[2].split()[1:] if m[2][:6] == "membar")
            a = [(x[0] or x[1], x[2], int(x[3])) for x in re.findall(rf"{M} *(==|:=) *(\d+)", m[2])]
            T[m[1]].append(Op(names.index(m[1]), len(T[m[1]]), a[0][0] if a else None, next((v for _, s, v in a if s == "=="), None),
                              next((v for _, s, v in a if s == ":="), None), mask))
    return list(T.values()), final, order, sorted(deps)
class Trace:
    def __init__(self, trace, cert):
        self.T, self.final, self.order, self.deps = history(trace, cert["thread_names"])
        self.ops = [o for t in self.T for o in t if o.loc is not None]
        self.writes, number, text = {}, {}, []
        for o in self.ops: number.setdefault(o.loc, len(number))
        for o in self.ops: self.writes.setdefault(o.loc, []).extend([o] * (o.wrote is not None))
        W = {(o.loc, o.wrote): o for ws in self.writes.values() for o in ws}
        self.rf = {o: W[o.loc, o.read] if o.read else "init" for o in self.ops if o.read is not None}
        for t in self.T:
            text += ["thread"] + [f"f {o.mask}" if o.loc is None else " ".join(map(str, [("r", "w", "u")[(o.wrote is not None) + (o.wrote is not None
                     and o.read is not None)], number[o.loc]] + [v for v in (o.read, o.wrote) if v is not None])) for o in t]
        text += [f"final {n} {self.final[x]}" for x, n in number.items() if x in self.final]
        text += [" ".join(map(str, ["order", n] + self.order[x])) for x, n in number.items() if self.order.get(x)]
        text = "".join(line + "\n" for line in text + [f"dep {t} {a} {b}" for t, a, b in self.deps])
        need(hashlib.sha256(text.encode()).hexdigest() == cert["history"], "another history")
        need(cert["threads"] == len(self.T) and cert["operations"] == sum(map(len, self.T)), "another history")
    def op(self, name, init=False):
        if init and name == "init": return name
        need(type(name) is list and len(name) == 2 and all(type(n) is int and n >= 0 for n in name), f"no operation: {name}")
        need(name[0] < len(self.T) and name[1] < len(self.T[name[0]]), f"no operation: {name}")
        return self.T[name[0]][name[1]]
