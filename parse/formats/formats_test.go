package formats_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"

	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/parse/formats/axe"
)

// text is all of a history but the numbers of its locations.
func text(t testing.TB, h *parse.History) string {
	t.Helper()
	var out bytes.Buffer
	if err := axe.Write(&out, h); err != nil {
		t.Fatal(err)
	}
	// The lines about locations stand in order of their numbers.
	lines := strings.SplitAfter(out.String(), "\n")
	slices.SortStableFunc(lines, func(a, b string) int {
		if rank := cmp.Compare(about(a), about(b)); rank != 0 || about(a) == 0 {
			return rank
		}
		return strings.Compare(a, b)
	})
	return strings.Join(lines, "")
}

// about is 1 for lines about locations, 0 for others.
func about(line string) int {
	if strings.HasPrefix(line, "final ") || strings.HasPrefix(line, "order ") {
		return 1
	}
	return 0
}

func write(t testing.TB, f formats.Format, histories ...*parse.History) string {
	t.Helper()
	var out bytes.Buffer
	w, err := formats.NewWriter(f, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range histories {
		if err := w.Write(h); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func read(t testing.TB, f formats.Format, text string) []formats.Trace {
	t.Helper()
	var traces []formats.Trace
	err := formats.Read(f, strings.NewReader(text), "f", func(trace formats.Trace) error {
		traces = append(traces, trace)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

// readOnly are the formats of histories that nothing writes.
var readOnly = []string{"porcupine", "dbcop-bincode", "cobra", "awdit"}

// writable are the formats that histories are written in and read from.
func writable() []formats.Format {
	var list []formats.Format
	for _, f := range formats.Matching(nil) {
		if f.HoldsHistories() && !slices.Contains(readOnly, f.Name) || f.Name == "litmus" {
			list = append(list, f)
		}
	}
	return list
}

// reduced is what a format can express of what e can.
func reduced(e, by formats.Express) formats.Express {
	e.RMW = e.RMW && by.RMW
	e.Fences = min(e.Fences, by.Fences)
	e.Final = e.Final && by.Final
	e.Whole = by.Whole
	e.StoreOrder = e.StoreOrder && by.StoreOrder
	e.Dependencies = e.Dependencies && by.Dependencies
	e.Transactions = e.Transactions && by.Transactions
	e.Threads, e.Locations = by.Threads, by.Locations
	return e
}

// forget leaves out of a history orders of writes that say nothing: of at most
// one to each location.
func forget(h *parse.History) *parse.History {
	for _, order := range h.StoreOrder {
		if len(order) > 1 {
			return h
		}
	}
	h.StoreOrder = nil
	return h
}

// Random histories that say random things go through every format: what comes
// back is the history of the outline with only what the format can express, and Losses is empty just when that is all.
func TestRoundTrip(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 150
	}
	everything, _ := formats.ByName("axe")
	for _, f := range writable() {
		lossless := 0
		for seed := range runs {
			rng := rand.New(rand.NewPCG(uint64(seed), 7))
			o := randomOutline(rng)
			have := everything.Express
			coin := func() bool { return rng.IntN(4) == 0 }
			have.RMW = true // an outline has them; they are only split on the way
			if rng.IntN(16) < 7 {
				o.without(func(s *step) bool { return s.kind == parse.RMW })
			}
			if rng.IntN(16) < 7 {
				o.without(func(s *step) bool { return s.kind == parse.Fence })
			}
			have.Final, have.StoreOrder = coin(), coin()
			have.Dependencies, have.Transactions = coin(), coin()
			h := o.history(have)
			if err := h.Validate(); err != nil {
				t.Fatalf("seed %d: the generator: %v", seed, err)
			}
			want := o.history(reduced(have, f.Express))
			if f.Express.Transactions && !have.Transactions {
				want.Transactions = splitPairs(h, &f)
			}
			forget(want)
			losses := f.Losses(h)
			kept := o.history(have)
			forget(kept)
			if f.Express.Locations == formats.Identifiers && !f.Express.Locations.Keep(h.Locations) {
				for x := range want.Locations {
					want.Locations[x] = "x" + want.Locations[x]
				}
			}
			same := text(t, want) == text(t, kept) && (f.Express.Empty || !hasEmpty(h)) &&
				slices.Equal(want.ThreadNames, kept.ThreadNames) && slices.Equal(want.Locations, kept.Locations)
			if same != (len(losses) == 0) {
				t.Fatalf("%s, seed %d: losses %v, but same is %v:\n%swant\n%s", f.Name, seed, losses, same, text(t, h), text(t, want))
			}
			if same {
				lossless++
			}
			if err := f.Without(h).Validate(); err != nil {
				t.Fatalf("%s, seed %d: %v", f.Name, seed, err)
			}
			if f.Name == "native" {
				native(t, h, want)
				continue
			}
			written := write(t, f, h)
			traces := read(t, f, written)
			if len(want.Ops) == 0 {
				if len(traces) != 1 || !errors.Is(traces[0].Err, formats.ErrEmpty) {
					t.Fatalf("%s, seed %d: %v for no operations", f.Name, seed, traces)
				}
				continue
			}
			if len(traces) != 1 || traces[0].Err != nil {
				t.Fatalf("%s, seed %d: %v in\n%s", f.Name, seed, traces[0].Err, written)
			}
			if diff := gocmp.Diff(text(t, want), text(t, forget(traces[0].History))); diff != "" {
				t.Fatalf("%s, seed %d: (-want +got)\n%s\nwritten as\n%s", f.Name, seed, diff, written)
			}
			if f.Express.Empty && traces[0].History.Threads() != h.Threads() {
				t.Fatalf("%s, seed %d: %d threads of %d", f.Name, seed, traces[0].History.Threads(), h.Threads())
			}
			again := read(t, f, write(t, f, traces[0].History))
			if text(t, forget(again[0].History)) != text(t, want) {
				t.Fatalf("%s, seed %d: written as\n%sand read again as\n%s", f.Name, seed, written, text(t, again[0].History))
			}
			detected(t, f, written, text(t, want))
		}
		if lossless < runs/50 {
			t.Errorf("%s: only %d of %d histories without loss: the test says little", f.Name, lossless, runs)
		}
	}
}

// native demands that the log of a program gives the wanted history.
func native(t *testing.T, h, want *parse.History) {
	t.Helper()
	p, log, err := formats.NewNative(h)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse.Native(p, 1, log)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text(t, h))
	}
	if diff := gocmp.Diff(text(t, want), text(t, forget(got))); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if got.Threads() != h.Threads() {
		t.Fatalf("%d threads of %d", got.Threads(), h.Threads())
	}
}

// detected demands that what a format wrote is detected as it, or as one that
// reads the same.
func detected(t *testing.T, f formats.Format, written, want string) {
	t.Helper()
	got, err := formats.Detect([]byte(written), true)
	if err != nil {
		t.Fatal(err)
	}
	if written == "" {
		return
	}
	if traces := read(t, got, written); traces[0].Err != nil || text(t, forget(traces[0].History)) != want {
		t.Fatalf("%s is detected as %s:\n%s", f.Name, got.Name, written)
	}
}

// splitPairs are the transactions that split read-modify-writes become.
func splitPairs(h *parse.History, f *formats.Format) []parse.Transaction {
	var list []parse.Transaction
	n := parse.OpID(0)
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Kind == parse.Fence && !expresses(f.Express.Fences, op.Mask):
		case op.Kind == parse.RMW && !f.Express.RMW:
			list = append(list, parse.Transaction{First: n, End: n + 2})
			n += 2
		default:
			n++
		}
	}
	return list
}

// without makes reads of the steps that is picks; what reads from them reads
// the initial value.
func (o *outline) without(is func(*step) bool) {
	removed := map[int]bool{}
	for _, steps := range o.threads {
		for i := range steps {
			if s := &steps[i]; is(s) {
				removed[s.id] = true
				s.kind, s.mask, s.from = parse.Read, 0, -1
			}
		}
	}
	for _, steps := range o.threads {
		for i := range steps {
			if removed[steps[i].from] {
				steps[i].from = -1
			}
		}
	}
	for x := range o.order {
		var order []int
		for _, w := range o.order[x] {
			if !removed[w] {
				order = append(order, w)
			}
		}
		if o.order[x] = order; removed[o.final[x]] {
			o.final[x] = -2
		}
	}
}

func hasEmpty(h *parse.History) bool {
	for t := range h.Threads() {
		if h.Start[t] == h.Start[t+1] {
			return true
		}
	}
	return false
}

// A file that cannot be read is an error; one that says nothing sensible is a
// trace with one.
func TestReadErrors(t *testing.T) {
	broken := errors.New("broken disk")
	for _, f := range formats.Matching(nil) {
		err := formats.Read(f, iotest.ErrReader(broken), "f", func(formats.Trace) error { return nil })
		switch holds := f.HoldsHistories() && f.Name != "native" || f.Name == "litmus"; {
		case holds && !errors.Is(err, broken):
			t.Errorf("%s: %v", f.Name, err)
		case !holds && (err == nil || !strings.Contains(err.Error(), "holds no histories")):
			t.Errorf("%s: %v", f.Name, err)
		case holds:
			at := "f:1"
			if byByte := map[string]string{"dbcop-bincode": "f: byte 8: ", "cobra": "f: byte 0: "}; byByte[f.Name] != "" { // which have no lines
				at = byByte[f.Name]
			}
			if traces := read(t, f, "nonsense"); len(traces) != 1 {
				t.Errorf("%s: %d traces, want 1: %+v", f.Name, len(traces), traces)
			} else if err := traces[0].Err; err == nil || !strings.HasPrefix(err.Error(), at) {
				t.Errorf("%s: the trace has error %v, want one at %s", f.Name, err, at)
			}
		}
		w, err := formats.NewWriter(f, &bytes.Buffer{})
		if (err == nil) != ((f.HoldsHistories() || f.Name == "litmus") && f.Name != "native" && !slices.Contains(readOnly, f.Name)) {
			t.Errorf("%s: writer %v", f.Name, err)
		}
		if err != nil || f.Holds == formats.Histories {
			continue
		}
		h := &parse.History{Ops: []parse.Op{{Kind: parse.Read, RF: parse.Init}}, Start: []parse.OpID{0, 1}, Locations: []string{"x"}}
		if err := w.Write(h); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if err := w.Write(h); !errors.Is(err, formats.ErrOne) {
			t.Errorf("%s: a second history: %v", f.Name, err)
		}
	}
}

// FuzzConvert demands of whatever is read in any format that it be valid, and
// that what is written of it in any other be read again and written the same.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		"0: M[x] := 1\n0: sync\n1: { M[x] == 1; M[x] := 2 }\ntx 0: 1 -> 2\norder M[x]: 1 2\nfinal M[x] == 2\ndep 1: 1 -> 1",
		"0: M[0] := 1\n1: M[0] == 1\ncheck\n0: { v1 == 0; v1 := 1 } @ 1:2\nfinal M[1] == 1",
		"0: M[0] := 01\n00: M[00] == 1 # c\n\r\n0: membar LL SS\ndep 0: 1 -> 2\ncheck",
		"w(0,1,0,0)\nr(0,1,0,0)", "w(x,1,a,0)\nr(x,1,b,7)", "w(x,1,0,0)\nw(y,2,1,0)\nr(y,0,0,1)\nr(0,0,1,3)\n",
		"w(0,0,1,1)\nw(0,1,1,2)\nr(1,0,1,2)\nw(0,9,2,-1)\nr(0,1,2,3)\r\n\nr(0,1,2,3)",
		"[x:=1 v0==?]\n---\n[x==1]", "[x:=0 y:=0]\n[x:=1]", "// c\n[x:=1 y==?] [v7==0]!\n---\n\n[v7:=2 x==1]\r\n--\n",
		`[[{"events":[{"Write":{"variable":0,"version":1}}],"committed":true}]]`, `[[{"committed":true,"events":[{"Read":{"variable":"a","version":null}}]}],[]]`,
		"X86_64 a\n{}\n P0;\n movl $1,(x);\n movl (x),%eax;\nexists (0:rax=1)",
	} {
		f.Add([]byte(seed))
	}
	for _, path := range []string{"dbcop/testdata/skew.json"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		from, err := formats.Detect(data, true)
		if err != nil || !from.HoldsHistories() && from.Name != "litmus" || from.Name == "native" {
			return
		}
		_ = formats.Read(from, bytes.NewReader(data), "fuzz", func(trace formats.Trace) error {
			if (trace.History == nil) == (trace.Err == nil) {
				t.Fatalf("history %v, error %v", trace.History, trace.Err)
			}
			if trace.Err != nil {
				return nil
			}
			if from.Name == "dbcop-json" && !json.Valid(data) {
				t.Fatal("accepted, and no JSON")
			}
			if err := trace.History.Validate(); err != nil {
				t.Fatal(err)
			}
			for _, to := range writable() {
				convert(t, to, trace.History)
			}
			return nil
		})
	})
}

// convert writes a history, if the format can hold it, and reads it again.
func convert(t *testing.T, to formats.Format, h *parse.History) {
	t.Helper()
	var out bytes.Buffer
	w, err := formats.NewWriter(to, &out)
	if err != nil { // native: two files
		if p, log, err := formats.NewNative(h); err == nil {
			if _, err := parse.Native(p, 1, log); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if w.Write(h) != nil || to.Name == "litmus" {
		return
	}
	again := read(t, to, out.String())
	if len(again) != 1 || again[0].Err != nil {
		t.Fatalf("%s: %v in\n%s", to.Name, again, out.String())
	}
	// JSON has the number of locations, those without operations included.
	json := strings.HasPrefix(to.Name, "dbcop-json") && len(again[0].History.Locations) != len(h.Locations)
	if second := write(t, to, again[0].History); second != out.String() && !json {
		t.Fatalf("%s: written as\n%sthen as\n%s", to.Name, out.String(), second)
	}
}
