package host

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/cpu"

	"ordeal/gen"
)

// machine is what decides which programs a machine can run: its system and
// processor as Go names them, and the extensions that processors of AArch64 may
// lack.
type machine struct {
	os, arch      string
	atomics, rcpc bool // FEAT_LSE (swp, ldadd), FEAT_LRCPC (ldapr)
}

// here is this machine. Linux says what its processor has, by the auxiliary vector.
func here() machine {
	return machine{runtime.GOOS, runtime.GOARCH, cpu.ARM64.HasATOMICS, cpu.ARM64.HasLRCPC}
}

// native are the instruction sets of the processors on which programs run.
var native = map[string]gen.ISA{"amd64": gen.X86, "arm64": gen.AArch64, "riscv64": gen.RISCV64}

// runs reports why a machine cannot run a program; nil if it can. An instruction
// that the processor lacks would look like a crash of the program.
func runs(p *gen.Program, m machine) error {
	isa, known := native[m.arch]
	switch {
	case m.os != "linux" || !known:
		return fmt.Errorf("this machine is %s/%s, and programs run on linux/amd64, linux/arm64 and linux/riscv64", m.os, m.arch)
	case p.ISA != isa:
		return fmt.Errorf("the program is of instruction set %s, and this machine is of %s", p.ISA, isa)
	case isa != gen.AArch64:
		return nil
	}
	for _, ops := range p.Threads {
		for _, op := range ops {
			if (op.Kind == gen.Exchange || op.Kind == gen.FetchAdd) && !m.atomics {
				return fmt.Errorf("%s: this processor has no atomic instructions of Armv8.1 (FEAT_LSE)", p.OpText(op))
			}
			if op.Attr&gen.AcquirePC != 0 && !m.rcpc {
				return fmt.Errorf("%s: this processor has no ldapr (FEAT_LRCPC)", p.OpText(op))
			}
		}
	}
	return nil
}
