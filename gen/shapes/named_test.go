package shapes_test

import (
	"fmt"
	"strings"
	"testing"

	"ordeal/gen/shapes"
)

// text is a shape in one line: R and W with location and words, F with words;
// threads have | between them.
func text(s shapes.Shape) string {
	var threads []string
	for _, ops := range s.Threads {
		var list []string
		for _, op := range ops {
			name := map[shapes.Kind]string{shapes.Load: "R", shapes.Store: "W", shapes.Fence: "F"}[op.Kind]
			if op.Kind != shapes.Fence {
				name += string("xyzab"[op.Loc])
			}
			list = append(list, strings.TrimSpace(name+" "+op.Words))
		}
		threads = append(threads, strings.Join(list, "; "))
	}
	return strings.Join(threads, " | ")
}

// TestNamed: names of tests of diy7, and the tests written by hand.
func TestNamed(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"MP+dmb.st+addr", "Wx; F w.w; Wy | Ry; Rx addr 1"},
		{"MP+dmb.ish+ctrlisb", "Wx; F; Wy | Ry; F isync ctrl 1; Rx"},
		{"S+popl+poap", "Wx; Wy release | Ry acquire; Wx"},
		{"LB+addrs", "Rx; Wy addr 1 | Ry; Wx addr 1"},
		{"LB+data+ctrl", "Rx; Wy data 1 | Ry; Wx ctrl 1"},
		{"SB+rfi-addrs", "Wx; Rx; Ry addr 1 | Wy; Ry; Rx addr 1"},
		{"SB+rfis+po-fence.rw.rw+po-po", "Wx; Rx; F; Ry | Wy; Ry; Rx"},
		{"R+fence.rw.w+porlaq", "Wx; F rw.w; Wy | Wy release; Rx acquire"},
		{"WRC+addr+poqp", "Wx | Rx; Wy addr 1 | Ry acquirepc; Rx"},
		{"IRIW+fence.r.rws", "Wx | Rx; F r.rw; Ry | Wy | Ry; F r.rw; Rx"},
		{"2+2W+fence.tsos", "Wx; F tso; Wy | Wy; F tso; Wx"},
		{"SB+mfences", "Wx; F; Ry | Wy; F; Rx"},
		{"SB+po-rfi-addr+dsb.sy", "Wx; Wz; Rz; Ry addr 1 | Wy; F; Rx"},
		{"SB+wsi-rfi-ctrls", "Wx; Wx; Rx; Ry ctrl 1 | Wy; Wy; Ry; Rx ctrl 1"},
		{"MP+fence.rw.rw+po-fri-rfi-ctrlfencei", "Wx; F; Wy | Ry; Rz; Wz; Rz; Rx ctrl 1"},
		{"MP+dmb.sy+addr-po", "Wx; F; Wy | Ry; Rz addr 1; Rx"},
		{"MP+dmb.sy+pos-addr", "Wx; F; Wy | Ry; Ry; Rx addr 1"},
		{"MP+dmb.sy+addr-pos", "Wx; F; Wy | Ry; Rx addr 1; Rx"},
		{"2+2W+fence.rw.rw+poprl-rfirlp-addr", "Wx; F; Wy | Wy; Wz release; Rz; Wx addr 1"},
		{"Z6.2+po+po+fence.i", "Wx; Wy | Ry; Wz | Rz; Wx"}, {"3.LB+pos", "Rx; Wy | Ry; Wz | Rz; Wx"},
		{"SB+po+pos-po", "Wx; Ry | Wy; Wy; Rx"}, {"SB+po+popaq-poaqp", "Wx; Ry | Wy; Rz acquire; Rx"},
		{"CoRR+fence.rw.rws", "Wx | Rx; F; Rx"},
		{"MP+poaqrlp+poaqp", "Wx acquire release; Wy | Ry acquire; Rx"},
	} {
		s, err := shapes.Named(test.name)
		if err != nil || text(s) != test.want || s.Name != test.name || s.Allowed != 0 {
			t.Errorf("%s: %v, %q, %v\nwant %q", test.name, err, text(s), s.Allowed, test.want)
		}
	}
	for name, want := range map[string]string{
		"MP": "unknown shape", "XX+po": "unknown shape", "MP+po": "edges of 1 threads: MP has 2", "MP+po+po+po": "edges of 3 threads",
		"SB+rfis+po+po": "1 edges in thread 0, which has 2 pairs", "MP+rfi+po": "edge rfi: it ends at a store", "MP+po-rfi+po": "edge rfi: it ends at a store",
		"MP+fri-po+po": "edge fri: it begins at a store", "MP+pos+po+po": "edges of 3", "MP+pos+po": "edge pos: the locations of its ends differ", "MP+addr+po": "edge addr: it begins at a store",
		"MP+dmb+po": `unknown edge "dmb"`, "MP++": `unknown edge ""`, "CoWW+s": "unknown edge",
	} {
		if s, err := shapes.Named(name); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, %s, want %q", name, err, text(s), want)
		}
	}
}

// further are the shapes that Named has besides those of All.
func further(t *testing.T) (list []shapes.Shape) {
	for _, name := range []string{
		"3.SB", "3.LB", "3.2W", "Z6.0", "Z6.1", "Z6.2", "Z6.3", "Z6.4", "Z6.5", "WWC", "WRW+WR", "WRW+2W", "WRR+2W",
		"IRWIW", "IRRWIW", "CoRW1", "CoRW2", "CoWR0",
	} {
		s, err := shapes.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}
