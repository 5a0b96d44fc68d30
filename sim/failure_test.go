package sim

import "testing"

// TestTitle has a failure for each form of titles.
func TestTitle(t *testing.T) {
	row := Row{Machine: "M", State: "S", Event: "E"}
	state, machine := Row{Machine: "M", State: "S"}, Row{Machine: "M"}
	for want, f := range map[string]Failure{
		"":                                                   {},
		"invalid transition (S, E) of M":                     {Kind: KindInvalidTransition, Row: row},
		"failed assertion in M.f: x == y":                    {Kind: KindAssertion, Row: machine, Function: "f", Text: "x == y", At: Place{Line: 7, Row: row}},
		"failed assertion in M":                              {Kind: KindAssertion, Row: machine, At: Place{File: "a.sm", Line: 7}},
		"failed assertion in Set.hh: n < max":                {Kind: KindAssertion, Function: "Set.hh", Text: "n < max"},
		"error in M.f: gone":                                 {Kind: KindError, Row: machine, Function: "f", Text: "gone"},
		"deadlock":                                           {Kind: KindDeadlock},
		"deadlock: M is busy in S":                           {Kind: KindDeadlock, Row: state, Text: "is busy"},
		"deadlock: M holds back a and b in S":                {Kind: KindDeadlock, Row: state, Buffer: "a and b"},
		"deadlock: a count was lost":                         {Kind: KindDeadlock, Text: "a count was lost"},
		"deadlock: a request is lost, M in S":                {Kind: KindRequestLost, Row: state},
		"deadlock: a request is lost":                        {Kind: KindRequestLost},
		"livelock: M takes (S, E)":                           {Kind: KindLivelock, Row: row},
		"functional read finds no data: M in state S":        {Kind: KindNoData, Row: state},
		"functional read finds an old value: a message of T": {Kind: KindOldData, Text: "a message of T"},
		"a core may write in S while another is in I":        {Kind: KindTwoWriters, Row: Row{State: "S"}, Text: "I"},
		"at rest M has a transaction in S":                   {Kind: KindAtRest, Row: state, Text: "has a transaction"},
		"at rest M has a locked line":                        {Kind: KindAtRest, Row: machine, Text: "has a locked line"},
		"at rest a copy in S is not the last write":          {Kind: KindOldAtRest, Row: Row{State: "S"}},
		"history forbidden by tso: RR|WW":                    {Kind: KindForbidden, Model: "tso", Shape: "RR|WW"},
		"history forbidden by tso":                           {Kind: KindForbidden, Model: "tso"},
		"stale copy after M(S,E)":                            {Kind: KindStaleCopy, Row: row, Model: "tso", Shape: "RR"},
		"stale copy in M(S)":                                 {Kind: KindStaleCopy, Row: state},
		"value lost after E in M":                            {Kind: KindValueLost, Row: Row{Machine: "M", Event: "E"}},
		"old data brought to M":                              {Kind: KindOldBrought, Row: machine},
		"overtaken data read in M(S)":                        {Kind: KindOvertaken, Row: state},
		"load not repeated after M(S,E)":                     {Kind: KindNotRepeated, Row: row},
		"atomic operation torn apart by M(S,E)":              {Kind: KindNotAtomic, Row: row},
		"atomic operation torn apart in M":                   {Kind: KindNotAtomic, Row: machine},
		"load performed before an earlier load":              {Kind: "load performed before an earlier load"},
	} {
		if got := f.Title(); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}
