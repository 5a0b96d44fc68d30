package linear_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"ordeal/check/linear"
	"ordeal/parse"
	"ordeal/parse/formats/porcupine"
	"ordeal/parse/objects"
)

// random draws a history of a few operations with few values, half of them what a machine
// did and others made up.
func random(rng *rand.Rand, n int, kinds []objects.Kind) *objects.History {
	h := &objects.History{Threads: []string{"p"}, Keys: []string{"x", "y"}, Values: []string{"", "a", "b"}}
	value := func() int32 { return rng.Int32N(3) }
	txn := slices.Contains(kinds, objects.Txn)
	single := func(key int32) objects.Op {
		o := objects.Op{Kind: kinds[rng.IntN(len(kinds))], Key: key}
		switch o.Kind {
		case objects.Read:
			o.From = value()
		case objects.CAS:
			o.From, o.To, o.Failed = value(), value(), rng.IntN(3) == 0
		case objects.Txn:
			o = objects.Op{Kind: objects.Read, Key: key, From: value()}
		default:
			o.To = 1 + rng.Int32N(2)
		}
		return o
	}
	now := int64(0)
	for range n {
		now += rng.Int64N(3)
		o := single(rng.Int32N(2))
		if txn {
			o = objects.Op{Kind: objects.Txn, Parts: []objects.Op{single(0), single(1)}}
		}
		o.Times = parse.Interval{Call: now, Return: now + rng.Int64N(8)}
		if rng.IntN(5) == 0 && !o.Pure() {
			o.Times.Return = parse.Pending
		}
		h.Ops = append(h.Ops, o)
	}
	return h
}

// The answers are those of an enumeration of all orders, whose evidence both ways is
// accepted (Check does so, and reports an internal error otherwise).
func TestAgainstEnumeration(t *testing.T) {
	answers := map[bool]int{}
	for name, kinds := range map[string][]objects.Kind{
		"register": {objects.Read, objects.Write},
		"cas":      {objects.Read, objects.Write, objects.CAS, objects.CAS},
		"append":   {objects.Read, objects.Write, objects.Append, objects.Append},
		"txn":      {objects.Txn, objects.Write, objects.Append},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(len(kinds))))
		for i := range 3000 {
			h := random(rng, 2+rng.IntN(7), kinds)
			v, err := linear.Check(context.Background(), h, 0)
			if err != nil {
				t.Fatalf("%s %d: %v in %+v", name, i, err, h.Ops)
			}
			var all, optional []int32
			for id := range h.Ops {
				all = append(all, int32(id))
				if h.Ops[id].Times.Return == parse.Pending {
					optional = append(optional, int32(id))
				}
			}
			order := linear.Enumerate(h, all, optional, 0)
			if v.Allowed != (order != nil) {
				t.Fatalf("%s %d: allowed %v, enumeration finds %v in %+v", name, i, v.Allowed, order, h.Ops)
			}
			answers[v.Allowed]++
			if !v.Allowed && len(v.Window) == 0 {
				t.Fatalf("%s %d: no window", name, i)
			}
		}
	}
	if answers[true] < 1000 || answers[false] < 1000 {
		t.Errorf("one-sided: %v", answers)
	}
}

// The answers about sequential consistency are as an enumeration gives them; clients overlap with
// themselves now and then.
func TestSequentialAgainstEnumeration(t *testing.T) {
	answers := map[[2]bool]int{}
	for name, kinds := range map[string][]objects.Kind{
		"register": {objects.Read, objects.Read, objects.Write},
		"cas":      {objects.Read, objects.Write, objects.CAS, objects.CAS},
		"append":   {objects.Read, objects.Write, objects.Append, objects.Append},
		"txn":      {objects.Txn, objects.Write, objects.Append},
	} {
		rng := rand.New(rand.NewPCG(13, uint64(len(kinds))))
		for i := range 2000 {
			h := random(rng, 2+rng.IntN(6), kinds)
			for id := range h.Ops {
				h.Ops[id].Thread = rng.Int32N(3)
			}
			h.Threads = []string{"p", "q", "r"}
			v, err := linear.Sequential(context.Background(), h, 0)
			if err != nil {
				t.Fatalf("%s %d: %v in %+v", name, i, err, h.Ops)
			}
			var all, optional []int32
			for id := range h.Ops {
				all = append(all, int32(id))
				if h.Ops[id].Times.Return == parse.Pending {
					optional = append(optional, int32(id))
				}
			}
			if order := linear.EnumerateSequential(h, all, optional); v.Allowed != (order != nil) {
				t.Fatalf("%s %d: allowed %v, enumeration finds %v in %+v", name, i, v.Allowed, order, h.Ops)
			}
			timed, err := linear.Check(context.Background(), h, 0)
			if err != nil || timed.Allowed && !v.Allowed {
				t.Fatalf("%s %d: linearizable and not sequentially consistent: %v", name, i, err)
			}
			answers[[2]bool{v.Allowed, timed.Allowed}]++
		}
	}
	if answers[[2]bool{true, true}] < 500 || answers[[2]bool{true, false}] < 300 || answers[[2]bool{false, false}] < 500 {
		t.Errorf("one-sided: %v", answers)
	}
}

// Two registers, each linearizable by itself, whose clients see them in different orders: no
// order of all keeps those of the clients.
func TestSequentialIsNotByKey(t *testing.T) {
	at := func(call int64) parse.Interval { return parse.Interval{Call: call, Return: call + 1} }
	h := &objects.History{Threads: []string{"p", "q"}, Keys: []string{"x", "y"}, Values: []string{"", "1"}, Ops: []objects.Op{
		{Kind: objects.Write, Key: 0, To: 1, Times: at(0)},
		{Kind: objects.Write, Key: 1, To: 1, Thread: 1, Times: at(0)},
		{Kind: objects.Read, Key: 1, Times: at(2)},
		{Kind: objects.Read, Key: 0, Thread: 1, Times: at(2)},
	}}
	if v, err := linear.Sequential(context.Background(), h, 0); err != nil || v.Allowed {
		t.Errorf("store buffering: %+v, %v", v, err)
	}
	h.Ops[3].From = 1
	if v, err := linear.Sequential(context.Background(), h, 0); err != nil || !v.Allowed {
		t.Errorf("q reads what p wrote: %+v, %v", v, err)
	}
}

// Orders that are none are not accepted.
func TestReplayRefuses(t *testing.T) {
	h := &objects.History{Threads: []string{"p"}, Keys: []string{"x"}, Values: []string{"", "1", "2"}, Ops: []objects.Op{
		{Kind: objects.Write, To: 1, Times: parse.Interval{Call: 1, Return: 2}},
		{Kind: objects.Write, To: 2, Times: parse.Interval{Call: 3, Return: 4}},
		{Kind: objects.Read, From: 2, Times: parse.Interval{Call: 5, Return: 6}},
		{Kind: objects.Write, To: 1, Times: parse.Interval{Call: 5, Return: parse.Pending}},
	}}
	span := linear.Span{End: parse.Pending}
	for _, c := range []struct {
		order []int32
		want  bool
	}{
		{[]int32{0, 1, 2}, true}, {[]int32{0, 1, 2, 3}, true},
		{[]int32{1, 0, 2}, false}, {[]int32{0, 1}, false}, {[]int32{0, 1, 2, 2}, false}, {[]int32{0, 1, 3, 2}, false}, {[]int32{2, 0, 1}, false},
	} {
		if err := linear.Replay(h, c.order, span, nil); (err == nil) != c.want {
			t.Errorf("%v: %v", c.order, err)
		}
	}
	again := append([]int32{0, 1}, slices.Repeat([]int32{2}, 257)...)
	if linear.Replay(h, again, span, nil) == nil {
		t.Error("an operation that is placed 257 times is accepted")
	}
}

// Whatever the window, a history that has an order is not refuted.
func TestVerifyRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	tried, refuted := 0, 0
	for range 400 {
		h := random(rng, 2+rng.IntN(5), []objects.Kind{objects.Read, objects.Write, objects.CAS})
		for key := range h.Keys {
			var ids []int32
			for id := range h.Ops {
				if int(h.Ops[id].Key) == key {
					ids = append(ids, int32(id))
				}
			}
			for _, last := range ids {
				end := h.Ops[last].Times.Return
				if end == parse.Pending {
					continue
				}
				v := linear.Verdict{Last: last, Order: linear.Enumerate(h, before(h, ids, math.MinInt64, end), optional(h, ids, math.MinInt64, end), 0)}
				whole := linear.Enumerate(h, before(h, ids, math.MinInt64, end+1), optional(h, ids, math.MinInt64, end+1), 0)
				for _, v.From = range ids {
					start := h.Ops[v.From].Times.Call
					v.Window, v.Optional = before(h, ids, start, end+1), optional(h, ids, start, end+1)
					for _, v.Begins = range []bool{false, true} {
						tried++
						if err := v.Verify(h); err == nil && whole != nil {
							t.Fatalf("%+v is accepted of %+v, which has the order %v", v, h.Ops, whole)
						} else if err == nil {
							refuted++
						}
					}
				}
			}
		}
	}
	if refuted < 100 || tried < 10*refuted {
		t.Errorf("one-sided: %d of %d are accepted", refuted, tried)
	}
}

// before lists the operations of a key that may take effect between two times, optional
// those of them that need not: the definition of a window.
func before(h *objects.History, ids []int32, start, end int64) (list []int32) {
	for _, id := range ids {
		o := &h.Ops[id]
		inside := o.Times.Call >= start && o.Times.Return < end && o.Times.Return != parse.Pending
		if o.Times.Call < end && o.Times.Return >= start && (inside || !o.Pure()) {
			list = append(list, id)
		}
	}
	return list
}

func optional(h *objects.History, ids []int32, start, end int64) (list []int32) {
	for _, id := range before(h, ids, start, end) {
		if o := &h.Ops[id]; o.Times.Call < start || o.Times.Return >= end || o.Times.Return == parse.Pending {
			list = append(list, id)
		}
	}
	return list
}

// The window of a stale read is the write that it missed, not what came before.
func TestWindow(t *testing.T) {
	h := &objects.History{Threads: []string{"p"}, Keys: []string{"x"}, Values: []string{"", "1", "2"}}
	now := int64(0)
	add := func(o objects.Op) {
		o.Times = parse.Interval{Call: now, Return: now + 1}
		now += 2
		h.Ops = append(h.Ops, o)
	}
	for range 1000 {
		add(objects.Op{Kind: objects.Write, To: 2})
		add(objects.Op{Kind: objects.Write, To: 1})
		add(objects.Op{Kind: objects.Read, From: 1})
	}
	add(objects.Op{Kind: objects.Read, From: 2})
	for range 1000 {
		add(objects.Op{Kind: objects.Write, To: 2})
	}
	v, err := linear.Check(context.Background(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Allowed || v.Last != 3000 || !slices.Equal(v.Window, []int32{2999, 3000}) || v.Begins || len(v.Order) != 3000 {
		t.Errorf("%v, last %d, window %v, prefix of %d", v.Allowed, v.Last, v.Window, len(v.Order))
	}
}

// Configurations that exceed the memory end the search: pending writes of twenty values, in
// an order that no read tells, before a read of what none writes.
func TestMemory(t *testing.T) {
	h := &objects.History{Threads: []string{"p"}, Keys: []string{"x"}, Values: []string{""}}
	for i := range int32(20) {
		h.Values = append(h.Values, fmt.Sprint(i+1))
		h.Ops = append(h.Ops, objects.Op{Kind: objects.Write, To: i + 1, Times: parse.Interval{Call: 0, Return: 10}})
	}
	h.Values = append(h.Values, "other")
	h.Ops = append(h.Ops, objects.Op{Kind: objects.Read, From: 21, Times: parse.Interval{Call: 1, Return: 9}})
	if _, err := linear.Check(context.Background(), h, 1<<20); !errors.Is(err, linear.ErrMemory) {
		t.Error(err)
	}
}

// clone is a clone of a public repository that an environment variable names.
func clone(t *testing.T, variable string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " names no clone")
	}
	return dir
}

func answer(t *testing.T, path string) (allowed bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := porcupine.Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := linear.Check(context.Background(), r.Objects, 4<<30)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v.Allowed
}

// Porcupine's data, with the answers that its tests record.
func TestPorcupineData(t *testing.T) {
	dir := clone(t, "ORDEAL_PORCUPINE")
	tests, err := os.ReadFile(filepath.Join(dir, "porcupine_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`checkJepsen\(t, (\d+), (\w+)\)`).FindAllSubmatch(tests, -1) {
		path := fmt.Sprintf("%s/test_data/jepsen/etcd_%03s.log", dir, m[1])
		if got := answer(t, path); got != (string(m[2]) == "true") {
			t.Errorf("%s: allowed %v", path, got)
		}
		n++
	}
	for _, size := range []string{"c01", "c10", "c50"} {
		for name, want := range map[string]bool{"ok": true, "bad": false} {
			if path := fmt.Sprintf("%s/test_data/kv/%s-%s.txt", dir, size, name); answer(t, path) != want {
				t.Errorf("%s: allowed %v", path, !want)
			}
			n++
		}
	}
	t.Logf("%d files", n)
}

// Knossos' data, in folders by answer.
func TestKnossosData(t *testing.T) {
	dir := clone(t, "ORDEAL_KNOSSOS")
	for name, want := range map[string]bool{"good": true, "bad": false} {
		paths, err := filepath.Glob(filepath.Join(dir, "data/*", name, "*.edn"))
		if err != nil || len(paths) == 0 {
			t.Fatal(err, "no data")
		}
		for _, path := range paths {
			if answer(t, path) != want {
				t.Errorf("%s: allowed %v", path, !want)
			}
		}
		t.Logf("%d files of %s", len(paths), name)
	}
}
