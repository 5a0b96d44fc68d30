package parse

import "ordeal/gen"

// Attr is a set of attributes of an operation, as the instruction sets of Arm
// and RISC-V have them.
type Attr uint8

// The attributes.
const (
	// Acquire: a load before everything after it (LDAR, .aq).
	Acquire = Attr(gen.Acquire)
	// AcquirePC: the same, but a Release before it may be overtaken (LDAPR).
	AcquirePC = Attr(gen.AcquirePC)
	// Release: everything before it before a store (STLR, .rl).
	Release = Attr(gen.Release)
	// Conditional, of an RMW: it is the store alone of an atomic instruction
	// or a pair of load-linked and store-conditional, and took place because
	// memory still held what the load had returned. The load is an operation
	// of its own, of which a Dep of kind DepPair leads here.
	Conditional Attr = 8
	// ISync, of a Fence: an instruction barrier (ISB), which waits for the
	// branches and addresses before it.
	ISync Attr = 16
	// Performed, of a Read or Write in what a model that splits accesses makes of
	// a history (model.Model.View): the access as its own thread performs it. No
	// history that is read has it.
	Performed Attr = 32
	// Reached is the other event that such a model makes of an access: it reaches all threads.
	Reached Attr = 64
)

// AttrNames are the names of the attributes, in order of their bits, but of Reached.
var AttrNames = [...]string{"acquire", "acquirepc", "release", "conditional", "isync", "performed"}

// attributes are those that an operation of a kind may have.
func (k Kind) attributes() Attr {
	switch k {
	case Read:
		return Acquire | AcquirePC | Release
	case Write:
		return Release
	case RMW:
		return Acquire | AcquirePC | Release | Conditional
	case Fence:
		return ISync
	}
	return 0
}

// DepKind is a set of kinds of dependencies; 0 means that they are not known.
type DepKind uint8

// The kinds of dependencies.
const (
	// DepAddress: the address of To is computed from what From returned.
	DepAddress = DepKind(gen.DepAddress)
	// DepData: the value that To stores is.
	DepData = DepKind(gen.DepData)
	// DepControl: the condition of a branch is, and To is the first operation
	// after the branch. All that follow depend on it, too.
	DepControl = DepKind(gen.DepControl)
	// DepPair: From is the load of an RMW that is Conditional.
	DepPair DepKind = 8
)

// DepNames are the names of the kinds, in order of their bits.
var DepNames = [...]string{"addr", "data", "ctrl", "pair"}

// Dep says that To depends on From, an earlier read of the same thread.
type Dep struct {
	From, To OpID
	Kind     DepKind
}
