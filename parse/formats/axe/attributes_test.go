package axe_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

const attributed = `0: M[x] == 0 acquire
0: M[x] == 0 acquirepc
0: isync
0: { M[x] == 0; M[x] := 1 } acquire release conditional
0: membar LL LS
0: M[y] := 2 release
dep 0: 1 -> 4 pair
dep 0: 2 -> 3 ctrl
dep 0: 2 -> 6 addr data
check
`

// Attributes and kinds of dependencies are read and written.
func TestAttributes(t *testing.T) {
	h := one(t, attributed).History
	var attrs []parse.Attr
	for _, o := range h.Ops {
		attrs = append(attrs, o.Attr)
	}
	want := []parse.Attr{parse.Acquire, parse.AcquirePC, parse.ISync, parse.Acquire | parse.Release | parse.Conditional, 0, parse.Release}
	if diff := cmp.Diff(want, attrs); diff != "" {
		t.Error(diff)
	}
	deps := []parse.Dep{{From: 0, To: 3, Kind: parse.DepPair}, {From: 1, To: 2, Kind: parse.DepControl}, {From: 1, To: 5, Kind: parse.DepAddress | parse.DepData}}
	if diff := cmp.Diff(deps, h.Deps); diff != "" {
		t.Error(diff)
	}
	var out bytes.Buffer
	if err := axe.Write(&out, h); err != nil || out.String() != attributed {
		t.Errorf("%v\n%s", err, out.String())
	}
	for text, want := range map[string]string{
		"0: M[x] := 1 acquire":                              "f:1: thread 0 operation 0: attributes 0x1, which its kind does not have",
		"0: M[x] == 0\n0: M[x] := 1\ndep 0: 1 -> 2 pair":    "f:3: dependency 1 -> 2: no load and conditional store of one location that read the same",
		"0: M[x] == 0\n0: M[x] := 1\ndep 0: 1 -> 2 address": `f:3: want the end of the line before "address"`,
	} {
		if err := one(t, text).Err; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
