package code

import "ordeal/sim/slicc/types"

// MemoryFields are the offsets in a MemoryMsg and the values that matter.
type MemoryFields struct {
	Layout                                   *Layout
	Addr, Kind, Sender, Requestor, Data, Len int
	Size                                     int // -1 if there is none
	Read, Write                              uint64
	DataSize, ControlSize                    uint64
}

// RequestFields are the offsets in a RubyRequest and the values that matter.
type RequestFields struct {
	Layout                              *Layout
	Line, Physical, Kind, Context, Size int
	Mask                                int // -1 if there is none
	Prefetch                            int // likewise
	IsPrefetch                          uint64
	Load, Store, Fetch, Flush           uint64
	Linked, Conditional                 uint64 // of linked loads and conditional stores
	Atomic                              uint64 // that returns what the word held
}

// deviceFields are the offsets in a SequencerMsg and the values that matter.
// Its layout is nil in a protocol without such messages.
type deviceFields struct {
	Layout                          *Layout
	Line, Physical, Kind, Len, Data int
	Load, Store                     uint64
}

// resolve finds them; missing names what a protocol with devices lacks.
func (f *deviceFields) resolve(p *Program, missing func(format string, args ...any)) {
	if p.Protocol.Type("SequencerMsg") == nil {
		return
	}
	kind := p.Protocol.Type("SequencerRequestType")
	f.Layout = p.Layout(p.Protocol.Type("SequencerMsg"))
	for _, v := range []struct {
		name string
		at   *int
	}{
		{"LineAddress", &f.Line}, {"PhysicalAddress", &f.Physical}, {"Type", &f.Kind}, {"Len", &f.Len}, {"DataBlk", &f.Data},
	} {
		if *v.at = f.Layout.Find(v.name); *v.at < 0 {
			missing("field %s of SequencerMsg", v.name)
		}
	}
	for _, v := range []struct {
		name string
		at   *uint64
	}{{"LD", &f.Load}, {"ST", &f.Store}} {
		if kind == nil || kind.Enum(v.name) == nil {
			missing("SequencerRequestType:%s", v.name)
			continue
		}
		*v.at = uint64(kind.Enum(v.name).Ordinal)
	}
}

// lockedKinds finds the types of requests of linked loads and conditional stores: those
// of plain loads and stores unless the protocol asks for its own (gem5 Sequencer.cc,
// makeRequest).
func (r *RequestFields) lockedKinds(kind *types.Type, o types.Options) {
	r.Linked, r.Conditional = r.Load, r.Store
	if e := kind.Enum("Load_Linked"); e != nil && o.LoadLinked {
		r.Linked = uint64(e.Ordinal)
	}
	if e := kind.Enum("Store_Conditional"); e != nil && o.StoreConditional {
		r.Conditional = uint64(e.Ordinal)
	}
}
