"""What verify.py knows of traces in the notation of Axe, of operations, and of models."""
import collections, graphlib, hashlib, re
FENCES = dict(LL=1, LS=2, SL=4, SS=8, stbar=8, sync=15)  # the pairs of accesses that they order
PAIRS = ((1, "read", "read"), (2, "read", "wrote"), (4, "wrote", "read"), (8, "wrote", "wrote"))
KEEPS = dict(sc=15, tso=11, pso=3, rmo=0, wsc=15, wtso=11, wpso=3,  # and those that models do
             cc=15, ccv=15, cm=15, ccm=15, wccm=11)
Op = collections.namedtuple("Op", "thread index loc read wrote mask")  # values, or None
init = lambda loc: Op(-1, -1, loc, None, None, 0)  # the initial write of a location
has = lambda o, kind: getattr(o, kind) is not None  # does o read, or write?
before = lambda a, b: a.thread == b.thread and a.index < b.index  # in program order
pairs = lambda a, b: sum(bit for bit, x, y in PAIRS if has(a, x) and has(b, y))
def need(ok, why):
    if not ok: raise ValueError(why)
def kept(m, a, b, fences=0):  # does model m keep a before b, with these fences between them?
    same = a.loc == b.loc and (has(b, "wrote") or has(a, "read") and m != "rmo")
    return same or pairs(a, b) & (KEEPS[m] | fences)
def acyclic(arcs):  # operations in an order that keeps the arcs, or an error
    graph = graphlib.TopologicalSorter()
    for a, b in arcs: graph.add(b, a)
    return list(graph.static_order())
class History:
    def __init__(self, lines, cert):
        names = cert["thread_names"]
        ops, final, order, deps = {n: [] for n in names}, {}, {}, []
        for line in lines:  # M[x] and vx are one location; what # and @ begin is not used
            line = re.sub(r"M\[(\w+)\]", r"v\1", re.split("[#@]", line)[0])
            match re.findall(r":=|==|->|:|\w+", line):
                case ["final", loc, "==", value]: final[loc] = int(value)
                case ["order", loc, ":", *values]: order[loc] = [int(v) for v in values]
                case ["dep", name, ":", a, "->", b]: deps.append((name, int(a) - 1, int(b) - 1))
                case [name, ":", *text]:
                    value = {s: int(v) for s, v in zip(text[1:], text[2:]) if s in ("==", ":=")}
                    mask = sum(FENCES.get(w, 0) for w in text)
                    op = Op(names.index(name), len(ops[name]), text[0] if value else None,
                            value.get("=="), value.get(":="), mask)
                    ops[name].append(op)
        self.threads = list(ops.values())
        self.all = [o for t in self.threads for o in t if o.loc]  # the accesses
        write = {(o.loc, o.wrote): o for o in self.all if has(o, "wrote")}
        self.rf = {o: write.get((o.loc, o.read), init(o.loc)) for o in self.all if has(o, "read")}
        self.final = {loc: write.get((loc, v), init(loc)) for loc, v in final.items()}
        self.order = {loc: [write[loc, v] for v in values] for loc, values in order.items()}
        self.rank = {o: n for writes in self.order.values() for n, o in enumerate(writes)}
        self.deps = {(ops[name][a], ops[name][b]) for name, a, b in deps}
        need(self.digest() == cert["history"], "the certificate belongs to another history")
        sizes = len(ops), sum(len(t) for t in self.threads)
        need(sizes == (cert["threads"], cert["operations"]), "another number of operations")
    def digest(self):  # see digest.go
        locs, text = list(dict.fromkeys(o.loc for o in self.all)), []
        number = {loc: n for n, loc in enumerate(locs)}
        def line(*words): text.append(" ".join(str(w) for w in words if w is not None) + "\n")
        for t in self.threads:
            line("thread")
            for o in t:
                kind = "fwru"[has(o, "wrote") + 2 * has(o, "read")]
                line(kind, number.get(o.loc), o.read, o.wrote, o.mask or None)
        for x in (x for x in locs if x in self.final):
            line("final", number[x], self.final[x].wrote or 0)
        for x in (x for x in locs if self.order.get(x)):
            line("order", number[x], *(o.wrote for o in self.order[x]))
        for a, b in sorted(self.deps): line("dep", a.thread, a.index, b.index)
        return hashlib.sha256("".join(text).encode()).hexdigest()
    def known(self, m):  # what the trace says of the order in memory
        if m == "rmo":  # no value depends on itself
            acyclic(list(self.deps) + [(w, r) for r, w in self.rf.items() if has(w, "wrote")])
        return [pair for writes in self.order.values() for pair in zip(writes, writes[1:])] + [
            (a, b) for a, b in self.deps if m == "rmo" and b.loc]
    def forwarded(self, m, r):  # may r return a write of its thread before it is in memory?
        return KEEPS[m] != 15 and not has(r, "wrote") and self.rf[r].thread == r.thread
    def op(self, name):
        t, i = name
        need(type(t) is type(i) is int and min(t, i) >= 0, f"operation {name}")
        return self.threads[t][i]
    def ends(self, e):  # from, to, via; "init" names the initial write of the other end
        loc = next(self.op(e[key]).loc for key in ("from", "to") if e[key] != "init")
        need(loc, "a fence")
        of = lambda name: init(loc) if name == "init" else self.op(name)
        a, b, v = of(e["from"]), of(e["to"]), None if e.get("via") is None else of(e["via"])
        need(a.loc and b.loc, "a fence")
        return a, b, v
