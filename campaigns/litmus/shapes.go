package litmus

import (
	"bytes"
	"fmt"
	"path/filepath"

	"ordeal/campaigns/run"
	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
	"ordeal/gen/shapes"
	format "ordeal/parse/formats/litmus"
)

// Shapes are the critical cycles of package shapes as litmus tests, each asking
// whether its outcome exists.
func Shapes() ([]*Test, error) {
	var tests []*Test
	for _, s := range shapes.All() {
		file := s.Name + Suffix
		text, err := ShapeText(&s)
		if err != nil {
			return nil, err
		}
		test, err := format.Parse(file, text)
		if err != nil {
			return nil, err
		}
		tests = append(tests, &Test{Test: test, File: file})
	}
	return tests, nil
}

// SaveShapes writes the shapes as files of a folder, which it makes, and
// returns how many.
func SaveShapes(dir string) (int, error) {
	dir = run.Resolve(dir)
	err := run.MkdirAll(dir)
	all := shapes.All()
	for i := 0; i < len(all) && err == nil; i++ {
		var text []byte
		if text, err = ShapeText(&all[i]); err == nil {
			err = run.WriteFile(filepath.Join(dir, all[i].Name+Suffix), text, false)
		}
	}
	return len(all), err
}

// ShapeProgram is the program of a shape.
func ShapeProgram(s *shapes.Shape) *gen.Program {
	p, _ := shapeTest(s)
	return p
}

// shapeTest is the program of a shape and the condition that closes its cycle.
func shapeTest(s *shapes.Shape) (*gen.Program, *emit.Condition) {
	p := &gen.Program{Layout: gen.Spread}
	for l := range s.Locations {
		p.Locations = append(p.Locations, gen.LocationName(gen.LocID(l)))
	}
	kinds := map[shapes.Kind]gen.OpKind{shapes.Load: gen.Load, shapes.Store: gen.Store, shapes.Exchange: gen.Exchange, shapes.Fence: gen.FullFence}
	c := &emit.Condition{Reads: make(map[emit.Read]gen.Value), Final: make(map[gen.LocID]gen.Value)}
	for t, ops := range s.Threads {
		var thread []gen.Op
		reads := 0
		for _, op := range ops {
			out := gen.Op{Kind: kinds[op.Kind], Value: gen.Value(op.Write)}
			if op.Kind != shapes.Fence {
				out.Loc = gen.LocID(op.Loc)
			}
			if out.Kind.Reads() {
				c.Reads[emit.Read{Thread: gen.ThreadID(t), Index: reads}] = gen.Value(op.Read)
				reads++
			}
			thread = append(thread, out)
		}
		p.Threads = append(p.Threads, thread)
	}
	for l, v := range s.Final {
		if v != 0 {
			c.Final[gen.LocID(l)] = gen.Value(v)
		}
	}
	return p, c
}

// ShapeText is a shape as a litmus test.
func ShapeText(s *shapes.Shape) ([]byte, error) {
	p, c := shapeTest(s)
	var text bytes.Buffer
	if err := emit.Emit(&text, s.Name, p, c); err != nil {
		return nil, fmt.Errorf("shape %s: %w", s.Name, err)
	}
	if len(c.Final) > 0 {
		return text.Bytes(), nil
	}
	// Without the list of locations the test does not ask for final memory,
	// which on hardware costs loads between rounds.
	var lean bytes.Buffer
	for line := range bytes.Lines(text.Bytes()) {
		if !bytes.HasPrefix(line, []byte("locations ")) {
			lean.Write(line)
		}
	}
	return lean.Bytes(), nil
}
