package parse_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// describe lists the operations of each thread, with what they depend on by its
// place in the thread.
func describe(h *parse.History) (list []string) {
	for t := range h.ThreadNames {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := h.Ops[id]
			text := map[parse.Kind]string{
				parse.Read: fmt.Sprint("R", op.Read), parse.Write: fmt.Sprint("W", op.Write),
				parse.RMW: fmt.Sprintf("U%d,%d", op.Read, op.Write), parse.Fence: fmt.Sprint("F", op.Mask),
			}[op.Kind]
			if op.Kind != parse.Fence {
				text += " " + h.Locations[op.Loc]
			}
			for i, name := range parse.AttrNames {
				if op.Attr>>i&1 != 0 {
					text += " " + name
				}
			}
			for _, d := range h.Deps {
				for i, name := range parse.DepNames {
					if d.To == id && d.Kind>>i&1 != 0 {
						text += fmt.Sprintf(" %s<-%d", name, d.From-h.Start[t])
					}
				}
			}
			list = append(list, fmt.Sprintf("%d: %s", t, text))
		}
	}
	return list
}

// TestNativeInstructionSets: an atomic instruction of AArch64 is a load and a
// Conditional store, one of RISC-V a single operation; pairs of load-linked and
// store-conditional are the former, or a load alone where the store failed.
func TestNativeInstructionSets(t *testing.T) {
	const threads = "layout spread\nlocations x y\nthread 0\nload-linked x%s\nfence w.w\nstore-conditional x 1 release data 2\n" +
		"thread 1\nload y%s\ndelay 3\nexchange x 2 acquire release addr 2\nfence%s ctrl 1\n"
	for _, test := range []struct{ isa, a, b, fence, want string }{
		{"aarch64", " acquire", " acquirepc", " isync", `0: R0 x acquire
0: F8
0: U0,1 x release conditional data<-0 pair<-0
0: R5 x acquire
0: F8
0: F0
1: R0 y acquirepc
1: R1 x acquire addr<-0
1: U1,2 x acquire release conditional addr<-0 pair<-1
1: F0 isync ctrl<-1
1: R0 y acquirepc
1: R2 x acquire addr<-4
1: U2,5 x acquire release conditional addr<-4 pair<-5
1: F0 isync ctrl<-5`},
		{"riscv64", " acquire", "", " tso", `0: R0 x acquire
0: F8
0: U0,1 x release conditional data<-0 pair<-0
0: R5 x acquire
0: F8
0: F0
1: R0 y
1: U1,2 x acquire release addr<-0
1: F11 ctrl<-1
1: R0 y
1: U2,5 x acquire release addr<-3
1: F11 ctrl<-4`},
	} {
		p, err := gen.Parse("p", fmt.Appendf(nil, "ordeal-program 1\nisa "+test.isa+"\n"+threads, test.a, test.b, test.fence))
		if err != nil {
			t.Fatal(err)
		}
		w := wire.NewWriter(p, 2)
		// Round 1 stores values larger by 3: its exchange overtakes the pair.
		log := w.AppendThread(w.AppendThread(nil, 0, []gen.Value{0, 0, 5, 1}), 1, []gen.Value{0, 1, 0, 2})
		h, err := parse.Native(p, 2, w.AppendFinal(log, []gen.Value{5, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Validate(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(strings.Split(test.want, "\n"), describe(h)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.isa, diff)
		}
		short := w.AppendThread(w.AppendThread(nil, 0, []gen.Value{0, 0}), 1, []gen.Value{0, 1, 0})
		h, err = parse.Native(p, 2, short)
		if !errors.Is(err, parse.ErrPartial) || h == nil {
			t.Fatalf("partial log: %v", err)
		}
		if err := h.Validate(); err != nil {
			t.Errorf("%s, partial: %v", test.isa, err)
		}
		if _, err := parse.Native(p, 2, w.AppendThread(w.AppendThread(nil, 0, []gen.Value{0, 7, 5, 1}), 1, []gen.Value{0, 1, 0, 2})); err == nil ||
			!strings.Contains(err.Error(), "result 7 of store-conditional x 1 release data 2: want 0 or 1") {
			t.Errorf("result 7: %v", err)
		}
	}
}
