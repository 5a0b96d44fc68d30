package visited

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/explore/machine"
)

// insert adds those of the fingerprints that the set does not have, and
// returns how many.
func insert(s *Set, prints []machine.Fingerprint, first uint64) int {
	prints = slices.Clone(prints)
	for i := range prints {
		prints[i] = s.Truncate(prints[i])
	}
	slices.SortFunc(prints, machine.Fingerprint.Compare)
	prints = slices.Compact(prints)
	added := 0
	for from, to := 0, 0; from < len(prints); from = to {
		var fresh []machine.Fingerprint
		var numbers []uint64
		for to = from; to < len(prints) && Segment(prints[to]) == Segment(prints[from]); to++ {
			if _, ok := s.Find(prints[to]); !ok {
				fresh = append(fresh, prints[to])
				numbers = append(numbers, first+uint64(added+len(numbers)))
			}
		}
		s.Insert(fresh, numbers)
		added += len(fresh)
	}
	return added
}

// TestSet compares a set with a map: in few parts, so that they are long, and with
// fingerprints that differ in one half only.
func TestSet(t *testing.T) {
	for _, bits := range []int{64, 128} {
		for _, numbered := range []bool{false, true} {
			random := rand.New(rand.NewPCG(1, 2))
			s := New(bits, numbered)
			want := map[machine.Fingerprint]bool{}
			for range 300 {
				var prints []machine.Fingerprint
				fresh := 0
				for range random.IntN(40) {
					f := machine.Fingerprint{Hi: random.Uint64(), Lo: random.Uint64()}
					f.Hi = f.Hi&^(0xffff<<48) | random.Uint64N(3)<<48
					switch random.IntN(4) {
					case 0:
						f.Hi &^= 1<<40 - 1
					case 1:
						f.Hi, f.Lo = f.Hi&(3<<48), f.Lo%64
					}
					prints = append(prints, f)
					if f = s.Truncate(f); !want[f] {
						want[f] = true
						fresh++
					}
				}
				before := uint64(s.Len())
				if got := insert(s, prints, before); got != fresh {
					t.Fatalf("%d bits: %d of %d fingerprints were new, want %d", bits, got, len(prints), fresh)
				}
				if s.Len() != len(want) {
					t.Fatalf("%d bits: %d fingerprints, want %d", bits, s.Len(), len(want))
				}
			}
			numbers := map[uint64]bool{}
			for f := range want {
				n, ok := s.Find(f)
				if !ok {
					t.Fatalf("%d bits: %x is not in the set", bits, f)
				}
				numbers[n] = true
				other := f
				other.Hi ^= 1 << random.IntN(48)
				if _, ok := s.Find(other); ok != want[other] {
					t.Fatalf("%d bits: %x: found is %v", bits, other, ok)
				}
			}
			if numbered && len(numbers) != len(want) {
				t.Errorf("%d numbers of %d fingerprints", len(numbers), len(want))
			}
			var file bytes.Buffer
			if err := s.Save(&file); err != nil {
				t.Fatal(err)
			}
			read := New(bits, numbered)
			if err := read.Load(bytes.NewReader(file.Bytes())); err != nil {
				t.Fatal(err)
			}
			for i := range s.segments {
				if a, b := &s.segments[i], &read.segments[i]; !bytes.Equal(a.entries, b.entries) || a.starts != b.starts {
					t.Fatalf("segment %d differs after Save and Load", i)
				}
			}
			if err := New(bits, numbered).Load(bytes.NewReader(file.Bytes()[:file.Len()/2])); err == nil {
				t.Error("a set cut in half was read")
			}
		}
	}
}

// TestLoadCorrupt reads sets with a size or an order that is impossible.
func TestLoadCorrupt(t *testing.T) {
	s := New(128, false)
	insert(s, []machine.Fingerprint{{Hi: 1}, {Hi: 2}}, 0)
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct {
		at int
		to byte
	}{{0, 3}, {3, 0xff}, {4, 1}, {4*parts + 5, 3}} {
		data := bytes.Clone(file.Bytes())
		data[change.at] = change.to
		if err := New(128, false).Load(bytes.NewReader(data)); err == nil {
			t.Errorf("byte %d as %d was read", change.at, change.to)
		}
	}
}

// TestBytes holds the memory of an entry of sets of a million entries and more: 14
// bytes of 128 bits, 6 of 64, and little left over. One segment stands for all.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		bits  int
		bytes float64
	}{{128, 14.7}, {64, 6.4}} {
		s := New(c.bits, false)
		random := rand.New(rand.NewPCG(3, 4))
		for s.Len() < 1<<16 {
			prints := make([]machine.Fingerprint, 256)
			for i := range prints {
				prints[i] = machine.Fingerprint{Hi: random.Uint64() >> segmentBits, Lo: random.Uint64()}
			}
			insert(s, prints, 0)
			if got := float64(s.Bytes()) / float64(s.Len()); s.Len() >= 1<<14 && got > c.bytes {
				t.Fatalf("%d bits: %.2f bytes for an entry of %d, want at most %.1f", c.bits, got, s.Len(), c.bytes)
			}
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	s := New(128, false)
	random := rand.New(rand.NewPCG(5, 6))
	prints := make([]machine.Fingerprint, 1<<17)
	for n := 0; n < b.N; n += len(prints) {
		for i := range prints {
			prints[i] = machine.Fingerprint{Hi: random.Uint64(), Lo: random.Uint64()}
		}
		insert(s, prints, 0)
	}
	b.ReportMetric(float64(s.Bytes())/float64(s.Len()), "B/state")
}
