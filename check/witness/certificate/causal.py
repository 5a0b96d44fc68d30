"""Orders, closures and refutations of the causal models, for verify.py.

The rules are the ones of check/witness/causal.go, closure.go and shape.go.
"""
import bisect
from history import KEEPS, acyclic, has, init, kept, need

def in_order(h, order):
    """Yields accesses with what their locations hold; keeps program order and reads-from."""
    at, memory, seen = [0] * len(h.threads), {}, set()
    for o in order:
        between = h.threads[o.thread][at[o.thread]:o.index]
        need(o.loc and o.index >= at[o.thread] and not any(p.loc for p in between), f"turn of {o}")
        value = h.rf.get(o, init(o.loc))
        need(value == init(o.loc) or value in seen, f"{o} before its value")
        yield o, memory.get(o.loc, init(o.loc))
        at[o.thread] = o.index + 1
        seen.add(o)
        if has(o, "wrote"): memory[o.loc] = o

def explains(h, order, threads):
    """Do the reads of these threads return what their locations hold?"""
    values = [o.thread not in threads or not has(o, "read") or held == h.rf[o]
              for o, held in in_order(h, order)]
    need(all(values), "serialization")

def serializations(h, _, order):
    """An order for each thread, each until its last access, or one for all; see ReplayCausal."""
    rest, everyone = list(order), range(len(h.threads))
    try:
        for t in everyone:
            mine = [o for o in h.threads[t] if o.loc]
            n = rest.index(mine[-1]) + 1 if mine else 0
            explains(h, rest[:n], [t])
            need(set(mine) <= set(rest[:n]), "missing")
            rest = rest[n:]
        need(not rest, "operations are left over")
    except ValueError:
        explains(h, order, everyone)
        need(set(order) == set(h.all), "missing")

def visibility(h, m, order):
    """No read overlooks a write that is causally between; see ReplayCausal."""
    # row: for each thread how many of its operations are causally before
    rows, last, place, by = {}, {}, {}, {}
    for w in h.all:
        if has(w, "wrote"): by.setdefault((w.loc, w.thread), []).append(w.index)
    for p, (o, _) in enumerate(in_order(h, order)):
        joined = [rows[q] for q in (last.get(o.thread), h.rf.get(o)) if q in rows]
        row = [max([j[s] for j in joined], default=0) for s in range(len(h.threads))]
        for s in range(len(h.threads)) if has(o, "read") else ():
            n, w = bisect.bisect_left(by.get((o.loc, s), []), row[s]), h.rf[o]
            if n == 0: continue
            u = h.threads[s][by[o.loc, s][n - 1]]
            older = u == w or w in place and (
                place[u] <= place[w] if m == "ccv" else rows[u][w.thread] <= w.index)
            need(older, f"{o} overlooks {u}")
        row[o.thread], rows[o], last[o.thread], place[o] = o.index + 1, row, o, p
    need(set(place) == set(h.all), "missing")

ORDERS = dict(cc=visibility, ccv=visibility, cm=serializations)

def ancestors(h, arcs):
    """Tells whether arcs, which form no cycle, lead from one access to another."""
    into, bits, above = {}, {o: 1 << i for i, o in enumerate(h.all)}, dict.fromkeys(h.all, 0)
    for a, b in arcs: into.setdefault(b, []).append(a)
    for b in acyclic(arcs):
        for a in into.get(b, []): above[b] |= above[a] | bits[a]
    return lambda a, b: bool(above[b] & bits[a])

def arcs_of(h, pairs):
    need(type(pairs) is list, "no list")
    arcs = [(h.op(a), h.op(b)) for a, b in pairs]
    need(all(a.loc and b.loc for a, b in arcs), "a fence")
    return arcs

def base_of(h, m):
    """What every relation contains, and what own writes before reads add."""
    base = [(w, r) for r, w in h.rf.items() if has(w, "wrote") and not h.forwarded(m, r)]
    own, weak = [], KEEPS[m] != 15
    for t in h.threads:
        for b in (b for b in t if b.loc):
            fences, last = 0, None
            for a in reversed(t[:b.index]):
                if not a.loc: fences |= a.mask
                elif kept(m, a, b, fences): base.append((a, b))
                if a.loc == b.loc and has(a, "wrote") and not last:
                    last = a
                    if weak and not has(b, "wrote") and h.rf[b] != a:
                        need(h.rf[b] != init(b.loc), "overlooks an own write")
                        own.append((a, h.rf[b]))
            if weak and m != "wccm" and has(b, "read"):
                need(h.rf[b].thread != b.thread or h.rf[b].index <= b.index, "future")
    return base, own

def closure(h, m, closed):
    need(m in ("wsc", "wtso", "wpso", "ccm", "wccm"), "not defined by a fixpoint")
    inferred, conflicts = (arcs_of(h, closed.get(key, [])) for key in ("arcs", "conflicts"))
    local = closed.get("local") or []
    need(type(closed.get("local")) in (list, type(None)) and len(local) <= len(h.threads), "local")
    local = [arcs_of(h, a) for a in local]
    base, own = base_of(h, m)
    writes = {}
    for o in h.all: writes.setdefault(o.loc, []).extend([o] * has(o, "wrote"))
    if m in ("wsc", "wtso", "wpso"): return fixpoint(h, base + own + inferred, writes)
    reads = [(r, w, writes[r.loc]) for r, w in h.rf.items()]
    for t, _ in enumerate(h.threads):
        before = ancestors(h, base + (local[t] if t < len(local) else []))
        rule_a([x for x in reads if x[0].thread == t], before, before)
    writing = [has(a, "wrote") and has(b, "wrote") and a.loc == b.loc for a, b in conflicts]
    need(all(writing), "conflicts")
    hb = base + sum(local, [])
    before, with_own = ancestors(h, hb), ancestors(h, hb + own)
    anywhere = ancestors(h, hb + own + conflicts + inferred)
    order = ancestors(h, conflicts + [(u, w) for ws in writes.values() for u in ws for w in ws
                                      if with_own(u, w)])
    rule_a([x for x in reads if not h.forwarded(m, x[0])], before, order)
    rule_b(reads, order, anywhere)
    for s, r in own:  # the pairs of an own write and what a later own read returned
        need(not has(r, "read") or h.rf[r] == s or has(h.rf[r], "wrote") and order(s, h.rf[r]),
             "an own store before an RMW")

def fixpoint(h, arcs, writes):
    for known in h.order.values(): arcs += zip(known, known[1:])
    for x, last in h.final.items():
        need(has(last, "wrote") or not writes.get(x), "final")
        arcs += [(a, last) for a in writes.get(x, []) if a != last]
    before = ancestors(h, arcs)
    reads = [(r, w, writes[r.loc]) for r, w in h.rf.items()]
    rule_a(reads, before, before)
    rule_b(reads, before, before)

def rule_a(reads, before, order):
    need(all(u == w or has(w, "wrote") and order(u, w)
             for r, w, ws in reads for u in ws if before(u, r)), "rule A")

def rule_b(reads, order, before):
    need(all(before(r, u) for r, w, ws in reads for u in ws
             if u not in (w, r) and (not has(w, "wrote") or order(w, u))), "rule B")

def leaf(node): return all(node.get(key) in (None, 0) for key in ("from", "to", "first", "second"))

def count(edges, forms, x):
    """Kinds of the edges, whether all premises are causal, threads of local lemmas,
    and whether a conflict is of another location than x."""
    kinds, pure, threads, elsewhere = [], True, set(), False
    for e in edges:
        if (k := e.get("lemma")) is not None:
            need(type(k) is int and 0 <= k < len(forms), "lemma")
            kind, causal, t, y = forms[k]
            kinds, pure = kinds + [kind], pure and causal
            elsewhere = elsewhere or kind == "conflict" and y != x
            if kind == "local": threads.add(t)
        elif e["rule"] not in ("ppo", "fence", "reads-from", "from-init"):
            kinds.append({"own-store": "own", "from-read": "rw"}.get(e["rule"], ""))
    return kinds, pure, threads, elsewhere

def shape(h, m, refutation):
    """May model m infer these edges? See shape.go."""
    if m in ("sc", "tso", "pso", "rmo"): return
    root = refutation["nodes"][0]
    need(leaf(root), "a split of cases")
    if m in ("wsc", "wtso", "wpso"): return
    forms = []  # of lemmas: kind, are the premises causal, thread, location
    for l in refutation.get("lemmas") or []:
        (_, b, v), x = h.ends(l), h.ends(l)[0].loc
        kinds, _, threads, elsewhere = count(l["premise"], forms, x)
        form, causal = ("", False, None, x), not kinds
        if "" in kinds or "rw" in kinds: pass
        elif l["rule"] == "A" and "own" in kinds:
            if m == "wccm" and len(l["premise"]) == 1: form = ("conflict", causal, None, x)
        elif l["rule"] == "B": form = ("" if elsewhere else "rw", causal, None, x)
        elif "conflict" not in kinds and v.thread >= 0:
            if not threads or threads == {v.thread}: form = ("local", causal, v.thread, x)
            elif m != "wccm" or b.thread < 0 or has(v, "wrote") or b.thread != v.thread:
                form = ("conflict", causal, v.thread, x)
        forms.append(form)
    kinds, pure, threads, _ = count(root["cycle"], forms, None)
    need("" not in kinds and ("own" not in kinds or m == "wccm"), f"{m} infers no such edge")
    fits = m in ("ccm", "wccm") or m == "ccv" and "rw" not in kinds and pure
    fits |= m == "cm" and not {"rw", "conflict"} & set(kinds) and len(threads) <= 1
    fits |= not {"local", "conflict"} & set(kinds) and kinds.count("rw") <= 1 and pure
    need(fits, f"{m} does not infer these edges")
