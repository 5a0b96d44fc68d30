package ruby

// fusion is an instruction that does the work of several that follow each other.
type fusion struct {
	fused opcode
	of    []opcode
	// by are the distances that those of them jump which do; 0 is any.
	by []int32
}

// fusions are those of the sequences that gem5's protocols for processors execute most
// often. Of several that begin at an instruction the first is taken.
var fusions = []fusion{
	// getState: that of the transaction, or of the entry, or else a constant.
	{fused: opTriggerTransition, of: []opcode{opLoad, opTrigger, opJumpNil, opLoad, opJump, opJumpNil, opLoad, opJump, opCopy, opTransition}, by: []int32{0, 0, 2, 0, 4, 2, 0, 1, 0, 0}},
	{fused: opStateTransition, of: []opcode{opJumpNil, opLoad, opJump, opJumpNil, opLoad, opJump, opCopy, opTransition}, by: []int32{2, 0, 4, 2, 0, 1, 0, 0}},
	// setState and setAccessPermission of both.
	{fused: opSettle, of: []opcode{opJumpNil, opStore, opJumpNil, opStore, opJumpNil, opPermit, opEnd}, by: []int32{1, 0, 1, 0, 1, 0, 0}},
	// An assertion that a line is not in two caches.
	{fused: opApart, of: []opcode{opJumpUntagged, opJumpUntagged, opDo}, by: []int32{2, 1, 0}},
	// getCacheEntry: that of this cache, or else of the next one.
	{fused: opLoadCachedPoint, of: []opcode{opLoad, opCached, opJumpNil, opPoint, opJump}},
	{fused: opCachedPoint, of: []opcode{opCached, opJumpNil, opPoint, opJump}},
	{fused: opCopyDirectoryPoint, of: []opcode{opCopy, opCopy, opDirectory, opJumpNil, opPoint, opJump}},
	{fused: opDirectoryPoint, of: []opcode{opCopy, opDirectory, opJumpNil, opPoint, opJump}},
	{fused: opNilLoadJump, of: []opcode{opJumpNil, opLoad, opJump}},
	{fused: opPointJump, of: []opcode{opPoint, opJump}},
	{fused: opCachedNil, of: []opcode{opCached, opJumpNil}},
	{fused: opLoadCached, of: []opcode{opLoad, opCached}},
	{fused: opTransactionSwitch, of: []opcode{opLoad, opTransaction, opSwitchField}},
	{fused: opLoadTransaction, of: []opcode{opLoad, opTransaction}},
	{fused: opLoadTrigger, of: []opcode{opLoad, opTrigger}},
	{fused: opLoadAddMachine, of: []opcode{opLoad, opAddMachine}},
	{fused: opLoadStore, of: []opcode{opLoad, opStore}},
	{fused: opStoreLoadStore, of: []opcode{opStore, opLoad, opStore}},
	{fused: opStoreStore, of: []opcode{opStore, opStore}},
	{fused: opStoreEnqueue, of: []opcode{opStore, opEnqueue}},
	{fused: opNilStore, of: []opcode{opJumpNil, opStore}},
	{fused: opNilPermitEnd, of: []opcode{opJumpNil, opPermit, opEnd}, by: []int32{1, 0, 0}},
	{fused: opPermitEnd, of: []opcode{opPermit, opEnd}},
	{fused: opDequeueReturn, of: []opcode{opDequeue, opReturn}},
	{fused: opPeekUnlockedLoad, of: []opcode{opPeekUnlocked, opLoad}},
	{fused: opOneZero, of: []opcode{opJumpOne, opJumpZero}},
	{fused: opPeekNew, of: []opcode{opPeek, opNew}},
	{fused: opPeekLoad, of: []opcode{opPeek, opLoad}},
}

func init() {
	for _, f := range fusions {
		operands[f.fused] = operands[f.of[0]]
	}
}

// fuse has instructions do the work of those that follow them as well: to find out what
// the next one is takes longer than most of them. All stay where they are, with their
// operands, since others may jump to them.
func fuse(text []instruction) {
	var from [opcodes][]*fusion
	for i := range fusions {
		f := &fusions[i]
		from[f.of[0]] = append(from[f.of[0]], f)
	}
	for i := 0; i < len(text); {
		n := 1
		for _, f := range from[text[i].op] {
			if f.begins(text[i:]) {
				text[i].op, n = f.fused, len(f.of)
				break
			}
		}
		i += n
	}
}

// begins reports whether instructions begin with those of a fusion.
func (f *fusion) begins(text []instruction) bool {
	if len(text) < len(f.of) {
		return false
	}
	for i, op := range f.of {
		if text[i].op != op || f.by != nil && f.by[i] != 0 && f.by[i] != int32(text[i].c) {
			return false
		}
	}
	return true
}
