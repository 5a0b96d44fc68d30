"""verify.py TRACE.axe CERTIFICATE: checks what ordeal check --json printed of a trace. README.md of check/witness has the rules."""
import graphlib, json, sys
from history import KEEPS, LL, LS, SL, SS, Trace, comps, need
leaf = lambda n: all(n.get(key) in (None, 0) for key in ("from", "to", "first", "second"))
class Checker(Trace):
    def kept(self, m, a, b, fences):  # does model m keep the order of a and b, with these fences between them?
        same = a.loc == b.loc and (b.wrote is not None or a.read is not None and m != "rmo")
        return same or comps(a, b) & (KEEPS[m] | fences)
    def own(self, w, r): return w != "init" and w.t == r.t
    def is_global(self, m, r): return KEEPS[m] == 15 or r.wrote is not None or not self.own(self.rf[r], r)  # not forwarded
    def replay(self, m, order):  # memory and store buffers; see Replay
        pos = {o: p for p, o in enumerate(order)}
        need(len(pos) == len(order) and set(pos) == set(self.ops), "not every access once")
        own, mem = {}, {}  # the last own write before a read; what memory holds
        for t in self.T:
            done, fence, stores, loads = {"r": -1, "w": -1}, dict.fromkeys((LL, LS, SL, SS), -1), {}, {}
            for b in t:
                if b.loc is None:
                    fence.update({c: max(fence[c], done["r" if c in (LL, LS) else "w"]) for c in fence if b.mask & c})
                    continue
                lim = lambda c: done["r" if c in (LL, LS) else "w"] if KEEPS[m] & c else fence[c]
                least = [lim(c) for c, v in ((LL, b.read), (SL, b.read), (LS, b.wrote), (SS, b.wrote)) if v is not None]
                if b.wrote is not None: least += [stores.get(b.loc, -1), loads.get(b.loc, -1)]
                elif m != "rmo": least.append(loads.get(b.loc, -1))
                need(pos[b] > max(least), f"{b} overtakes")
                if b.read is not None:
                    done["r"], loads[b.loc], own[b] = max(done["r"], pos[b]), max(loads.get(b.loc, -1), pos[b]), own.get((b.t, b.loc))
                if b.wrote is not None: done["w"], stores[b.loc], own[b.t, b.loc] = max(done["w"], pos[b]), pos[b], b
        for o in order:
            w = own.get(o) if o.read is not None else None
            need(o.read is None or (w if w and pos[w] > pos[o] else mem.get(o.loc, "init")) == self.rf[o], f"{o} returns another value")
            if o.wrote is not None: mem[o.loc] = o
        need(all(v == (mem[x].wrote if x in mem else 0) for x, v in self.final.items()), "final values")
        need(not self.order or all([o.wrote for o in order if o.loc == x and o.wrote is not None] == self.order.get(x, []) for x in self.writes), "store order")
        if m == "rmo":
            deps = [(self.T[t][a], self.T[t][b]) for t, a, b in self.deps]
            need(all(pos[a] < pos[b] for a, b in deps if b.loc is not None), "dependency")
            self.sorted(deps + [(w, r) for r, w in self.rf.items() if w != "init"])
    def sorted(self, arcs):  # operations in an order that keeps the arcs
        graph = graphlib.TopologicalSorter()
        for a, b in arcs: graph.add(b, a)
        return list(graph.static_order())
    def holds(self, m, rule, a, b, v, air):  # does a rule say that a precedes b? See the table of rules
        w, r, before = lambda o: o != "init" and o.wrote is not None, lambda o: self.rf.get(o), lambda a, b: a.t == b.t and a.i < b.i
        need(all(o in ("init", None) or o.loc is not None for o in (a, b, v if rule != "fence" else None)), "a fence")
        if (v is not None) != (rule in ("fence", "own-store", "A", "B") or rule == "coherence" and v is not None): return False
        if a == "init": return rule == "from-init" and w(b)
        if rule == "final": return w(a) and a != b and self.final.get(a.loc) == (0 if b == "init" else b.loc == a.loc and w(b) and b.wrote)
        if rule == "own-store": return w(a) and v != "init" and r(v) == b and v.loc == a.loc and before(a, v) and a != b
        if rule == "A": return w(a) and v != "init" and r(v) == b and a.loc == v.loc and a != b
        if b == "init": return False
        if rule == "ppo": return before(a, b) and bool(self.kept(m, a, b, 0))
        if rule == "fence": return v != "init" and before(a, v) and before(v, b) and bool(v.mask & comps(a, b))
        if rule == "dependency": return (m == "rmo" or KEEPS[m] & 3 == 3) and a.t == b.t and (a.t, a.i, b.i) in self.deps
        if rule == "reads-from": return r(b) == a and (a.t != b.t or air or self.is_global(m, b))
        if rule == "coherence" and v: return w(b) and v != "init" and r(v) == a and v.loc == b.loc and before(v, b)
        if rule == "from-read": return r(a) == "init" and w(b) and a.loc == b.loc and a != b
        if rule == "B": return w(b) and r(a) == v and a.loc == b.loc and b not in (v, a)
        if not (w(a) and w(b) and a.loc == b.loc and a != b): return False
        if rule == "store-order": return b.wrote in self.order.get(a.loc, [])[1 + self.order.get(a.loc, [a.wrote]).index(a.wrote):]
        return rule == "assumed" or rule == "coherence" and before(a, b)
    def edge(self, m, e, limit, air=False):  # (from, to, rule, via, the assumptions it rests on)
        if (k := e.get("lemma")) is not None:
            need(type(k) is int and 0 <= k < limit and not any(e.get(key) for key in ("from", "to", "rule", "via")), f"lemma {k}")
            return self.lemmas[k]
        a, b, v = self.op(e["from"], True), self.op(e["to"], True), self.op(e["via"], True) if e.get("via") is not None else None
        need(e["rule"] not in "AB" and self.holds(m, e["rule"], a, b, v, air), f"rule {e['rule']}: {a} {b}")
        return a, b, e["rule"], v, {(a, b)} if e["rule"] == "assumed" else set()
    def path(self, edges, closed):  # each edge begins where the one before it ends; the assumptions of all
        loc = lambda e: (e[1] if e[0] == "init" else e[0]).loc
        for e, f in zip(edges if closed else edges[:-1], edges[1:] + edges[:1]):
            need(e[1] == f[0] and (f[0] != "init" or loc(e) == loc(f)), f"a gap at {f[0]}")
        return set().union(*(e[4] for e in edges))
    def refute(self, m, lemmas, nodes):
        self.lemmas, trees, loc = [], set(), lambda e: (e[1] if e[0] == "init" else e[0]).loc
        for k, l in enumerate(lemmas):
            a, b, v, rule = self.op(l["from"], True), self.op(l["to"], True), self.op(l["via"], True), l["rule"]
            premise = [self.edge(m, e, k) for e in l["premise"]]
            start, end = (a, v) if rule == "A" else (v, b)
            need(rule in ("A", "B") and self.holds(m, rule, a, b, v, False) and premise, f"lemma {k}")
            need(premise[0][0] == start and premise[-1][1] == end and (start != "init" or loc(premise[0]) == loc((a, b))), f"lemma {k}: its premise")
            self.lemmas.append((a, b, rule, v, self.path(premise, False)))
        cases = {n.get(key) for n in nodes for key in ("first", "second") if not leaf(n)}
        need(cases == set(range(1, len(nodes))), "a node that is no case")
        leaves, todo = {}, [(0, frozenset())]
        while todo:
            k, assumed = todo.pop()
            n = nodes[k]
            if leaf(n):
                if k not in leaves:
                    air = (m == "rmo" or KEEPS[m] & 3 == 3) and all(e.get("rule") in ("dependency", "reads-from") for e in n["cycle"])
                    cycle = [self.edge(m, e, len(lemmas), air) for e in n["cycle"]]
                    need(cycle, f"node {k}: no cycle")
                    leaves[k] = self.path(cycle, True)
                need(leaves[k] <= assumed, f"node {k}: an assumption that is not in force")
                continue
            a, b = self.op(n["from"]), self.op(n["to"])
            need(self.holds(m, "assumed", a, b, None, False) and not n.get("cycle") and k not in trees, f"node {k}: no split")
            trees.add(k)
            for child, case in ((n["first"], (a, b)), (n["second"], (b, a))):
                need(type(child) is int and k < child < len(nodes), f"node {k}: case {child}")
                todo.append((child, assumed | {case}))
    def verdict(self, v, verdicts):  # proved or open
        m, why, has = v["model"], v.get("inclusion"), lambda e: any(e.get(key) is not None for key in ("order", "closure", "refutation"))
        need(m in KEEPS and v["answer"] in ("allowed", "forbidden", "unknown"), "no such model or answer")
        need(why is None or type(why.get("from", None)) in (str, type(None)) and any(why.get("checked") is x for x in (None, False, True)), "inclusion")
        if v["answer"] == "unknown" or v["answer"] == "forbidden" and v.get("unproved") or why is not None and not why.get("checked"):
            return "open"
        e = v if has(v) or why is None else next(o for o in verdicts if o["model"] == why["from"])
        if v["answer"] == "forbidden":
            lemmas, nodes = e["refutation"].get("lemmas") or [], e["refutation"]["nodes"]
            need(m in ("sc", "tso", "pso", "rmo") or leaf(nodes[0]), "one cycle")
            if m[0] == "c" or m == "wccm": __import__("causal").shape(self, m, lemmas, nodes[0]["cycle"])
            self.refute(m, lemmas, nodes)
        elif e.get("closure") is not None: __import__("causal").closure(self, m, e["closure"])
        elif m in ("cc", "ccv", "cm"): __import__("causal").order(self, m, [self.op(o) for o in e["order"]])
        else: self.replay(m, [self.op(o) for o in e["order"]])
        return "proved"
def verify(trace, cert):  # for each verdict: proved, open or refused
    checker = Checker(trace, cert)
    for v in cert["verdicts"]:
        try: yield v["model"], v["answer"], checker.verdict(v, cert["verdicts"])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, StopIteration) as why:
            yield v["model"], v["answer"], f"refused: {why}"
if __name__ == "__main__":
    for result in verify(open(sys.argv[1]).read().split("\ncheck")[0].splitlines(), json.loads(open(sys.argv[2]).readline())):
        print(*result)
