package ruby

import (
	varint "encoding/binary"
	"maps"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// generator compiles one machine to instructions. Every variable has a place in the
// controller that is known now, so that operands are nothing but numbers.
type generator struct {
	*program
	code   *machineCode
	faults syntax.Faults
	funcs  map[*types.Func]*funcCode
	result *funcCode     // being compiled; nil outside of functions
	port   *types.InPort // likewise
	// method is the method of a message that is being compiled; nil outside of
	// methods.
	method *method
	// readBack is a parameter by reference that is read after the function: no call
	// has it.
	readBack *types.Var

	routines  []*routine
	current   *routine       // being compiled
	constants map[uint64]int // places
	// states are the functions that a trigger calls, whose parameters are those of the
	// transition under way.
	states struct{ get, set, access *routine }
}

// funcCode is a compiled function. A call puts the arguments into their
// places, runs the body and finds the result in its place.
type funcCode struct {
	*routine
	params []int
	result int // of the result's shape
	shape  shape
	size   int
}

func newGenerator(p *program, code *machineCode) *generator {
	g := &generator{program: p, code: code, funcs: map[*types.Func]*funcCode{}, constants: map[uint64]int{}}
	code.words = make([]uint64, firstWord)
	code.pointers = firstPointer
	return g
}

func (g *generator) unsupported(pos syntax.Pos, format string, args ...any) {
	g.faults.Add(pos, format, args...)
}

func (g *generator) newWords(start []uint64) int {
	at := len(g.code.words)
	g.code.words = append(g.code.words, start...)
	return at
}

func (g *generator) newPointer() int {
	g.code.pointers++
	return g.code.pointers - 1
}

// where is the place of a variable: of its first word, or its index among the
// pointers or the parts of its kind.
func (g *generator) where(v *types.Var) int {
	switch v.Kind {
	case types.AddressVar:
		return addressWord
	case types.TBEVar:
		return tbePointer
	case types.EntryVar:
		return entryPointer
	case types.InPortVar, types.OutPortVar:
		return v.Index
	}
	if at, ok := g.code.place[v]; ok {
		return at
	}
	at := g.reserve(v)
	g.code.place[v] = at
	if v.Kind == types.GlobalVar {
		g.code.globals[v.Name] = at
	}
	return at
}

func (g *generator) reserve(v *types.Var) int {
	switch shapeOf(v.Type) {
	case pointer:
		return g.newPointer()
	case word, vector:
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
		return asNumber(v.Default)
	}
	if v.Kind == types.ObjectVar {
		if _, err := constant.Evaluate(v.Default.Str, g.knows); err != nil {
			g.unsupported(v.Pos, "default %q: %v", v.Default.Str, err)
		} else {
			g.code.computed = append(g.code.computed, v)
		}
	}
	return types.Value{}
}

// knows says that a text may name a parameter or an object.
func (g *generator) knows(name string) (int64, bool) {
	m := g.code.machine
	_, known := others[name]
	return 1, known || name == preset.TBEs || slices.ContainsFunc(m.Params, named(name)) || slices.ContainsFunc(m.Objects, named(name))
}

// capacityOf evaluates the constructor of a TBETable or TBEStorage.
func capacityOf(v *types.Var, value func(string) (int64, bool)) (int64, error) {
	text, ok := v.Attrs.Get("constructor")
	if !ok {
		text = "m_" + preset.TBEs
	}
	return constant.Evaluate(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "this,")), value)
}

func (g *generator) checkCapacity(v *types.Var) {
	if _, err := capacityOf(v, g.knows); err != nil {
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
		return add(&g.code.caches)
	case "TBETable":
		if g.code.machine.TBE == nil {
			g.unsupported(v.Pos, "a TBETable without TBEs")
			return 0
		}
		g.layout(g.code.machine.TBE)
		g.checkCapacity(v)
		return add(&g.code.tables)
	case "DirectoryMemory", "PerfectCacheMemory": // entries for any line, both
		return add(&g.code.directories)
	case "TimerTable":
		return add(&g.code.timers)
	case "Sequencer", "HTMSequencer":
		return add(&g.code.sequencers)
	case "TBEStorage":
		g.checkCapacity(v)
		return add(&g.code.storages)
	case "TriggerQueue":
		if g.elementOf(g.code, v) == nil {
			g.unsupported(v.Pos, "a TriggerQueue whose template names no type")
			return 0
		}
		return add(&g.code.lists)
	case "PersistentTable":
		return add(&g.code.persistents)
	case "DMASequencer":
		return add(&g.code.deviceSequencers)
	case "MessageBuffer":
		return add(&g.code.buffers)
	}
	return 0 // has no effect
}

// asNumber makes a parameter's default a number: truth values are written as
// strings there, as Python has them.
func asNumber(v types.Value) types.Value {
	if v.Kind == types.StringValue && strings.EqualFold(v.Str, "true") {
		v.Int = 1
	}
	return v
}

func (g *generator) compileMachine() {
	m, code := g.code.machine, g.code
	for _, v := range m.Params {
		g.where(v)
	}
	for _, v := range m.Objects {
		g.where(v)
	}
	for _, v := range g.protocol.Objects {
		g.where(v)
	}
	g.checkBuffers()
	code.getState = g.stateFunc(m.GetState)
	if m.GetNextState != nil {
		code.getNextState = g.stateFunc(m.GetNextState)
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
		code.ports = append(code.ports, portCode{rank: p.Rank, routine: g.routine(func() { g.block(body) }), guarded: test != nil})
		code.ranks = max(code.ranks, p.Rank+1)
	}
	g.port = nil
	actions := make([]*routine, len(m.Actions))
	for i, a := range m.Actions {
		if a.Used && a.Name != types.StallAction {
			actions[i] = g.routine(func() { g.block(a.Body) })
		}
	}
	code.states, code.events = len(m.State.Enums), len(m.Event.Enums)
	code.rows = make([]row, code.states*code.events)
	sequences := map[string]*routine{}
	for _, t := range m.Transitions {
		r := &code.rows[t.State*code.events+t.Event]
		r.transition = t
		if !t.Stall {
			r.actions = g.sequence(t.Actions, actions, sequences)
		}
		for _, d := range t.Demands {
			switch d.Resource.Type.Name {
			case "TBETable":
				r.demands = append(r.demands, demand{table: g.where(d.Resource), n: d.Slots})
			case "TBEStorage":
				r.demands = append(r.demands, demand{table: g.where(d.Resource), n: d.Slots, storage: true})
			case "OutPort":
				r.sends = append(r.sends, demand{table: d.Resource.Index, n: d.Slots})
			}
		}
		r.asks = g.asks(t)
	}
	for i := range code.rows {
		if code.rows[i].transition != nil {
			state, event := m.State.Enums[i/code.events].Name, m.Event.Enums[i%code.events].Name
			code.listed = append(code.listed, listed{i, sim.Transition{Row: sim.Row{Machine: m.Name, State: state, Event: event}}})
		}
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
				g.callRoutine(actions[a.Index])
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
	m := g.code.machine
	for _, p := range m.InPorts {
		if isTimer(p) {
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
	if len(g.code.deviceSequencers) > 0 && g.device.layout == nil {
		g.unsupported(m.Pos, "a machine with a DMASequencer in a protocol without SequencerMsg")
	}
	if (g.code.cores > 0 || len(g.code.deviceSequencers) > 0) && !g.hasBuffer(mandatoryQueue) {
		g.unsupported(m.Pos, "a machine with a Sequencer and no buffer %s", mandatoryQueue)
	}
	if g.code.home && !((g.hasBuffer(memoryRequests) || g.queuesMemory()) && g.hasBuffer(memoryAnswers)) {
		g.unsupported(m.Pos, "a machine with a DirectoryMemory and no buffers %s and %s", memoryRequests, memoryAnswers)
	}
}

func (g *generator) fed(buffer *types.Var) bool {
	if buffer.Network != nil || g.joined(buffer) || buffer.Name == mandatoryQueue || buffer.Name == memoryAnswers || buffer.Name == memoryRequests {
		return true
	}
	if buffer.Name == prefetchQueue { // fed by prefetchers, if there were any
		return true
	}
	return slices.ContainsFunc(g.code.machine.OutPorts, func(p *types.OutPort) bool { return p.Buffer == buffer })
}

// joined reports whether another machine puts messages into a buffer.
func (g *generator) joined(buffer *types.Var) bool {
	return slices.ContainsFunc(g.codes, func(other *machineCode) bool {
		return slices.ContainsFunc(joins(g.code.machine, other.machine), func(j joint) bool { return j.from == buffer })
	})
}

// The names of the buffers between a controller and its cores and memory.
const (
	mandatoryQueue = "mandatoryQueue"
	memoryRequests = "requestToMemory"
	memoryAnswers  = "responseFromMemory"
	prefetchQueue  = "prefetchQueue"
)

func (g *generator) hasBuffer(name string) bool {
	return slices.ContainsFunc(g.code.buffers, func(v *types.Var) bool { return v.Name == name })
}

// guard is the test of a port's body that does nothing unless the port is ready; nil
// of any other body.
func guard(p *types.InPort) *types.If {
	if len(p.Body) != 1 || isTimer(p) {
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
	outer := maps.Clone(g.code.place)
	for _, p := range f.Params {
		at := nextWord
		switch {
		case p.Type.IsTBE():
			at = tbePointer
		case p.Type.IsEntry():
			at = entryPointer
		case p.Type.Name == "Addr":
			at = addressWord
		}
		g.code.place[p] = at
	}
	result := g.result
	g.result = &funcCode{result: stateWord}
	r := g.routine(func() { g.block(f.Body) })
	g.result = result
	for _, p := range f.Params {
		delete(g.code.place, p)
		if at, ok := outer[p]; ok {
			g.code.place[p] = at
		}
	}
	return r
}

// stateFunc compiles a function that every machine has.
func (g *generator) stateFunc(f *types.Func) *stateFunc {
	code := g.function(f)
	s := &stateFunc{routine: code.routine, tbe: scratchPointer, cached: scratchPointer, line: scratchWord, state: scratchWord, result: scratchWord}
	if code.shape == word {
		s.result = code.result
	}
	for i, p := range f.Params {
		at := code.params[i]
		switch {
		case p.Type.IsTBE():
			s.tbe = at
		case p.Type.IsEntry():
			s.cached = at
		case p.Type.Name == "Addr":
			s.line = at
		default:
			s.state = at
		}
	}
	return s
}

func (g *generator) function(f *types.Func) *funcCode {
	if code := g.funcs[f]; code != nil {
		return code
	}
	code := &funcCode{routine: g.newRoutine(), shape: shapeOf(f.Result), size: g.size(f.Result)}
	g.funcs[f] = code
	for _, p := range f.Params {
		if s := shapeOf(p.Type); p.ByRef && p != g.readBack && s != pointer && s != handle {
			g.unsupported(p.Pos, "a parameter by reference")
		}
		code.params = append(code.params, g.where(p))
	}
	switch code.shape {
	case word, vector:
		code.result = g.newWords(make([]uint64, code.size))
	case pointer:
		code.result = g.newPointer()
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
