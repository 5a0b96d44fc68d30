package fakegem5

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// image is the file that the tester inside of gem5 maps: program.hh of scripts/gem5/extras.
type image []byte

func (m image) get(i uint64) uint64    { return binary.LittleEndian.Uint64(m[8*i:]) }
func (m image) set(i uint64, v uint64) { binary.LittleEndian.PutUint64(m[8*i:], v) }

// simulateAgents runs the programs of the tester one operation after the other. A failure comes
// in the middle of a program.
func (r *run) simulateAgents(fault string) (int, error) {
	data, err := os.ReadFile(r.args["--image"])
	if err != nil {
		return 1, err
	}
	m, at := image(data), uint64(0)
	if n, err := strconv.Atoi(r.settings["at"]); err == nil {
		at = uint64(n)
	}
	end, fails := faults[fault]
	for k := range m.get(1) {
		if fails && k == at {
			m.program(k, m.get(2)/2, false)
			break
		}
		m.program(k, m.get(2), fault == "stale")
		m.finals(k)
		m.set(13, k+1)
	}
	if err := os.WriteFile(r.args["--image"], m, 0o644); err != nil {
		return 1, err
	}
	if fails {
		return r.die(end)
	}
	cause := "ordeal: done"
	if fault == "old value" {
		cause = "ordeal: functional read finds an old value: location 0 at 0x100000 holds 1; the last write stored 2"
	}
	fmt.Fprintf(r.out, "ORDEAL exit 0 239030000 54321 %s\n", cause)
	return 0, os.WriteFile(filepath.Join(r.dir, "stats.txt"), []byte(statistics), 0o644)
}

// program runs some rounds: in each, one thread after the other. The final values in
// the file serve as memory. With stale the loads of all threads but the first read what was there at
// the start.
func (m image) program(k, rounds uint64, stale bool) {
	head := m.get(24 + k)
	threads, stride, final := m.get(head), m.get(head+2), m.get(head+3)
	for round := range rounds {
		for t := range threads {
			h := head + 5 + 6*t
			for i := range m.get(h + 3) {
				op, value := m.get(m.get(h+2)+2*i), m.get(m.get(h+2)+2*i+1)
				word := final + op>>8
				if kind := op & 255; kind <= 4 { // 1 load, 2 store, 3 exchange, 4 addition
					old := m.get(word)
					if stale && kind == 1 && t > 0 {
						old = 0
					}
					if kind != 2 {
						m.set(m.get(h+4)+m.get(h+5), old)
						m.set(h+5, m.get(h+5)+1)
					}
					switch kind {
					case 2, 3:
						m.set(word, round*stride+value)
					case 4:
						m.set(word, old+value)
					}
				}
			}
		}
	}
}

func (m image) finals(k uint64) {
	head := m.get(24 + k)
	m.set(head+4, m.get(head+1))
}
