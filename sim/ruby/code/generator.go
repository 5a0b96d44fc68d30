package code

import (
	varint "encoding/binary"
	"maps"
	"slices"
	"strings"

	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// generator compiles one machine to instructions. Every variable has a place in the
// controller that is known now, so that operands are nothing but numbers.
type generator struct {
	*Program
	code   *Machine
	faults syntax.Faults
	funcs  map[*types.Func]*Function
	result *Function     // being compiled; nil outside of functions
	port   *types.InPort // likewise
	// method is the method of a message that is being compiled; nil outside of
	// methods.
	method *method
	// readBack is a parameter by reference that is read after the function: no call
	// has it.
	readBack *types.Var

	routines  []*routine
	current   *routine       // being compiled
	actions   []*routine     // of rows
	constants map[uint64]int // places
	// states are the functions that a trigger calls, whose parameters are those of the
	// transition under way.
	states struct{ get, set, access *routine }
}

// funcCode is a compiled function. A call puts the arguments into their
// places, runs the body and finds the result in its place.
type Function struct {
	*routine
	Params []int
	Result int // of the result's shape
	shape  shape
	size   int
}

func newGenerator(p *Program, code *Machine) *generator {
	g := &generator{Program: p, code: code, funcs: map[*types.Func]*Function{}, constants: map[uint64]int{}}
	code.Words = make([]uint64, firstWord)
	code.Pointers = firstPointer
	return g
}

func (g *generator) unsupported(pos syntax.Pos, format string, args ...any) {
	g.faults.Add(pos, format, args...)
}

func (g *generator) newWords(start []uint64) int {
	at := len(g.code.Words)
	g.code.Words = append(g.code.Words, start...)
	return at
}

func (g *generator) newPointer() int {
	g.code.Pointers++
	return g.code.Pointers - 1
}

// where is the place of a variable: of its first word, or its index among the
// pointers or the parts of its kind.
func (g *generator) where(v *types.Var) int {
	switch v.Kind {
	case types.AddressVar:
		return AddressWord
	case types.TBEVar:
		return TBEPointer
	case types.EntryVar:
		return EntryPointer
	case types.InPortVar, types.OutPortVar:
		return v.Index
	}
	if at, ok := g.code.Place[v]; ok {
		return at
	}
	at := g.reserve(v)
	g.code.Place[v] = at
	if v.Kind == types.GlobalVar {
		g.code.Globals[v.Name] = at
	}
	return at
}

func (g *generator) reserve(v *types.Var) int {
	switch ShapeOf(v.Type) {
	case Pointer:
		return g.newPointer()
	case Word, Vector:
		if v.Kind == types.FieldVar {
			if g.method == nil {
				break
			}
			return g.method.copied(g, v)
		}
		if v.Type.Name == "TriggerQueue" {
			return g.part(v)
		}
		return g.newWords(g.initial(v.Pos, v.Type, g.startOf(v)))
	case handle:
		return g.part(v)
	}
	g.unsupported(v.Pos, "a variable of type %s", v.Type.Name)
	return 0
}

// startOf is what a variable starts with, as far as that depends on nothing: a
// text that names parameters or other objects is evaluated when the system is
// made.
func (g *generator) startOf(v *types.Var) types.Value {
	if v.Default.Kind != types.TextValue || v.Kind == types.LocalVar {
		return AsNumber(v.Default)
	}
	if v.Kind == types.ObjectVar {
		if _, err := constant.Evaluate(v.Default.Str, g.knows); err != nil {
			g.unsupported(v.Pos, "default %q: %v", v.Default.Str, err)
		} else {
			g.code.Computed = append(g.code.Computed, v)
		}
	}
	return types.Value{}
}

// knows says that a text may name a parameter or an object.
func (g *generator) knows(name string) (int64, bool) {
	m := g.code.Decl
	_, known := DefaultParameters[name]
	return 1, known || name == preset.TBEs || slices.ContainsFunc(m.Params, Named(name)) || slices.ContainsFunc(m.Objects, Named(name))
}

// CapacityOf evaluates the constructor of a TBETable or TBEStorage.
func CapacityOf(v *types.Var, value func(string) (int64, bool)) (int64, error) {
	text, ok := v.Attrs.Get("constructor")
	if !ok {
		text = "m_" + preset.TBEs
	}
	return constant.Evaluate(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "this,")), value)
}

func (g *generator) checkCapacity(v *types.Var) {
	if _, err := CapacityOf(v, g.knows); err != nil {
		g.unsupported(v.Pos, "the constructor of %s: %v", v.Name, err)
	}
}

// part adds a part of the machine to the list of its kind.
func (g *generator) part(v *types.Var) int {
	add := func(list *[]*types.Var) int {
		*list = append(*list, v)
		return len(*list) - 1
	}
	switch v.Type.Name {
	case "CacheMemory":
		return add(&g.code.Caches)
	case "TBETable":
		if g.code.Decl.TBE == nil {
			g.unsupported(v.Pos, "a TBETable without TBEs")
			return 0
		}
		g.Layout(g.code.Decl.TBE)
		g.checkCapacity(v)
		return add(&g.code.Tables)
	case "DirectoryMemory", "PerfectCacheMemory": // entries for any line, both
		return add(&g.code.Directories)
	case "TimerTable":
		return add(&g.code.Timers)
	case "Sequencer", "HTMSequencer":
		return add(&g.code.sequencers)
	case "TBEStorage":
		g.checkCapacity(v)
		return add(&g.code.Storages)
	case "TriggerQueue":
		if g.ElementOf(g.code, v) == nil {
			g.unsupported(v.Pos, "a TriggerQueue whose template names no type")
			return 0
		}
		return add(&g.code.Lists)
	case "PersistentTable":
		return add(&g.code.Persistents)
	case "DMASequencer":
		return add(&g.code.DeviceSequencers)
	case "MessageBuffer":
		return add(&g.code.Buffers)
	}
	return 0 // has no effect
}

// AsNumber makes a parameter's default a number: truth values are written as
// strings there, as Python has them.
func AsNumber(v types.Value) types.Value {
	if v.Kind == types.StringValue && strings.EqualFold(v.Str, "true") {
		v.Int = 1
	}
	return v
}

func (g *generator) compileMachine() {
	m, code := g.code.Decl, g.code
	for _, v := range m.Params {
		g.where(v)
	}
	for _, v := range m.Objects {
		g.where(v)
	}
	for _, v := range g.Protocol.Objects {
		g.where(v)
	}
	g.checkBuffers()
	code.GetState = g.stateFunc(m.GetState)
	if m.GetNextState != nil {
		code.GetNextState = g.stateFunc(m.GetNextState)
	}
	g.states.get, g.states.set, g.states.access = g.ofTransition(m.GetState), g.ofTransition(m.SetState), g.ofTransition(m.SetAccessPermission)
	if len(m.InPorts) > maxPorts {
		g.unsupported(m.InPorts[maxPorts].Var.Pos, "in_ports of a machine beyond the first %d", maxPorts)
		return
	}
	for _, p := range m.InPorts {
		g.port = p
		body, test := p.Body, guard(p)
		if test != nil {
			body = test.Then
		}
		code.Ports = append(code.Ports, Port{Rank: p.Rank, routine: g.routine(func() { g.block(body) }), Guarded: test != nil})
		code.Ranks = max(code.Ranks, p.Rank+1)
	}
	g.port = nil
	actions := make([]*routine, len(m.Actions))
	for i, a := range m.Actions {
		if a.Used && a.Name != types.StallAction {
			actions[i] = g.routine(func() { g.block(a.Body) })
		}
	}
	code.States, code.Events = len(m.State.Enums), len(m.Event.Enums)
	code.Rows = make([]TransitionRow, code.States*code.Events)
	g.actions = make([]*routine, len(code.Rows))
	sequences := map[string]*routine{}
	for _, t := range m.Transitions {
		at := t.State*code.Events + t.Event
		r := TransitionRow{Transition: t, conditions: &conditions{}}
		if !t.Stall {
			g.actions[at] = g.sequence(t.Actions, actions, sequences)
		}
		for _, d := range t.Demands {
			switch d.Resource.Type.Name {
			case "TBETable":
				r.Demands = append(r.Demands, Demand{Table: g.where(d.Resource), N: d.Slots})
			case "TBEStorage":
				r.Demands = append(r.Demands, Demand{Table: g.where(d.Resource), N: d.Slots, Storage: true})
			case "OutPort":
				r.Sends = append(r.Sends, Demand{Table: d.Resource.Index, N: d.Slots})
			}
		}
		r.Checks = g.resourceChecks(t)
		code.Rows[at] = r
	}
}

// sequence is the routine of the actions of a transition, one for all with the same.
func (g *generator) sequence(list []*types.Action, actions []*routine, known map[string]*routine) *routine {
	if len(list) == 1 {
		return actions[list[0].Index]
	}
	var key []byte
	for _, a := range list {
		key = varint.AppendUvarint(key, uint64(a.Index))
	}
	r := known[string(key)]
	if r == nil {
		r = g.routine(func() {
			for _, a := range list {
				if r := actions[a.Index]; len(r.text) > inlined || slices.ContainsFunc(r.text, func(in Instruction) bool { return in.Op == OpCall }) {
					g.emit(a.Pos, Instruction{Op: OpCall, A: uint32(r.index)}) // by which a fault finds the action
				} else {
					g.callRoutine(r)
				}
			}
		})
		known[string(key)] = r
	}
	return r
}

// maxPorts bounds the in_ports of a machine, sets of which are the bits of one word.
const maxPorts = 64

// checkBuffers demands the buffers without which the machine cannot work.
func (g *generator) checkBuffers() {
	m := g.code.Decl
	for _, p := range m.InPorts {
		if IsTimer(p) {
			continue
		}
		if p.Buffer.Type.Name != "MessageBuffer" {
			g.unsupported(p.Var.Pos, "an in_port on a %s", p.Buffer.Type)
		} else if !g.fed(p.Buffer) {
			g.unsupported(p.Var.Pos, "an in_port on buffer %s, which neither the network nor machine %s itself feeds",
				p.Buffer.Name, m.Name)
		}
	}
	for _, p := range m.OutPorts {
		if p.Buffer.Type.Name != "MessageBuffer" {
			g.unsupported(p.Var.Pos, "an out_port on a %s", p.Buffer.Type)
		}
	}
	if len(g.code.DeviceSequencers) > 0 && g.Device.Layout == nil {
		g.unsupported(m.Pos, "a machine with a DMASequencer in a protocol without SequencerMsg")
	}
	if (g.code.Cores > 0 || len(g.code.DeviceSequencers) > 0) && !g.hasBuffer(MandatoryQueue) {
		g.unsupported(m.Pos, "a machine with a Sequencer and no buffer %s", MandatoryQueue)
	}
	if g.code.Home && !((g.hasBuffer(MemoryRequests) || g.queuesMemory()) && g.hasBuffer(MemoryAnswers)) {
		g.unsupported(m.Pos, "a machine with a DirectoryMemory and no buffers %s and %s", MemoryRequests, MemoryAnswers)
	}
}

func (g *generator) fed(buffer *types.Var) bool {
	if buffer.Network != nil || g.joined(buffer) || buffer.Name == MandatoryQueue || buffer.Name == MemoryAnswers || buffer.Name == MemoryRequests {
		return true
	}
	if buffer.Name == PrefetchQueue { // fed by prefetchers, if there were any
		return true
	}
	return slices.ContainsFunc(g.code.Decl.OutPorts, func(p *types.OutPort) bool { return p.Buffer == buffer })
}

// joined reports whether another machine puts messages into a buffer.
func (g *generator) joined(buffer *types.Var) bool {
	return slices.ContainsFunc(g.Codes, func(other *Machine) bool {
		return slices.ContainsFunc(joins(g.code.Decl, other.Decl), func(j joint) bool { return j.from == buffer })
	})
}

// The names of the buffers between a controller and its cores and memory.
const (
	MandatoryQueue = "mandatoryQueue"
	MemoryRequests = "requestToMemory"
	MemoryAnswers  = "responseFromMemory"
	PrefetchQueue  = "prefetchQueue"
)

func (g *generator) hasBuffer(name string) bool {
	return slices.ContainsFunc(g.code.Buffers, func(v *types.Var) bool { return v.Name == name })
}

// guard is the test of a port's body that does nothing unless the port is ready; nil
// of any other body.
func guard(p *types.InPort) *types.If {
	if len(p.Body) != 1 || IsTimer(p) {
		return nil
	}
	s, ok := p.Body[0].(*types.If)
	if !ok || len(s.Else) > 0 {
		return nil
	}
	call, ok := s.Cond.(*types.Call)
	if !ok || call.Func.Builtin == nil || call.Func.Builtin.Key != "InPort.isReady(Tick)" {
		return nil
	}
	if use, ok := call.X.(*types.Use); !ok || use.Var != p.Var {
		return nil
	}
	return s
}

// ofTransition compiles a function that every machine has for the transition under
// way: its parameters are at the places of that.
func (g *generator) ofTransition(f *types.Func) *routine {
	outer := maps.Clone(g.code.Place)
	for _, p := range f.Params {
		at := NextWord
		switch {
		case p.Type.IsTBE():
			at = TBEPointer
		case p.Type.IsEntry():
			at = EntryPointer
		case p.Type.Name == "Addr":
			at = AddressWord
		}
		g.code.Place[p] = at
	}
	result := g.result
	g.result = &Function{Result: StateWord}
	r := g.routine(func() { g.block(f.Body) })
	g.result = result
	for _, p := range f.Params {
		delete(g.code.Place, p)
		if at, ok := outer[p]; ok {
			g.code.Place[p] = at
		}
	}
	return r
}

// StateFunc compiles a function that every machine has.
func (g *generator) stateFunc(f *types.Func) *StateFunc {
	code := g.function(f)
	s := &StateFunc{routine: code.routine, TBE: scratchPointer, Cached: scratchPointer, Line: scratchWord, State: scratchWord, Result: scratchWord}
	if code.shape == Word {
		s.Result = code.Result
	}
	for i, p := range f.Params {
		at := code.Params[i]
		switch {
		case p.Type.IsTBE():
			s.TBE = at
		case p.Type.IsEntry():
			s.Cached = at
		case p.Type.Name == "Addr":
			s.Line = at
		default:
			s.State = at
		}
	}
	return s
}

func (g *generator) function(f *types.Func) *Function {
	if code := g.funcs[f]; code != nil {
		return code
	}
	code := &Function{routine: g.newRoutine(), shape: ShapeOf(f.Result), size: g.Size(f.Result)}
	g.funcs[f] = code
	for _, p := range f.Params {
		if s := ShapeOf(p.Type); p.ByRef && p != g.readBack && s != Pointer && s != handle {
			g.unsupported(p.Pos, "a parameter by reference")
		}
		code.Params = append(code.Params, g.where(p))
	}
	switch code.shape {
	case Word, Vector:
		code.Result = g.newWords(make([]uint64, code.size))
	case Pointer:
		code.Result = g.newPointer()
	case noValue:
	default:
		g.unsupported(f.Pos, "a function with result %s", f.Result)
	}
	outer := g.result
	g.result = code
	code.routine.compile(g, func() { g.block(f.Body) })
	g.result = outer
	return code
}
