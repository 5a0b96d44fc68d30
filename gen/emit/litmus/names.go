package litmus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ordeal/gen"
)

// TestName is a name for the test of a program: that of the shape that it is, or else the stem
// with a number. Programs that are not the same up to the order of threads, names of locations
// and values have different names, since herd7 and lists of results tell tests apart by name.
func TestName(stem string, p *gen.Program) string {
	if name := p.CycleName(); name != "" {
		return name
	}
	return fmt.Sprintf("%s-%08x", stem, uint32(p.Hash64()))
}

func sortedReads(m map[Read]gen.Value) []Read {
	return slices.SortedFunc(maps.Keys(m), func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Index, b.Index))
	})
}

// words are the names that herd7 reads as instructions, registers or words of
// conditions, in lower case; reserved adds those that end in digits or sizes.
var words = strings.Fields(`add xor or and shl mov movnti movd movntdqa dec inc cmp cmovc ret retq jmp
	je jne jle jlt jgt jge js jns lock xchg uxch cmpxchg mfence lfence sfence setnb nop nopl nopw endbr64
	clflush clflushopt cs rip ax bx cx dx si di bp sp al bl cl dl ah bh ch dh sil dil bpl spl
	eax ebx ecx edx esi edi ebp esp rax rbx rcx rdx rsi rdi rbp rsp
	pac pacda pacdb pacia pacib not true false observed exists forall final with locations filter cases
	fault tag attrs oa pte ttd pa parel1_t ss sscap ssval_t label instr int`)

// reserved reports whether herd7 does not take a name for a location.
func reserved(name string) bool {
	low := strings.ToLower(name)
	if strings.HasPrefix(low, "_") {
		return true
	}
	if slices.Contains(words, low) || slices.Contains(words, strings.TrimRight(low, "bwlq")) && len(low) > 2 {
		return true
	}
	// P0 is a thread, r8d a register, xmm0 another.
	stem := strings.TrimRight(strings.TrimRight(low, "bwd"), "0123456789")
	return stem != low && (stem == "p" || stem == "r" || stem == "xmm")
}
