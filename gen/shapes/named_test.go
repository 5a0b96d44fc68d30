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
			name := map[shapes.Kind]string{
				shapes.Load: "R", shapes.Store: "W", shapes.Fence: "F", shapes.Exchange: "X", shapes.Add: "A",
				shapes.LoadLinked: "LL", shapes.StoreConditional: "SC",
			}[op.Kind]
			if op.Kind != shapes.Fence {
				name += string("xyzabcdefghi"[op.Loc])
			}
			list = append(list, strings.TrimSpace(name+" "+op.Words))
		}
		threads = append(threads, strings.Join(list, "; "))
	}
	return strings.Join(threads, " | ")
}

// TestNamed: names of tests of diy7, and the tests written by hand.
func TestNamed(t *testing.T) {
	for _, test := range []struct {
		name, want string
		arch       shapes.Arch
	}{
		{"MP+dmb.st+addr", "Wx; F w.w; Wy | Ry; Rx addr 1", shapes.Arm},
		{"MP+dmb.ish+ctrlisb", "Wx; F; Wy | Ry; F isync ctrl 1; Rx", shapes.Arm},
		{"S+popl+poap", "Wx; Wy release | Ry acquire; Wx", shapes.Arm},
		{"LB+addrs", "Rx; Wy addr 1 | Ry; Wx addr 1", shapes.Arm},
		{"LB+data+ctrl", "Rx; Wy data 1 | Ry; Wx ctrl 1", shapes.Arm},
		{"SB+rfi-addrs", "Wx; Rx; Ry addr 1 | Wy; Ry; Rx addr 1", shapes.Arm},
		{"SB+rfis+po-fence.rw.rw+po-po", "Wx; Rx; F; Ry | Wy; Ry; Rx", shapes.Arm},
		{"R+fence.rw.w+porlaq", "Wx; F rw.w; Wy | Wy release; Rx acquire", shapes.Arm},
		{"WRC+addr+poqp", "Wx | Rx; Wy addr 1 | Ry acquirepc; Rx", shapes.Arm},
		{"IRIW+fence.r.rws", "Wx | Rx; F r.rw; Ry | Wy | Ry; F r.rw; Rx", shapes.Arm},
		{"2+2W+fence.tsos", "Wx; F tso; Wy | Wy; F tso; Wx", shapes.Arm},
		{"SB+mfences", "Wx; F; Ry | Wy; F; Rx", shapes.Arm},
		{"SB+po-rfi-addr+dsb.sy", "Wx; Wz; Rz; Ry addr 1 | Wy; F; Rx", shapes.Arm},
		{"SB+wsi-rfi-ctrls", "Wx; Wx; Rx; Ry ctrl 1 | Wy; Wy; Ry; Rx ctrl 1", shapes.Arm},
		{"MP+fence.rw.rw+po-fri-rfi-ctrlfencei", "Wx; F; Wy | Ry; Rz; Wz; Rz; Rx ctrl 1", shapes.Arm},
		{"MP+dmb.sy+addr-po", "Wx; F; Wy | Ry; Rz addr 1; Rx", shapes.Arm},
		{"MP+dmb.sy+pos-addr", "Wx; F; Wy | Ry; Ry; Rx addr 1", shapes.Arm},
		{"MP+dmb.sy+addr-pos", "Wx; F; Wy | Ry; Rx addr 1; Rx", shapes.Arm},
		{"2+2W+fence.rw.rw+poprl-rfirlp-addr", "Wx; F; Wy | Wy; Wz release; Rz; Wx addr 1", shapes.Arm},
		{"Z6.2+po+po+fence.i", "Wx; Wy | Ry; Wz | Rz; Wx", shapes.Arm}, {"3.LB+pos", "Rx; Wy | Ry; Wz | Rz; Wx", shapes.Arm},
		{"SB+po+pos-po", "Wx; Ry | Wy; Wy; Rx", shapes.Arm}, {"SB+po+popaq-poaqp", "Wx; Ry | Wy; Rz acquire; Rx", shapes.Arm},
		{"CoRR+fence.rw.rws", "Wx | Rx; F; Rx", shapes.Arm},
		{"MP+poaqrlp+poaqp", "Wx acquire release; Wy | Ry acquire; Rx", shapes.Arm},
		// Texts of diyone7 of herdtools7, cycle by cycle; its further attempts of pairs left out.
		{"MP+po+rmw-po", "Wx; Wy | LLy; SCy; Rx", shapes.Arm}, {"MP+po+rmw-po", "Wx; Wy | Xy; Rx", shapes.RISCV},
		{"MP+po+amo.swp-po", "Wx; Wy | Xy; Rx", shapes.Arm}, {"MP+po+rmwal-polp", "Wx; Wy | LLy acquire; SCy release; Rx", shapes.Arm},
		{"MP+popx+po", "Wx; LLy; SCy | Ry; Rx", shapes.Arm}, {"MP+popxl+po", "Wx; LLy; SCy release | Ry; Rx", shapes.Arm},
		{"MP+poxlp+po", "LLx; SCx release; Wy | Ry; Rx", shapes.Arm},
		{"MP+po-amo.swp+addr", "Wx; Xy | Ry; Rx addr 1", shapes.Arm}, {"MP+popa-amo.swpal+addr", "Wx; Xy acquire release | Ry; Rx addr 1", shapes.Arm},
		{"MP+dmb.sy+addr-amo.ldadd-rfi-pos", "Wx; F; Wy | Ry; Ax addr 1; Rx; Rx", shapes.Arm},
		{"MP+po+amo.swp-rfi-addr", "Wx; Wy | Xy; Ry; Rx addr 1", shapes.Arm}, {"S+po+ctrlisb-rmw-po", "Wx; Wy | Ry; F isync ctrl 1; LLz; SCz; Wx", shapes.Arm},
		{"MP+po+addr-rmw-po", "Wx; Wy | Ry; LLz addr 1; SCz addr 2; Rx", shapes.Arm}, {"S+po+addrpx", "Wx; Wy | Ry; LLx addr 1; SCx addr 2", shapes.Arm},
		{"S+po+datapx", "Wx; Wy | Ry; LLx; SCx data 2", shapes.Arm}, {"S+po+ctrlpx", "Wx; Wy | Ry; LLx ctrl 1; SCx", shapes.Arm},
		{"MP+po+posR-po", "Wx; Wy | Ry; Ry; Rx", shapes.Arm}, {"MP+po+posW-po", "Wx; Wy | Ry; Wy; Rx", shapes.Arm},
		{"MP+dmb.sy+addrW-po", "Wx; F; Wy | Ry; Wz addr 1; Rx", shapes.Arm}, {"MP+dmb.sy+poRpa-poap", "Wx; F; Wy | Ry; Rz acquire; Rx", shapes.Arm},
	} {
		s, err := shapes.Named(test.name, test.arch)
		if err != nil || text(s) != test.want || s.Name != test.name || s.Allowed != 0 {
			t.Errorf("%s: %v, %q, %v\nwant %q", test.name, err, text(s), s.Allowed, test.want)
		}
	}
	for name, want := range map[string]string{
		"MP": "unknown shape", "XX+po": "unknown shape", "MP+po": "edges of 1 threads: MP has 2", "MP+po+po+po": "edges of 3 threads",
		"SB+rfis+po+po": "1 edges in thread 0, which has 2 pairs", "MP+rfi+po": "edge rfi: it ends at a store", "MP+po-rfi+po": "edge rfi: it ends at a store",
		"MP+fri-po+po": "edge fri: it begins at a store", "MP+pos+po+po": "edges of 3", "MP+pos+po": "edge pos: the locations of its ends differ", "MP+addr+po": "edge addr: it begins at a store",
		"MP+po+popx": "an exclusive pair stands for a store alone", "MP+po+rmwpx-po": "an exclusive pair stands for a store alone",
		"MP+popa-polp+po": "edges popa and polp: they say different things", "MP+rmw-po+po": "edge rmw: it begins at a store", "MP+po+rfiW": "unknown edge",
		"MP+dmb+po": `unknown edge "dmb"`, "MP++": `unknown edge ""`, "CoWW+s": "unknown edge",
	} {
		if s, err := shapes.Named(name, shapes.X86); err == nil || !strings.Contains(fmt.Sprint(err), want) {
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
		s, err := shapes.Named(name, shapes.X86)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}
