// Package description describes the machine around a protocol: how many controllers of each type
// there are, and what each has of its own. What a description leaves out is as the presets say.
package description

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// System is a described machine, as a file in YAML has it.
type System struct {
	Machines []Machine `yaml:"machines" json:"machines,omitempty" help:"machines of the protocol; one that is left out is as without a description"`
	Networks []Network `yaml:"networks" json:"networks,omitempty" help:"virtual networks"`
	File     string    `yaml:"-" json:"file"`
	// Gem5 means that gem5 wrote the description, of a whole machine: names of machines may begin
	// with the protocol's, and parameters and caches that the protocol has not are ignored.
	Gem5 bool `yaml:"-" json:"gem5,omitempty"`
}

// Machine is a machine of the protocol, or one of its roles.
type Machine struct {
	Name string `yaml:"name" json:"name" schema:"required" help:"name of the machine or, of one that is several things, as Cache of CHI, of the role"`
	// Count is nil for as many as without a description, or as Instances.
	Count *int `yaml:"count" json:"count,omitempty" schema:"min=0,max=64" help:"number of its controllers"`
	// What all instances have.
	Parameters []string   `yaml:"parameters" json:"parameters,omitempty" help:"parameters of each controller, as NAME=3"`
	Caches     []string   `yaml:"caches" json:"caches,omitempty" help:"sizes of caches of each controller, as NAME=SETSxWAYS"`
	Instances  []Instance `yaml:"instances" json:"instances,omitempty" help:"the controllers one by one, with what each has of its own"`
	At         string     `yaml:"-" json:"at"` // FILE:LINE
}

// Instance is one controller.
type Instance struct {
	Parameters []string `yaml:"parameters" json:"parameters,omitempty" help:"parameters, as NAME=3"`
	Caches     []string `yaml:"caches" json:"caches,omitempty" help:"sizes of caches, as NAME=SETSxWAYS"`
	Cluster    int      `yaml:"cluster" json:"cluster,omitempty" schema:"min=0,max=63" help:"number of its cluster, as clusterID"`
	// Cores is nil for the first cores that no other controller names.
	Cores  []int    `yaml:"cores" json:"cores" schema:"min=0,max=63" help:"numbers of the cores at its sequencers"`
	Ranges []string `yaml:"ranges" json:"ranges,omitempty" help:"addresses that it owns, as START:END or START:END:MATCH:MASK"`
	At     string   `yaml:"-" json:"at"`
}

// Network is a virtual network.
type Network struct {
	Number  int    `yaml:"number" json:"number" schema:"min=0,max=63" help:"number of the virtual network"`
	Ordered *bool  `yaml:"ordered" json:"ordered,omitempty" help:"whether it keeps the order of messages from one controller to another"`
	Latency int64  `yaml:"latency" json:"latency,omitempty" schema:"min=0,max=1048576" help:"least latency of its messages, in ticks"`
	Jitter  int64  `yaml:"jitter" json:"jitter,omitempty" schema:"min=0,max=1048576" help:"spread of that latency; needs latency"`
	At      string `yaml:"-" json:"at"`
}

// Range is gem5's AddrRange: of the addresses from Start to before End those of which bit i of
// Match is the parity of the bits in Masks[i].
type Range struct {
	Start, End, Match uint64
	Masks             []uint64
}

// maxMasks bounds the bits that interleave a range, maxBits those of all ranges of a type.
const (
	maxMasks = 10
	maxBits  = 14
)

// ParseRange reads START:END or START:END:MATCH:MASK:…, as gem5 writes a range.
func ParseRange(text string) (Range, error) {
	var n []uint64
	for part := range strings.SplitSeq(text, ":") {
		v, err := strconv.ParseUint(strings.TrimSpace(part), 0, 64)
		if err != nil {
			n = nil
			break
		}
		n = append(n, v)
	}
	switch {
	case len(n) < 2 || len(n) == 3 || len(n) > 3+maxMasks:
		return Range{}, fmt.Errorf("range %q: want START:END or START:END:MATCH:MASK, with at most %d masks", text, maxMasks)
	case n[0] >= n[1]:
		return Range{}, fmt.Errorf("range %q is empty: it ends at %#x", text, n[1])
	case len(n) == 2:
		return Range{Start: n[0], End: n[1]}, nil
	case n[2]>>(len(n)-3) != 0:
		return Range{}, fmt.Errorf("range %q is empty: %d masks do not give %d", text, len(n)-3, n[2])
	}
	return Range{n[0], n[1], n[2], n[3:]}, nil
}

// String is the form that ParseRange reads.
func (r Range) String() string {
	text := fmt.Sprintf("%d:%d", r.Start, r.End)
	for i, mask := range r.Masks {
		if i == 0 {
			text += fmt.Sprintf(":%d", r.Match)
		}
		text += fmt.Sprintf(":%d", mask)
	}
	return text
}

// Contains reports whether an address is in the range.
func (r *Range) Contains(addr uint64) bool {
	if addr < r.Start || addr >= r.End {
		return false
	}
	for i, mask := range r.Masks {
		if uint64(bits.OnesCount64(addr&mask)&1) != r.Match>>i&1 {
			return false
		}
	}
	return true
}

// Owned checks that each address has at most one owner and that those from one to before another have
// one, of the controllers with these ranges: the addresses at bounds of ranges, and those that differ
// from them in the bits that interleave.
func Owned(owners [][]Range, from, to uint64) error {
	bounds, mixed := []uint64{from}, uint64(0)
	for _, list := range owners {
		for _, r := range list {
			bounds = append(bounds, r.Start, r.End)
			for _, mask := range r.Masks {
				mixed |= mask & -mask
			}
		}
	}
	if bits.OnesCount64(mixed) > maxBits {
		return fmt.Errorf("ranges are interleaved by more than %d bits", maxBits)
	}
	slices.Sort(bounds)
	for _, bound := range slices.Compact(bounds) {
		for set := uint64(0); ; set = (set - mixed) & mixed { // all subsets of the bits
			addr, at := bound&^mixed|set, []string{}
			for i, list := range owners {
				if Owner([][]Range{list}, addr) == 0 {
					at = append(at, fmt.Sprint(i))
				}
			}
			switch {
			case len(at) > 1:
				return fmt.Errorf("address %#x has %d owners, %s: want one", addr, len(at), strings.Join(at, " and "))
			case len(at) == 0 && addr >= from && addr < to:
				return fmt.Errorf("address %#x, where programs have their memory, is in no range", addr)
			}
			if set == mixed {
				break
			}
		}
	}
	return nil
}

// Owner is the first controller with a range that an address is in; -1 for none.
func Owner(owners [][]Range, addr uint64) int {
	return slices.IndexFunc(owners, func(list []Range) bool {
		return slices.ContainsFunc(list, func(r Range) bool { return r.Contains(addr) })
	})
}
