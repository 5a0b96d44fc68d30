// Package csrc writes programs as one C11 file with POSIX threads, which
// prints the native log to stdout:
//
//	cc -O1 -std=c11 -Wall -Wextra -pthread program.c
//
// Accesses are relaxed C11 atomics, each followed by a compiler barrier
// (atomic_signal_fence): every access is one instruction, none is removed,
// merged or moved by the compiler, and the hardware is free to reorder. That
// holds on every architecture, where inline assembly would need one version
// each. Exchanges and additions are relaxed too, so that on x86 they are
// locked instructions and on weaker machines order nothing. The full fence is
// atomic_thread_fence(memory_order_seq_cst).
package csrc

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"ordeal/gen"
)

//go:embed runtime.c.txt
var runtime string

// Emit writes the program, to be run for the given number of rounds. It
// refuses what gen.Program.ValidateRounds refuses.
func Emit(w io.Writer, p *gen.Program, rounds int) error {
	if err := cmp.Or(p.ValidateRounds(rounds), p.CoresOnly(), p.X86Only()); err != nil {
		return fmt.Errorf("emit c: %w", err)
	}
	out := bufio.NewWriter(w)
	size := p.Offset(gen.LocID(len(p.Locations)-1)) + gen.WordBytes
	head := strings.NewReplacer(
		"@HASH@", fmt.Sprintf("0x%016x", p.Hash64()),
		"@ROUNDS@", fmt.Sprint(rounds),
		"@STRIDE@", fmt.Sprint(p.Stride()),
		"@THREADS@", fmt.Sprint(len(p.Threads)),
		"@LOCATIONS@", fmt.Sprint(len(p.Locations)),
		"@WORDS@", fmt.Sprint(size/gen.WordBytes),
		"@ALIGN@", fmt.Sprint(gen.ConflictStride),
	)
	before, after, _ := strings.Cut(runtime, "@BODY@\n")
	head.WriteString(out, before)
	out.WriteString("static const uint32_t offset[LOCATIONS] = {\n")
	for l, name := range p.Locations {
		fmt.Fprintf(out, "\t%d, // %s\n", p.Offset(gen.LocID(l))/gen.WordBytes, name)
	}
	out.WriteString("};\n")
	for t := range p.Threads {
		emitThread(out, p, gen.ThreadID(t))
	}
	out.WriteString("\nstatic const struct thread threads[THREADS] = {\n")
	for t := range p.Threads {
		fmt.Fprintf(out, "\t{thread%d, %d},\n", t, p.Reads(gen.ThreadID(t)))
	}
	out.WriteString("};\n")
	head.WriteString(out, after)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("emit c: %w", err)
	}
	return nil
}

// statements are the operations of the kinds, given the word of the location,
// the value, and the value as an addend.
var statements = map[gen.OpKind]string{
	gen.Load:      "LOAD(%[1]d);",
	gen.Store:     "STORE(%[1]d, %[2]d);",
	gen.Exchange:  "EXCHANGE(%[1]d, %[2]d);",
	gen.FetchAdd:  "ADD(%[1]d, UINT64_C(%[3]d));",
	gen.FullFence: "FENCE();",
	gen.Delay:     "DELAY(%[2]d);",
}

// emitThread writes the function that executes one round of a thread.
func emitThread(out *bufio.Writer, p *gen.Program, t gen.ThreadID) {
	fmt.Fprintf(out, "\nstatic uint64_t *thread%d(uint64_t *log, uint64_t base)\n{\n\t(void)base;\n", t)
	for _, op := range p.Threads[t] {
		word := p.Offset(op.Loc) / gen.WordBytes
		fmt.Fprintf(out, "\t"+statements[op.Kind]+" // %[4]s\n", word, op.Value, op.Value*gen.AddUnit, p.OpText(op))
	}
	out.WriteString("\treturn log;\n}\n")
}
