package elf

import (
	"cmp"
	"slices"
)

// Place is what the code from an address on belongs to, up to the next place.
type Place struct {
	// Address is that of the first instruction.
	Address int64
	// Symbol names the code as the executable's symbol table does.
	Symbol string
	// Program is the number in the batch, Thread that of the thread, Op the
	// index of the operation in it, or Outside or EndOfRound. Program and
	// Thread are -1 where Op is Outside.
	Program, Thread, Op int
	_                   struct{}
}

// LocationsAt is the address of location 0 of the first program of an executable;
// the others lie at gen.Program.Offset from it.
const LocationsAt = dataBase

// The values of Place.Op besides indices of operations.
const (
	// Outside is code that belongs to no round: barriers, the log, the start.
	Outside = -1
	// EndOfRound is the code after the last operation of a round. Its first
	// instruction increments the number of rounds that are complete.
	EndOfRound = -2
)

// place records that code of thread t of the current program begins here.
func (e *emitter) place(t, op int) {
	e.places = append(e.places, Place{Address: e.here(), Program: e.k, Thread: t, Op: op})
}

// here is the address of the next instruction.
func (e *emitter) here() int64 { return imageBase + headerBytes + int64(len(e.Bytes())) }

// placesOf are the places of all code, in the order of their addresses.
func (e *emitter) placesOf() []Place {
	all := slices.Clone(e.places)
	for _, s := range e.Names() {
		all = append(all, Place{Address: imageBase + headerBytes + int64(s.Offset), Symbol: s.Name, Program: -1, Thread: -1, Op: Outside})
	}
	slices.SortStableFunc(all, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Thread, b.Thread)) // an operation that begins at a symbol comes last
	})
	symbol := ""
	for i := range all {
		if all[i].Symbol != "" {
			symbol = all[i].Symbol
		}
		all[i].Symbol = symbol
	}
	return all
}

// PlaceOf returns the place that an address of code belongs to; false where it
// lies before the first.
func (i *Image) PlaceOf(address int64) (Place, bool) {
	at, found := slices.BinarySearchFunc(i.Places, address, func(p Place, address int64) int { return cmp.Compare(p.Address, address) })
	if !found {
		at--
	}
	if at < 0 {
		return Place{}, false
	}
	for at+1 < len(i.Places) && i.Places[at+1].Address == i.Places[at].Address {
		at++ // code of no bytes
	}
	return i.Places[at], true
}

// Code returns up to n bytes of the executable's code from an address on, none
// outside it.
func (i *Image) Code(address int64, n int) []byte {
	if address < imageBase+headerBytes || address >= i.codeEnd {
		return nil
	}
	return i.File[address-imageBase : min(address+int64(n), i.codeEnd)-imageBase]
}
