package code

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Call is a call of a native function: what it works on.
type Call struct {
	Name string // of the native
	// part is the receiver: its index among the parts of the machine of its kind, or among
	// the in_ports.
	Part int
	// args are the receiver, if that is in words, and the arguments.
	Args []Operand
	Text []textPart // of an error
	At   syntax.Pos
}

// native emits the call of a native function. Its result goes to a place of a word, or is dropped
// there.
func (g *generator) native(at int, name string, k Call) {
	k.Name = name
	g.emit(k.At, Instruction{Op: OpWord, A: uint32(at), B: addTo(&g.code.Calls, k)})
}

// known are the builtins whose result is known: what gem5 counts or asks for there has no effect
// here.
var known = map[string]uint64{
	"zero_time": 0, "max_tokens": constant.MaxTokens,
	"RubyRequest.getRequestPtr": 0, "getRequestorID": 0, // statistics and prefetchers use it
	"MessageBuffer.areNSlotsAvailable": 1, "CacheMemory.checkResourceAvailable": 1, "Sequencer.checkResourceAvailable": 1,
	"DataBlock.numAtomicLogEntries": 0, "WriteMask.getBlockSize": types.BlockBytes, "WriteMask.getBlockSizeBits": types.BlockBits,
	"AbstractCacheEntry.getInHtmReadSet": 0, "AbstractCacheEntry.getInHtmWriteSet": 0,
}

// ineffective are the builtins that do nothing here: statistics, sizes that never vary, and
// what testers and transactional memory need.
var ineffective = []string{
	"profileMsgDelay", "NetDest.setSize", "Set.setSize", "WriteMask.setBlockSize", "DataBlock.clearAtomicLogEntries",
	"AbstractCacheEntry.setInHtmReadSet", "AbstractCacheEntry.setInHtmWriteSet",
	"CacheMemory.recordRequestType", "CacheMemory.profileMiss", "CacheMemory.profileGenericRequest", "CacheMemory.profileDemandHit", "CacheMemory.profileDemandMiss",
	"CacheMemory.profilePrefetchHit", "CacheMemory.profilePrefetchMiss",
	"DirectoryMemory.recordRequestType", "DirectoryMemory.invalidateBlock", "DMASequencer.recordRequestType",
	"Sequencer.recordRequestType", "Sequencer.checkCoherence", "Sequencer.invL1Callback", "Sequencer.llscClearLocalMonitor",
	"Prefetcher", "RubyPrefetcherProxy",
}

// neverCalled are builtins for requests that no core or device makes.
var neverCalled = []string{
	"CacheMemory.htmCommitTransaction", "CacheMemory.htmAbortTransaction", "DMASequencer.atomicCallback", "Sequencer", "HTMSequencer",
}

// clocks are the builtins whose result is the time.
var clocks = []string{"clockEdge()", "curCycle", "curTick"}

// conversions are the builtins that are their argument: one tick is one cycle.
var conversions = []string{
	"cyclesToTicks", "ticksToCycles", "intToCycles", "intToTick", "intToID", "IDToInt", "addressToInt", "intToAddress", "time_to_int",
}

// preparations are those of builtins that need more than their receiver and arguments, or
// not these. They give the name of the native, which is that of the builtin if it is empty.
var preparations map[string]func(g *generator, x *types.Call, k *Call) (name string)

func init() {
	preparations = map[string]func(g *generator, x *types.Call, k *Call) string{
		"error": func(g *generator, x *types.Call, k *Call) string {
			k.Text = g.text(x.Args[0])
			return ""
		},
		ToPermission:                    permissionTable,
		"InPort.isReady":                readyPort,
		"Sequencer.atomicCallback":      atomicCallback,
		"mapAddressToDownstreamMachine": downstreamOf,
		"mod": func(g *generator, x *types.Call, k *Call) string {
			g.operands(x, 2, k)
			return "%"
		},
		"dequeueMemRespQueue": func(g *generator, x *types.Call, k *Call) string {
			if !g.code.Home {
				g.unsupported(x.At, "dequeueMemRespQueue in a machine without memory")
			}
			return ""
		},
		"incomingTransactionStart": transactionStart(Incoming, 4),
		"outgoingTransactionStart": transactionStart(Outgoing, 2),
		"incomingTransactionEnd":   transactionEnd("in_trans"),
		"outgoingTransactionEnd":   transactionEnd("out_trans"),

		"isWriteRequest":    kindIn("ST", "ATOMIC", "RMW_Read", "RMW_Write", "Store_Conditional", "Locked_RMW_Read", "Locked_RMW_Write", "FLUSH"),
		"isDataReadRequest": kindIn("LD", "Load_Linked"),
		"isReadRequest":     kindIn("LD", "Load_Linked", "IFETCH"),
		"isHtmCmdRequest":   kindIn("HTM_Start", "HTM_Commit", "HTM_Cancel", "HTM_Abort"),
		"isTlbiRequest":     kindIn("TLBI", "TLBI_SYNC", "TLBI_EXT_SYNC", "TLBI_EXT_SYNC_COMP"),

		"PerfectCacheMemory.lookup":   perfectEntry,
		"PerfectCacheMemory.allocate": perfectEntry,
		"PersistentTable.persistentRequestLock": func(g *generator, x *types.Call, k *Call) string {
			g.operands(x, 3, k)
			k.Args = append(k.Args, g.accessType(x.Args[2].Type(), "Write", x.At))
			return ""
		},
		"PersistentTable.typeOfSmallest": func(g *generator, x *types.Call, k *Call) string {
			g.operands(x, 1, k)
			k.Args = append(k.Args, g.accessType(x.Type(), "Read", x.At), g.accessType(x.Type(), "Write", x.At))
			return ""
		},
	}
	for _, name := range []string{"front", "back", "frontNB", "backNB", "empty", "push", "pushNB", "pushFront", "pushFrontNB", "pop", "emplace", "next"} {
		preparations["TriggerQueue."+name] = onTriggers
	}
}

// treatment is what becomes of the calls of a builtin.
type treatment uint8

const (
	unknown    treatment = iota
	settled              // the result is one of known
	clock                // the result is the time
	skipped              // nothing happens
	refused              // the run ends
	conversion           // the result is the argument
	called               // a native is called
)

// treated finds what becomes of the calls of a builtin, and the key that says so: its own, that
// of its receiver and name for all overloads, or its receiver for all other methods.
func (p *Program) treated(b *types.Builtin) (t treatment, key string) {
	for _, key := range []string{b.Key, b.Group(), b.Recv} {
		if key == "" {
			continue
		}
		_, isKnown := known[key]
		_, isNative := p.natives(key)
		_, isPrepared := preparations[key]
		switch {
		case isKnown:
			return settled, key
		case slices.Contains(clocks, key):
			return clock, key
		case slices.Contains(ineffective, key):
			return skipped, key
		case slices.Contains(neverCalled, key):
			return refused, key
		case slices.Contains(conversions, key):
			return conversion, key
		case isNative, isPrepared:
			return called, key
		}
	}
	return unknown, ""
}

// Handles reports whether there is a treatment or an instruction for a builtin, or a native
// among those of a function.
func Handles(b *types.Builtin, natives func(name string) (args int, ok bool)) bool {
	how, _ := (&Program{natives: natives}).treated(b)
	return how != unknown || emitterOf(b) != nil
}

// prepare emits what evaluates what a builtin works on, and says which native it is; false
// if there is none.
func (g *generator) prepare(x *types.Call) (k Call, ok bool) {
	b := x.Func.Builtin
	k.At = x.At
	if b == nil { // nothing that runs calls it
		g.unsupported(x.At, "%s without a body", x.Func.Name)
		return k, false
	}
	how, name := g.treated(b)
	n, _ := g.natives(name)
	f := preparations[name]
	switch {
	case how == refused:
		k.Text, name = []textPart{{Constant: x.Func.Name}}, "never"
	case how != called:
		g.unsupported(x.At, "builtin %s", b.Key)
	case f == nil:
		g.operands(x, n, &k)
	default:
		name = cmp.Or(f(g, x, &k), name)
	}
	k.Name = name
	return k, how == refused || how == called
}

// operands emits the evaluation of the receiver and the first n arguments of a call.
func (g *generator) operands(x *types.Call, n int, k *Call) {
	args := x.Args[:min(n, len(x.Args))]
	if x.X != nil && x.X.Type().Name == "ExpectedMap" && len(args) > 0 {
		if t := args[0].Type(); t.Kind == types.Enum && len(t.Enums) >= structure.MaxTypes {
			g.unsupported(x.At, "an ExpectedMap of %d types of messages, more than %d", len(t.Enums), structure.MaxTypes)
		}
	}
	if x.X != nil {
		switch t := x.X.Type(); {
		case t.Name == "InPort":
			k.Part = g.portOf(x)
		case ShapeOf(t) == handle:
			k.Part = g.partOf(x)
		case ShapeOf(t) == Vector:
			k.Args = append(k.Args, g.materializedRef(x.X, args...))
		}
	}
	for i, arg := range args {
		k.Args = append(k.Args, g.operand(arg, args[i+1:]...))
	}
}

// operand emits the evaluation of an argument, which is used after others have been evaluated.
func (g *generator) operand(x types.Expr, later ...types.Expr) Operand {
	switch ShapeOf(x.Type()) {
	case Word:
		return wordRef(g.materialized(x, later...))
	case Vector:
		return g.materializedRef(x, later...)
	case Pointer:
		r := wordRef(g.materializedPointer(x, later...))
		r.Pos = x.Pos()
		return r
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
	return Operand{Owner: NilPointer}
}

// partOf is the index of the part of the machine that a method is called on.
func (g *generator) partOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && (use.Var.Kind == types.ParamVar || use.Var.Kind == types.ObjectVar) {
		return g.where(use.Var)
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}

// portOf is the index of the in_port that a method is called on.
func (g *generator) portOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar && !IsTimer(g.code.Decl.InPorts[use.Var.Index]) {
		return use.Var.Index
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}

// fixedWords is the place of words that never change.
func (g *generator) fixedWords(words []uint64) Operand {
	return Operand{Owner: NilPointer, At: uint32(g.newWords(words)), N: uint32(len(words))}
}

// readyPort is isReady of an in_port, which may poll a TimerTable.
func readyPort(g *generator, x *types.Call, k *Call) string {
	if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar {
		if p := g.code.Decl.InPorts[use.Var.Index]; IsTimer(p) {
			k.Part = g.where(p.Buffer)
			return "TimerTable.isReady"
		}
	}
	k.Part = g.portOf(x)
	return ""
}

func atomicCallback(g *generator, x *types.Call, k *Call) string {
	g.code.Atomics = g.Request.Mask >= 0 && g.Request.Atomic > 0
	g.operands(x, 2, k)
	return ""
}

// downstreamOf is the machine that a line is requested from: that of the next role of the
// same machine, or memory.
func downstreamOf(g *generator, x *types.Call, k *Call) string {
	g.operands(x, 1, k)
	if len(g.code.Roles) < 2 {
		g.unsupported(x.At, "%s in a machine that has nothing downstream", x.Func.Name)
	}
	if len(x.Args) > 1 {
		g.unsupported(x.At, "%s of a type of machine", x.Func.Name)
	}
	return ""
}

// permissionTable adds the access permissions of all states.
func permissionTable(g *generator, x *types.Call, k *Call) string {
	var table []uint64
	for _, e := range x.Func.Enum.Enums {
		table = append(table, uint64(max(e.Permission, 0)))
	}
	k.Args = []Operand{wordRef(g.place(x.Args[0])), g.fixedWords(table)}
	return ToPermission
}

// kindIn adds the set of those types of request that are named.
func kindIn(names ...string) func(g *generator, x *types.Call, k *Call) string {
	return func(g *generator, x *types.Call, k *Call) string {
		enums := x.Args[0].Type().Enums
		var set uint64
		for i, e := range enums {
			if slices.Contains(names, e.Name) {
				set |= 1 << i
			}
		}
		if len(enums) > 64 {
			g.unsupported(x.At, "a %s of more than 64 values", x.Args[0].Type())
		}
		k.Args = []Operand{wordRef(g.place(x.Args[0])), wordRef(g.constant(set))}
		return "kind of request"
	}
}

// perfectEntry adds the index of the layout of the entries of a PerfectCacheMemory, which is
// what its lookup gives.
func perfectEntry(g *generator, x *types.Call, k *Call) string {
	g.operands(x, 1, k)
	for _, m := range x.X.Type().Methods {
		if m.Name == "lookup" {
			k.Args = append(k.Args, wordRef(g.constant(uint64(g.Layout(m.Result).Index))))
			return ""
		}
	}
	g.unsupported(x.At, "a PerfectCacheMemory without lookup")
	return ""
}

func (g *generator) accessType(t *types.Type, name string, pos syntax.Pos) Operand {
	e := t.Enum(name)
	if e == nil {
		g.unsupported(pos, "%s without a value %s", t, name)
		return wordRef(g.constant(0))
	}
	return wordRef(g.constant(uint64(e.Ordinal)))
}

// listOf is the index of the list that a method of a TriggerQueue is called on,
// and the type of its elements; false for a queue in a structure.
func (g *generator) listOf(x *types.Call) (at int, element *types.Type, ok bool) {
	use, ok := x.X.(*types.Use)
	if !ok || use.Var.Kind != types.ObjectVar {
		return 0, nil, false
	}
	return g.where(use.Var), g.ElementOf(g.code, use.Var), true
}

// onTriggers tells a TriggerQueue that is an object, and a list of structures, from one that is
// a field, and a queue of words.
func onTriggers(g *generator, x *types.Call, k *Call) string {
	list, element, isList := g.listOf(x)
	name := x.Func.Name
	switch {
	case name == "next" && (!isList || element != x.Type()):
		g.unsupported(x.At, "next of this TriggerQueue")
	case name == "emplace" && (!isList || element == nil || ShapeOf(element) != Vector || g.Size(element) != len(x.Args)):
		g.unsupported(x.At, "emplace of %d values", len(x.Args))
	case isList && slices.Contains([]string{"back", "frontNB", "backNB", "pushNB", "pushFront", "pushFrontNB"}, name):
		g.unsupported(x.At, "%s of a TriggerQueue that is an object", name)
	}
	for _, arg := range x.Args {
		if ShapeOf(arg.Type()) != Word {
			g.unsupported(arg.Pos(), "this expression of type %s", arg.Type())
			return ""
		}
	}
	if !isList {
		g.operands(x, len(x.Args), k)
		return ""
	}
	k.Part = list
	for i, arg := range x.Args {
		k.Args = append(k.Args, g.operand(arg, x.Args[i+1:]...))
	}
	return "list." + name
}

// transactionStart adds whether a transaction has a line, and not a number: what the n-th argument
// says, which may be left out.
func transactionStart(list, n int) func(g *generator, x *types.Call, k *Call) string {
	return func(g *generator, x *types.Call, k *Call) string {
		args := []types.Expr{x.Args[0], x.Args[1]}
		g.addressed(x, args, n, k)
		return ""
	}
}

// transactionEnd also adds which events a protocol marks, if it marks any, as gem5 keeps statistics
// of those only; older versions have no marks.
func transactionEnd(mark string) func(g *generator, x *types.Call, k *Call) string {
	return func(g *generator, x *types.Call, k *Call) string {
		g.addressed(x, []types.Expr{x.Args[0]}, 2, k)
		var marked []uint64
		for _, e := range g.code.Decl.Event.Enums {
			value, _ := e.Attrs.Get(mark)
			marked = append(marked, uint64(oneIf(value == "yes")))
		}
		if !slices.Contains(marked, 1) {
			marked = slices.Repeat([]uint64{1}, len(marked))
		}
		k.Args = append(k.Args, g.fixedWords(marked))
		return ""
	}
}

func (g *generator) addressed(x *types.Call, args []types.Expr, n int, k *Call) {
	if len(x.Args) > n {
		args = append(args, x.Args[n])
	}
	for i, arg := range args {
		k.Args = append(k.Args, g.operand(arg, args[i+1:]...))
	}
	if len(x.Args) <= n {
		k.Args = append(k.Args, wordRef(g.constant(1)))
	}
}

// IsTimer reports whether a port polls a TimerTable, and no buffer.
func IsTimer(p *types.InPort) bool { return p.Buffer.Type.Name == "TimerTable" }

// What gem5 offers to protocols whose transactions have several steps: slots of
// transactions, messages that are expected, queues of triggers, and a record of
// the transactions under way.

// The lists of Controller.underway.
const (
	Incoming = iota
	IncomingNumbered
	Outgoing
	OutgoingNumbered
	TransactionLists
)

// elementOf is the type that the template of a TriggerQueue names; nil if there
// is none.
func (p *Program) ElementOf(code *Machine, v *types.Var) *types.Type {
	name, _ := v.Attrs.Get("template")
	name = strings.Trim(name, "<> ")
	i := slices.IndexFunc(code.Decl.Types, func(t *types.Type) bool { return t.CName() == name })
	if i < 0 {
		return nil
	}
	return code.Decl.Types[i]
}
