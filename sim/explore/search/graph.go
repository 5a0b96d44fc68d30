package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Graph is the states of a search by their numbers, with all their steps.
type Graph struct {
	// Starts are where the edges of each state begin in Targets and Classes;
	// the last is their number.
	Starts  []uint64
	Targets []uint32
	Classes []uint16 // of fairness: machine.Expansion.Classes
	Waiting []uint64 // by state: machine.Expansion.Waiting
}

// MaxGraph bounds the states of a graph: a search that keeps it ends there, at the end of a
// round, whose states still have numbers of 32 bits.
const MaxGraph = 1 << 31

// add adds the states of a round.
func (g *Graph) add(round []*block) {
	if len(g.Starts) == 0 {
		g.Starts = append(g.Starts, 0)
	}
	for _, b := range round {
		g.Waiting = append(g.Waiting, b.waiting...)
		g.Classes = append(g.Classes, b.classes...)
		k := 0
		for i := range b.states {
			for k < len(b.parents) && int(b.parents[k]) == i {
				g.Targets = append(g.Targets, uint32(b.targets[k]))
				k++
			}
			g.Starts = append(g.Starts, uint64(len(g.Targets)))
		}
	}
}

func (g *Graph) bytes() int64 {
	return int64(8*cap(g.Starts) + 4*cap(g.Targets) + 2*cap(g.Classes) + 8*cap(g.Waiting))
}

// graphItems is how many items of a graph are written or read at a time.
const graphItems = 1 << 14

// save writes the graph of the states that were expanded.
func (g *Graph) save(w io.Writer) error {
	if len(g.Starts) == 0 {
		return nil
	}
	for _, err := range []error{
		saveItems(w, g.Starts), saveItems(w, g.Targets), saveItems(w, g.Classes), saveItems(w, g.Waiting),
	} {
		if err != nil {
			return fmt.Errorf("write the graph: %w", err)
		}
	}
	return nil
}

// load reads the graph of the states that were expanded, whose steps lead to states
// that were visited.
func (g *Graph) load(r io.Reader, expanded, visited uint64) (err error) {
	if expanded == 0 {
		return nil
	}
	if g.Starts, err = loadItems[uint64](r, expanded+1); err != nil {
		return err
	}
	if g.Starts[0] != 0 || !slices.IsSorted(g.Starts) {
		return errors.New("the steps of the states are out of order")
	}
	edges := g.Starts[expanded]
	if g.Targets, err = loadItems[uint32](r, edges); err != nil {
		return err
	}
	for _, t := range g.Targets {
		if uint64(t) >= visited {
			return fmt.Errorf("a step leads to state %d of %d", t, visited)
		}
	}
	if g.Classes, err = loadItems[uint16](r, edges); err != nil {
		return err
	}
	g.Waiting, err = loadItems[uint64](r, expanded)
	return err
}

type item interface{ uint16 | uint32 | uint64 }

func saveItems[T item](w io.Writer, list []T) error {
	for part := range slices.Chunk(list, graphItems) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// loadItems reads n items as they come: a corrupt number does not take memory.
func loadItems[T item](r io.Reader, n uint64) ([]T, error) {
	var list []T
	part := make([]T, graphItems)
	for left := n; left > 0; {
		part = part[:min(left, graphItems)]
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return nil, err
		}
		list = append(list, part...)
		left -= uint64(len(part))
	}
	return list, nil
}
