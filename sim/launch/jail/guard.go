package jail

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// ExitRefused is the exit status of a guarded executable that the kernel
// refused to confine; nothing of its own has run then.
const ExitRefused = 120

// guardBase is about where the guard is loaded: below every executable that is
// linked as usual.
const guardBase = 0x20_0000

// Guard returns an executable that gives up privileges, installs the filter of
// guests and then runs as file, a static x86-64 executable at fixed addresses.
// Nothing else changes: the guard is a segment more, and the entry point.
func Guard(file []byte) ([]byte, error) {
	var head elf.Header64
	if err := binary.Read(bytes.NewReader(file), binary.LittleEndian, &head); err != nil {
		return nil, fmt.Errorf("guard executable: %w", err)
	}
	if string(head.Ident[:4]) != elf.ELFMAG || head.Type != uint16(elf.ET_EXEC) || head.Machine != uint16(elf.EM_X86_64) || head.Phentsize != 56 {
		return nil, errors.New("guard executable: want a static x86-64 ELF file")
	}
	if head.Phoff > uint64(len(file)) {
		return nil, errors.New("guard executable: no segments")
	}
	segments := make([]elf.Prog64, head.Phnum)
	if err := binary.Read(bytes.NewReader(file[head.Phoff:]), binary.LittleEndian, segments); err != nil {
		return nil, fmt.Errorf("guard executable: segments: %w", err)
	}

	const most = 512 // the guard's size
	out := append(make([]byte, 0, len(file)+most+len(segments)*56), file...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	// Offset and address are the same within a page.
	at := uint64(guardBase + len(out)%pageSize)
	code := guardCode(uint32(at), head.Entry)
	for _, s := range segments {
		if s.Type == uint32(elf.PT_INTERP) {
			return nil, errors.New("guard executable: it is not static")
		}
		if s.Type == uint32(elf.PT_LOAD) && s.Vaddr < at+uint64(len(code))+pageSize && s.Vaddr+s.Memsz > guardBase {
			return nil, fmt.Errorf("guard executable: segment at %#x is in the way", s.Vaddr)
		}
	}
	segments = append(segments, elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: uint64(len(out)), Vaddr: at, Paddr: at,
		Filesz: uint64(len(code)), Memsz: uint64(len(code)), Align: pageSize,
	})
	out = append(out, code...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	head.Entry, head.Phoff, head.Phnum = at, uint64(len(out)), uint16(len(segments))
	out = append(out, encode(segments)...)
	copy(out, encode(head))
	return out, nil
}

// guardCode is the guard's machine code, loaded at base.
func guardCode(base uint32, entry uint64) []byte {
	var a assembly
	a.confine(base, guestFilter(), func() {
		// As the kernel starts a process: registers are zero.
		a.bytes(0x48, 0xb8) // movabs rax, entry
		a.code = binary.LittleEndian.AppendUint64(a.code, entry)
		a.bytes(0x31, 0xdb)       // xor ebx, ebx
		a.bytes(0x31, 0xc9)       // xor ecx, ecx
		a.bytes(0x31, 0xd2)       // xor edx, edx
		a.bytes(0x31, 0xf6)       // xor esi, esi
		a.bytes(0x31, 0xff)       // xor edi, edi
		a.bytes(0x45, 0x31, 0xc0) // xor r8d, r8d
		a.bytes(0x45, 0x31, 0xd2) // xor r10d, r10d
		a.bytes(0x45, 0x31, 0xdb) // xor r11d, r11d
		a.bytes(0xff, 0xe0)       // jmp rax
		a.fail(func() {})
	})
	return a.code
}

// tryGuard runs a guarded executable that exits with a status of its own.
func tryGuard() error {
	if !supported {
		return errUnsupported
	}
	const base, status = 0x40_0000, 42
	var a assembly
	a.bytes(0xbf) // mov edi, status
	a.word(status)
	a.number(syscall.SYS_EXIT_GROUP)
	image, err := Guard(imageOf(base, a.code))
	if err != nil {
		return err
	}
	file, err := inMemory("ordeal-guard", image)
	if err != nil {
		return err
	}
	defer file.Close() // of no use any more
	cmd := exec.Command(childPath(file))
	cmd.Env = []string{}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == status {
		return nil
	}
	return fmt.Errorf("try the filter of system calls: %v", err)
}
