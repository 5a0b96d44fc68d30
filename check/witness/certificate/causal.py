"""Orders, closures and refutations of the causal models, for verify.py. See the comments of check/witness/causal.go, closure.go and shape.go."""
import bisect
from history import KEEPS, need
def in_order(c, order):  # yields accesses with what their locations hold; program order and reads-from are kept
    at, mem, seen = [0] * len(c.T), {}, set()
    for o in order:
        need(o.loc is not None and o.i >= at[o.t] and all(p.loc is None for p in c.T[o.t][at[o.t]:o.i]), f"{o} out of program order")
        need(o.read is None or c.rf[o] == "init" or c.rf[o] in seen, f"{o} stands before what it reads")
        yield o, mem.get(o.loc, "init"), at
        at[o.t] = o.i + 1
        seen.add(o)
        if o.wrote is not None: mem[o.loc] = o
def order(c, m, order):  # see ReplayCausal
    accesses = [[o for o in t if o.loc is not None] for t in c.T]
    if m == "cm":
        try:
            rest = list(order)
            for t, mine in enumerate(accesses):
                n = max([rest.index(mine[-1]) + 1] if mine else [0])
                need(all(o.t != t or o.read is None or held == c.rf[o] for o, held, _ in in_order(c, rest[:n])) and
                     set(mine) <= set(rest[:n]), "serialization")
                rest = rest[n:]
            return need(not rest, "operations are left over")
        except ValueError:
            need(all(o.read is None or held == c.rf[o] for o, held, _ in in_order(c, order)), "serialization")
            return need(set(order) == set(c.ops), "missing")
    rows, last, pos, by = {}, {}, {}, {}
    for w in (w for ws in c.writes.values() for w in ws): by.setdefault((w.loc, w.t), []).append(w.i)
    for p, (o, _, _) in enumerate(in_order(c, order)):
        joined = [rows[q] for q in (last.get(o.t), c.rf.get(o)) if q in rows]
        row = [max([j[s] for j in joined], default=0) for s in range(len(c.T))]
        for s in range(len(c.T)) if o.read is not None else ():
            n = bisect.bisect_left(by.get((o.loc, s), []), row[s])
            u, w = n and c.T[s][by[o.loc, s][n - 1]], c.rf[o]
            need(not u or u == w or w != "init" and (pos[u] <= pos[w] if m == "ccv" else rows[u][w.t] <= w.i), f"{o} overlooks {u}")
        row[o.t], rows[o], last[o.t], pos[o] = o.i + 1, row, o, p
        rows[o] = row
    need(set(pos) == set(c.ops), "missing")
def closure(c, m, closed):
    need(m in ("wsc", "wtso", "wpso", "ccm", "wccm"), "not defined by a fixpoint")
    def arcs(pairs):
        need(type(pairs) is list, "no list")
        pairs = [(c.op(a), c.op(b)) for a, b in pairs]
        need(all(a.loc is not None and b.loc is not None for a, b in pairs), "a fence")
        return pairs
    inferred, conflicts = arcs(closed.get("arcs", [])), arcs(closed.get("conflicts", []))
    local = closed.get("local") or []
    need(type(closed.get("local")) in (list, type(None)) and len(local) <= len(c.T), "local")
    local = [arcs(a) for a in local]
    base, own = [(w, r) for r, w in c.rf.items() if w != "init" and c.is_global(m, r)], []
    for t in c.T:
        for b in (b for b in t if b.loc is not None):
            fences = last = 0
            for a in reversed(t[:b.i]):
                if a.loc is None: fences |= a.mask
                elif c.kept(m, a, b, fences): base.append((a, b))
                if a.loc == b.loc and a.wrote is not None and not last:
                    last = a
                    if KEEPS[m] != 15 and b.wrote is None and c.rf[b] != a:
                        need(c.rf[b] != "init", "overlooks")
                        own.append((a, c.rf[b]))
            if KEEPS[m] != 15 and m[0:3] != "wcc": need(b not in c.rf or c.rf[b] == "init" or c.rf[b].t != b.t or c.rf[b].i <= b.i, "future")
    def ancestors(arcs):  # for each access, as the bits of an integer, what leads to it
        into, bits, anc = {}, {o: 1 << i for i, o in enumerate(c.ops)}, dict.fromkeys(c.ops, 0)
        for a, b in arcs: into.setdefault(b, []).append(a)
        for b in c.sorted(arcs):
            for a in into.get(b, []): anc[b] |= anc[a] | bits[a]
        return lambda a, b: bool(anc[b] & bits[a])
    reads = lambda t=None: ((r, w, ws) for r, w in c.rf.items() if t in (None, r.t) for ws in [c.writes[r.loc]])
    if m in ("wsc", "wtso", "wpso"):
        for x, values in c.order.items():
            ws = sorted(c.writes[x], key=lambda w: values.index(w.wrote))
            base += zip(ws, ws[1:])
        for x, v in c.final.items():
            need(v or not c.writes.get(x), "final")
            base += [(a, b) for a in c.writes.get(x, []) for b in c.writes[x] if b.wrote == v and a != b]
        before = ancestors(base + own + inferred)
        for r, w, ws in reads():
            need(all(u == w or w != "init" and before(u, w) for u in ws if before(u, r)), "rule A")
            need(all(before(r, u) for u in ws if u not in (w, r) and (w == "init" or before(w, u))), "rule B")
        return
    for t, _ in enumerate(c.T):
        before = ancestors(base + (local[t] if t < len(local) else []))
        for r, w, ws in reads(t): need(all(u == w or w != "init" and before(u, w) for u in ws if before(u, r)), "local rule A")
    need(all(a.wrote is not None and b.wrote is not None and a.loc == b.loc for a, b in conflicts), "conflicts")
    hb = base + sum(local, [])
    before, whb = ancestors(hb), ancestors(hb + own)
    anywhere = ancestors(hb + own + conflicts + inferred)
    pww = ancestors(conflicts + [(u, w) for ws in c.writes.values() for u in ws for w in ws if whb(u, w)])
    for r, w, ws in reads():
        if c.is_global(m, r) or w == "init": need(all(u == w or w != "init" and pww(u, w) for u in ws if before(u, r)), "conflict")
        need(all(anywhere(r, u) for u in ws if u not in (w, r) and (w == "init" or pww(w, u))), "rule B")
    for s, r in own: need(r.read is None or c.rf[r] == s or c.rf[r] != "init" and pww(s, c.rf[r]), "own store before an RMW")
def shape(c, m, lemmas, cycle):  # may the model infer these edges? See shape.go
    forms = []  # of lemmas: kind, are the premises causal, thread, location
    def count(edges, x):
        kinds, pure, threads, elsewhere = [], True, set(), False
        for e in edges:
            if (k := e.get("lemma")) is not None:
                need(type(k) is int and 0 <= k < len(forms), "lemma")
                kind, causal, t, y = forms[k]
                kinds, pure, elsewhere = kinds + [kind], pure and causal, elsewhere or kind == "conflict" and y != x
                if kind == "local": threads.add(t)
            elif e["rule"] not in ("ppo", "fence", "reads-from", "from-init"): kinds.append({"own-store": "own", "from-read": "rw"}.get(e["rule"], ""))
        return kinds, pure, threads, elsewhere
    for l in lemmas:
        a, b, v = (c.op(l[key], True) for key in ("from", "to", "via"))
        x = (b if a == "init" else a).loc
        kinds, pure, threads, elsewhere = count(l["premise"], x)
        form = ("", False, None, x)
        causal = not kinds
        if "" in kinds or "rw" in kinds: pass
        elif l["rule"] == "A" and "own" in kinds:
            if m == "wccm" and len(l["premise"]) == 1: form = ("conflict", causal, None, x)
        elif l["rule"] == "B": form = ("" if elsewhere else "rw", causal, None, x)
        elif "conflict" not in kinds and v != "init":
            if not threads or threads == {v.t}: form = ("local", causal, v.t, x)
            elif m != "wccm" or b == "init" or v.wrote is not None or b.t != v.t: form = ("conflict", causal, v.t, x)
        forms.append(form)
    kinds, pure, threads, _ = count(cycle, None)
    fits = "" not in kinds and ("own" not in kinds or m == "wccm")
    cc = not {"local", "conflict"} & set(kinds) and kinds.count("rw") <= 1 and pure
    need(fits and (cc or m in ("ccm", "wccm") or m == "ccv" and "rw" not in kinds and pure or
                   m == "cm" and not {"rw", "conflict"} & set(kinds) and len(threads) <= 1), f"{m} does not infer the edges")
