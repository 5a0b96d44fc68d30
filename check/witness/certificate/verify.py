"""verify.py TRACE.axe CERTIFICATE checks what ordeal check --json says of a trace."""
import causal, collections, json, sys
from history import KEEPS, PAIRS, History, before, has, init, kept, need, pairs

def replay(h, m, order):  # executes an order: memory, and a store buffer for each thread
    need(len(order) == len(h.all) and set(order) == set(h.all), "not every access once")
    place, own, memory = {o: p for p, o in enumerate(order, 1)}, {}, {}
    for thread in h.threads:  # does each access stand after those that it may not overtake?
        last, least, buffer = collections.defaultdict(int), collections.defaultdict(int), {}
        for b in thread:
            after = [0] + [least[bit] for bit, _, y in PAIRS if has(b, y)]
            if has(b, "wrote"): after += [last["read", b.loc], last["wrote", b.loc]]
            elif m != "rmo": after.append(last["read", b.loc])
            need(not b.loc or place[b] > max(after), f"{b} overtakes another")
            own[b] = buffer.get(b.loc)
            for key in (key for x in ("read", "wrote") if has(b, x) for key in (x, (x, b.loc))):
                last[key] = max(last[key], place[b])
            least |= {bit: last[x] for bit, x, _ in PAIRS if bit & (KEEPS[m] | b.mask)}
            if has(b, "wrote"): buffer[b.loc] = b
    for o in order:
        value = own[o] if own[o] and place[own[o]] > place[o] else memory.get(o.loc, init(o.loc))
        need(not has(o, "read") or value == h.rf[o], f"{o} returns another value")
        if has(o, "wrote"): memory[o.loc] = o
    need(all(memory.get(loc, init(loc)) == o for loc, o in h.final.items()), "final values")
    need(all(place[a] < place[b] for a, b in h.known(m)), "order of stores, or a dependency")

def holds(h, m, rule, a, b, v, own=False):  # does the rule say that a precedes b?
    rf, store, to = h.rf.get, has(a, "wrote"), has(b, "wrote")
    same, through = a.loc == b.loc and a != b, v and v.loc == a.loc == b.loc
    match rule, v is not None:
        case "ppo", False: return before(a, b) and kept(m, a, b)
        case "fence", True: return before(a, v) and before(v, b) and v.mask & pairs(a, b)
        case "dependency", False: return (a, b) in h.deps
        case "reads-from", False: return store and rf(b) == a and (own or not h.forwarded(m, b))
        case "own-store", True: return store and same and through and rf(v) == b and before(a, v)
        case "coherence", True: return store and to and through and rf(v) == a and before(v, b)
        case "coherence", False: return store and to and same and before(a, b)
        case "from-init", False: return to and same and a == init(a.loc)
        case "from-read", False: return to and same and rf(a) == init(a.loc)
        case "final", False: return store and same and h.final.get(a.loc) == b
        case "store-order", False: return store and to and same and h.rank[a] < h.rank[b]
        case "assumed", False: return store and to and same
        case "A", True: return store and same and through and rf(v) == b
        case "B", True: return to and same and rf(a) == v != b

def path(h, m, edges, lemmas, own=False):  # from, to, and the assumptions that it rests on
    steps = []
    for e in edges:
        if (k := e.get("lemma")) is not None:
            need(type(k) is int and k >= 0 and not any(e[x] for x in e if x != "lemma"), k)
            steps.append(lemmas[k])
        else:
            (a, b, v), rule = h.ends(e), e["rule"]
            need(rule not in "AB" and holds(h, m, rule, a, b, v, own), f"{rule}: {a} {b}")
            steps.append((a, b, {(a, b)} if rule == "assumed" else set()))
    need(all(e[1] == f[0] for e, f in zip(steps, steps[1:])), "a gap")
    return steps[0][0], steps[-1][1], set().union(*(rests for _, _, rests in steps))

def refute(h, m, lemmas, nodes):
    need(nodes, "no cycle")
    known, cases = [], [[frozenset()]] + [[] for _ in nodes[1:]]  # of a node: where it stands
    for l in lemmas:
        (a, b, v), rule, (start, end, rests) = h.ends(l), l["rule"], path(h, m, l["premise"], known)
        need((rule, start, end) in (("A", a, v), ("B", v, b)) and holds(h, m, rule, a, b, v), l)
        known.append((a, b, rests))
    for k, n in enumerate(nodes):  # each stands behind the split that it is a case of
        if causal.leaf(n):
            own = all(e.get("rule") in ("dependency", "reads-from") for e in n["cycle"])
            start, end, rests = path(h, m, n["cycle"], known, own)
            need(start == end and cases[k] and all(rests <= c for c in cases[k]), f"node {k}")
        else:
            (a, b, _), split = h.ends(n), not n.get("cycle") and len(cases[k]) == 1
            need(split and holds(h, m, "assumed", a, b, None), f"node {k}: no split")
            for child, case in ((n["first"], (a, b)), (n["second"], (b, a))):
                need(type(child) is int and child > k, f"node {k}: no case {child}")
                cases[child].append(cases[k][0] | {case})

def verdict(h, m, v, verdicts):  # proved, or open; an error refuses the evidence
    answer, by = v["answer"], v.get("inclusion")
    need(m in KEEPS and answer in ("allowed", "forbidden", "unknown"), "no such answer")
    if answer == "unknown" or answer == "forbidden" and v.get("unproved"): return "open"
    if by is not None and not by.get("checked"): return "open"
    own = any(v.get(key) is not None for key in ("order", "closure", "refutation"))
    e = v if own else next(e for e in verdicts if e["model"] == by["from"])
    if answer == "forbidden":
        causal.shape(h, m, e["refutation"])
        refute(h, m, e["refutation"].get("lemmas") or [], e["refutation"]["nodes"])
    elif e.get("closure") is not None: causal.closure(h, m, e["closure"])
    else: causal.ORDERS.get(m, replay)(h, m, [h.op(o) for o in e["order"]])
    return "proved"

def verify(lines, cert):
    h = History(lines, cert)
    for v in cert["verdicts"]:
        try: yield v["model"], v["answer"], verdict(h, v["model"], v, cert["verdicts"])
        except Exception as why: yield v["model"], v["answer"], f"refused: {why!r}"

if __name__ == "__main__":
    trace, cert = open(sys.argv[1]).read(), open(sys.argv[2]).readline()
    for answer in verify(trace.split("\ncheck")[0].splitlines(), json.loads(cert)): print(*answer)
