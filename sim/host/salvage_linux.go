package host

import (
	"fmt"
	"os"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// salvage writes the log of a process that is about to be ended, as far as it
// got, from its memory to path, unless the process has begun to write it.
// Without the right to read the memory there is no log.
func salvage(pid int, p *gen.Program, opts elf.Options, path string) {
	if info, err := os.Stat(path); err != nil || info.Size() > 0 {
		return
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return
	}
	defer memory.Close() // only read
	log, err := elf.LogFromMemory(p, opts, memory)
	if err != nil {
		return
	}
	_ = os.WriteFile(path, log, 0o644)
}
