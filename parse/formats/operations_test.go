package formats_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"

	"ordeal/parse"
	"ordeal/parse/formats"
)

// operations reads a text operation by operation, a byte at a time: those of each
// thread by name, with names of locations and without reads-from.
func operations(t testing.TB, f formats.Format, text string) (map[string][]operation, error) {
	t.Helper()
	o, err := formats.NewOperations(f, iotest.OneByteReader(strings.NewReader(text)), "f")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]operation{}
	for {
		thread, op, _, err := o.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		name := o.Threads()[thread]
		list[name] = append(list[name], named(op, o.Locations()))
	}
}

type operation struct {
	op  parse.Op
	loc string
}

func named(op parse.Op, locations []string) operation {
	op.RF = 0
	if op.Loc < 0 {
		return operation{op, ""}
	}
	loc := locations[op.Loc]
	op.Loc = 0
	return operation{op, loc}
}

func ofHistory(h *parse.History) map[string][]operation {
	list := map[string][]operation{}
	for th := range h.Threads() {
		for id := h.Start[th]; id < h.Start[th+1]; id++ {
			list[h.ThreadName(th)] = append(list[h.ThreadName(th)], named(h.Ops[id], h.Locations))
		}
	}
	return list
}

// Read one by one, the operations are those of the history.
func TestOperations(t *testing.T) {
	for _, name := range formats.Streams() {
		f, _ := formats.ByName(name)
		for seed := range uint64(100) {
			h := randomOutline(rand.New(rand.NewPCG(seed, 3))).history(formats.Express{RMW: f.Express.RMW, Fences: f.Express.Fences, Threads: formats.Words, Locations: formats.Words})
			written := write(t, f, h)
			if len(h.Ops) == 0 {
				continue
			}
			got, err := operations(t, f, written)
			if err != nil {
				t.Fatalf("%s, seed %d: %v in\n%s", name, seed, err, written)
			}
			if diff := gocmp.Diff(ofHistory(read(t, f, written)[0].History), got, gocmp.AllowUnexported(operation{})); diff != "" {
				t.Fatalf("%s, seed %d: %s\n%s", name, seed, diff, written)
			}
		}
	}
}

// The initial state and aborted transactions are no operations.
func TestOperationsLeftOut(t *testing.T) {
	const text = "w(1,0,0,5)\nw(2,0,0,5)\nw(1,7,1,-1)\nw(1,8,1,6)\nr(1,8,2,7)\nr(2,0,2,7)\n"
	f, _ := formats.ByName("plume")
	got, err := operations(t, f, text)
	if err != nil || len(got["0"]) != 0 || len(got["1"]) != 1 || len(got["2"]) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if diff := gocmp.Diff(ofHistory(read(t, f, text)[0].History), got, gocmp.AllowUnexported(operation{})); diff != "" {
		t.Error(diff)
	}
}

// Faults name their lines; relations of a whole trace have no place in a stream.
func TestOperationsFaults(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"axe", "0: M[0] := 1\nfinal M[0] == 1", `f:2: want ":" before`},
		{"axe", "\n\n0: M[0] =", "f:3: "},
		{"oplog", "w(x,1,0,0)\nw(x,2,0,0)", "f:2: id 0 of thread 0 after id 0: want increasing ones"},
		{"oplog", "w(x,1", "f:1: "},
		{"plume", "w(1,0,0,0)\nw(1,5,0,0)", "f:2: the first transaction writes 0"},
		{"plume", "w(1,5,0,0)\nw(1,0,0,0)", "f:2: the first transaction writes 0"},
		{"plume", "w(1,5,0,-2)", "f:1: transaction -2"},
		{"plume", "w(x,5,0,2)", `f:1: "x": want a location as a number`},
	} {
		f, _ := formats.ByName(c.format)
		if _, err := operations(t, f, c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	streams := formats.Streams()
	for _, f := range formats.Matching(nil) {
		_, err := formats.NewOperations(f, strings.NewReader(""), "f")
		if is := slices.Contains(streams, f.Name); is != (err == nil) || !is && !strings.Contains(err.Error(), f.Name) {
			t.Errorf("%s: followed %v: %v", f.Name, is, err)
		}
	}
}

// Whatever reads as a history of one trace reads the same one by one.
func FuzzOperations(f *testing.F) {
	f.Add("0: M[x] := 1 @ 3: # c\n1: { M[x] == 1; M[x] := 2 }\n0: stbar\ncheck\n")
	f.Add("w(x,1,a,0)\nr(x,1,b,7)\n")
	f.Add("w(1,0,0,5)\nw(2,0,0,5)\nw(1,7,1,-1)\nw(1,8,1,6)\nr(1,8,2,7)\nr(2,0,2,7)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range formats.Streams() {
			format, _ := formats.ByName(name)
			got, err := operations(t, format, text)
			if err != nil {
				continue
			}
			traces := read(t, format, text)
			if len(traces) == 0 || traces[0].Err != nil || traces[0].History == nil {
				continue
			}
			if diff := gocmp.Diff(ofHistory(traces[0].History), got, gocmp.AllowUnexported(operation{})); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
