package parse_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// TestReadLogged reads the values of a log as they were written, those of
// store-conditionals too, and refuses logs that are not whole.
func TestReadLogged(t *testing.T) {
	p, err := gen.Parse("t", []byte("ordeal-program 1\nisa riscv64\nlayout spread\nlocations x y\n"+
		"thread 0\nload-linked x\nstore-conditional x 1\nthread 1\nstore y 2\nload x\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := wire.NewWriter(p, 2)
	first := w.AppendThread(nil, 0, []gen.Value{0, 0, 1, 1})
	whole := w.AppendThread(slices.Clone(first), 1, []gen.Value{1, 1})
	values := func(words wire.Words) (list []gen.Value) {
		for i := range words.Len() {
			list = append(list, words.At(i))
		}
		return list
	}
	for _, final := range [][]gen.Value{nil, {1, 5}} {
		log := slices.Clone(whole)
		if final != nil {
			log = w.AppendFinal(log, final)
		}
		got, err := parse.ReadLogged(p, 2, log)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(values(got.Reads[0]), []gen.Value{0, 0, 1, 1}) || !slices.Equal(values(got.Reads[1]), []gen.Value{1, 1}) || !slices.Equal(values(got.Final), final) || got.Final == nil != (final == nil) {
			t.Errorf("read %v, %v, final %v", values(got.Reads[0]), values(got.Reads[1]), got.Final)
		}
	}
	for _, row := range []struct {
		log  []byte
		want string
	}{
		{first, "thread 1: 0 values: want 2"},
		{w.AppendThread(slices.Clone(first), 1, []gen.Value{1}), "thread 1: 1 values: want 2"},
		{w.AppendFinal(slices.Clone(whole), []gen.Value{1}), "final values: 1 values of 2 locations"},
		{append(slices.Clone(whole), 1, 2, 3), "3 bytes after the last frame"},
	} {
		if _, err := parse.ReadLogged(p, 2, row.log); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("error %v, want %s", err, row.want)
		}
	}
	if _, err := parse.ReadLogged(p, 2, whole[:len(whole)-8]); !errors.Is(err, parse.ErrPartial) {
		t.Errorf("error %v, want that the log is partial", err)
	}
}
