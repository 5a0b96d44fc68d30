package ruby

// fusion is an instruction that does the work of several that follow each other.
type fusion struct {
	fused opcode
	of    []opcode
}

// fusions are those of the sequences that gem5's protocols for processors execute most
// often. Of several that begin at an instruction the first is taken.
var fusions = []fusion{
	{opLoadCachedNil, []opcode{opLoad, opCached, opJumpNil}},
	{opCopyDirectoryNil, []opcode{opCopy, opDirectory, opJumpNil}},
	{opNilLoadJump, []opcode{opJumpNil, opLoad, opJump}},
	{opPointJump, []opcode{opPoint, opJump}},
	{opCachedNil, []opcode{opCached, opJumpNil}},
	{opLoadCached, []opcode{opLoad, opCached}},
	{opLoadTransaction, []opcode{opLoad, opTransaction}},
	{opLoadTrigger, []opcode{opLoad, opTrigger}},
	{opLoadAddMachine, []opcode{opLoad, opAddMachine}},
	{opLoadStore, []opcode{opLoad, opStore}},
	{opStoreStore, []opcode{opStore, opStore}},
	{opStoreEnqueue, []opcode{opStore, opEnqueue}},
	{opNilStore, []opcode{opJumpNil, opStore}},
	{opNilPermitEnd, []opcode{opJumpNil, opPermit, opEnd}},
	{opPermitEnd, []opcode{opPermit, opEnd}},
	{opDequeueReturn, []opcode{opDequeue, opReturn}},
	{opPeekUnlockedLoad, []opcode{opPeekUnlocked, opLoad}},
	{opOneZero, []opcode{opJumpOne, opJumpZero}},
	{opPeekLoad, []opcode{opPeek, opLoad}},
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
	for i := 0; i < len(text); {
		n := 1
		for _, f := range fusions {
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
		if text[i].op != op {
			return false
		}
	}
	return true
}
