package sandbox

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"

	"ordeal/gen/emit/elf/x86"
)

const pageSize = 0x1000

// prologueBase is about where the prologue of a guest is loaded: below every
// executable that is linked as usual.
const prologueBase = 0x20_0000

// AddGuestFilter returns an executable that gives up privileges, installs the
// filter of generated programs and then runs as file, a static x86-64
// executable at fixed addresses. The prologue is one more segment; nothing else
// changes but the entry point.
func AddGuestFilter(file []byte) ([]byte, error) {
	var header elf.Header64
	if _, err := binary.Decode(file, binary.LittleEndian, &header); err != nil || string(file[:4]) != elf.ELFMAG ||
		header.Type != uint16(elf.ET_EXEC) || header.Machine != uint16(elf.EM_X86_64) || header.Phentsize != 56 {
		return nil, errors.New("add guest filter: want a static x86-64 ELF file")
	}
	segments := make([]elf.Prog64, header.Phnum)
	if header.Phoff > uint64(len(file)) {
		return nil, errors.New("add guest filter: the segments are beyond the end of the file")
	}
	if _, err := binary.Decode(file[header.Phoff:], binary.LittleEndian, segments); err != nil {
		return nil, errors.New("add guest filter: the segments are beyond the end of the file")
	}
	prologue := guestPrologue(header.Entry)
	out := append(make([]byte, 0, len(file)+len(prologue)+64*(len(segments)+2)), file...)
	out = pad(out)
	// Offset and address are congruent modulo the page size.
	offset, size := uint64(len(out)), uint64(len(prologue))
	at := prologueBase + offset%pageSize
	out = pad(append(out, prologue...))
	for _, s := range segments {
		switch {
		case elf.ProgType(s.Type) == elf.PT_INTERP:
			return nil, errors.New("add guest filter: the executable is not static")
		case elf.ProgType(s.Type) == elf.PT_LOAD && s.Vaddr < at+size+pageSize && s.Vaddr+s.Memsz > prologueBase:
			return nil, fmt.Errorf("add guest filter: the segment at %#x overlaps the prologue", s.Vaddr)
		}
	}
	header.Entry, header.Phoff, header.Phnum = at, uint64(len(out)), header.Phnum+1
	out = encode(out, segments, elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: offset, Vaddr: at, Paddr: at,
		Filesz: size, Memsz: size, Align: pageSize,
	})
	encode(out[:0], header)
	return out, nil
}

// pad fills a file up to a multiple of eight bytes.
func pad(file []byte) []byte { return append(file, make([]byte, -len(file)&7)...) }

// guestPrologue is the machine code that installs the filter and goes on at
// entry with the registers as the kernel sets them.
func guestPrologue(entry uint64) []byte {
	c, guests := newCode(), guestFilter()
	program := c.NewLabel()
	c.noNewPrivileges()
	c.installFilter(guests, program)
	c.MovImm(x86.RAX, entry)
	for _, r := range []x86.Reg{x86.RBX, x86.RCX, x86.RDX, x86.RSI, x86.RDI, x86.R8, x86.R10, x86.R11} {
		c.MovImm(r, 0)
	}
	c.JmpReg(x86.RAX)
	c.Place(c.failed)
	return c.finish(guests, program)
}

// GuestFilterError is why this machine cannot run what AddGuestFilter makes,
// determined once by trial; nil when it can.
var GuestFilterError = sync.OnceValue(func() error {
	if !supported {
		return errUnsupported
	}
	const status = 42
	c := newCode()
	c.systemCall(syscall.SYS_EXIT_GROUP, status)
	image, err := AddGuestFilter(staticELF(c.Code))
	if err != nil {
		return err
	}
	file, err := memoryFile("ordeal-guest", image)
	if err != nil {
		return err
	}
	defer file.Close() // only read
	cmd := exec.Command(childPath(file))
	cmd.Env = []string{}
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == status {
		return nil
	}
	return fmt.Errorf("try the seccomp filter: %v", err)
})
