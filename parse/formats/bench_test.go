package formats_test

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"testing"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats"
)

// big is a history of n operations by 16 threads on 64 locations, in
// transactions of 4.
func big(n int) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	for x := range 64 {
		h.Locations = append(h.Locations, strconv.Itoa(x))
	}
	last := slices.Repeat([]parse.OpID{parse.Init}, 64)
	for i := range n {
		x := i * 7 % 64
		op := parse.Op{Kind: parse.Read, Loc: int32(x), RF: last[x]}
		if i%3 == 0 {
			op = parse.Op{Kind: parse.Write, Loc: int32(x), RF: parse.NoOp, Write: gen.Value(i + 1)}
			last[x] = parse.OpID(i)
		} else if op.RF >= 0 {
			op.Read = h.Ops[op.RF].Write
		}
		h.Ops = append(h.Ops, op)
		if i%4 == 3 {
			h.Transactions = append(h.Transactions, parse.Transaction{First: parse.OpID(i - 3), End: parse.OpID(i + 1)})
		}
		if (i+1)%(n/16) == 0 {
			h.Start = append(h.Start, parse.OpID(i+1))
		}
	}
	return h
}

// benchmark measures a function on a history of a million operations, and its
// text, in every format that is read line by line or in one pass.
func benchmark(b *testing.B, run func(b *testing.B, f formats.Format, h *parse.History, text string)) {
	const operations = 1_000_000
	h := big(operations)
	for _, name := range []string{"axe", "plume", "oplog", "dbcop", "dbcop-json"} {
		b.Run(name, func(b *testing.B) {
			f, _ := formats.ByName(name)
			text := write(b, f, h)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				run(b, f, h, text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/operations, "ns/operation")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	benchmark(b, func(b *testing.B, f formats.Format, h *parse.History, text string) {
		if got := read(b, f, text); got[0].Err != nil || len(got[0].History.Ops) != len(h.Ops) {
			b.Fatal(got[0].Err)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	benchmark(b, func(b *testing.B, f formats.Format, h *parse.History, _ string) {
		w, err := formats.NewWriter(f, io.Discard)
		if err := errors.Join(err, w.Write(h)); err != nil {
			b.Fatal(err)
		}
	})
}
