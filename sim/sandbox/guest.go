package sandbox

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
)

// ExitFilterRefused is the exit status of a guarded executable that the kernel
// refused to confine; nothing of its own has run then.
const ExitFilterRefused = 120

// guardBase is about where the guard is loaded: below every executable that is
// linked as usual.
const guardBase = 0x20_0000

// AddGuestFilter returns an executable that gives up privileges, installs the filter of
// guests and then runs as file, a static x86-64 executable at fixed addresses.
// Nothing else changes: the guard is a segment more, and the entry point.
func AddGuestFilter(file []byte) ([]byte, error) {
	if len(file) < headerBytes || string(file[:4]) != elf.ELFMAG || le.Uint16(file[atType:]) != uint16(elf.ET_EXEC) ||
		le.Uint16(file[atMachine:]) != uint16(elf.EM_X86_64) || le.Uint16(file[atSegmentSize:]) != segmentBytes {
		return nil, errors.New("guard executable: want a static x86-64 ELF file")
	}
	from, count := le.Uint64(file[atSegments:]), int(le.Uint16(file[atSegmentCount:]))
	if from > uint64(len(file)) || uint64(count*segmentBytes) > uint64(len(file))-from {
		return nil, errors.New("guard executable: its segments are beyond its end")
	}
	segments := file[from:][:count*segmentBytes]

	out := append(make([]byte, 0, len(file)+guardBytes+len(segments)+segmentBytes), file...)
	out = aligned(out)
	// Offset and address are the same within a page.
	at := uint64(guardBase + len(out)%pageSize)
	offset := uint64(len(out))
	out = append(out, guardCode(uint32(at), le.Uint64(file[atEntry:]))...)
	size := uint64(len(out)) - offset
	for s := segments; len(s) > 0; s = s[segmentBytes:] {
		switch start, length := le.Uint64(s[inAddress:]), le.Uint64(s[memoryFileBytes:]); elf.ProgType(le.Uint32(s)) {
		case elf.PT_INTERP:
			return nil, errors.New("guard executable: it is not static")
		case elf.PT_LOAD:
			if start < at+size+pageSize && start+length > guardBase {
				return nil, fmt.Errorf("guard executable: segment at %#x is in the way", start)
			}
		}
	}
	out = aligned(out)
	le.PutUint64(out[atEntry:], at)
	le.PutUint64(out[atSegments:], uint64(len(out)))
	le.PutUint16(out[atSegmentCount:], uint16(count+1))
	out = append(out, segments...)
	out = le.AppendUint32(out, uint32(elf.PT_LOAD))
	out = le.AppendUint32(out, uint32(elf.PF_R|elf.PF_X))
	for _, v := range []uint64{offset, at, at, size, size, pageSize} {
		out = le.AppendUint64(out, v)
	}
	return out, nil
}

// le is the order of bytes in the files: a reader by reflection would take
// longer than the kernel takes to install the filter.
var le = binary.LittleEndian

// Offsets in the header of a file, and its size.
const (
	atType         = 16
	atMachine      = 18
	atEntry        = 24
	atSegments     = 32
	atSegmentSize  = 54
	atSegmentCount = 56
	headerBytes    = 64
)

// Offsets in the description of a segment, which begins with its type, and its
// size.
const (
	inAddress       = 16
	memoryFileBytes = 40
	segmentBytes    = 56
)

// aligned pads a file to a multiple of eight bytes.
func aligned(file []byte) []byte {
	for len(file)%8 != 0 {
		file = append(file, 0)
	}
	return file
}

// guardBytes is about the size of a guard: room for it.
const guardBytes = 512

// GuestFilterError is why this machine cannot run what AddGuestFilter makes,
// determined once by trial; nil when it can.
var GuestFilterError = sync.OnceValue(tryGuestFilter)

// guests is the filter of generated programs.
var guests = sync.OnceValue(guestFilter)

// guardCode is the guard's machine code, loaded at base.
func guardCode(base uint32, entry uint64) []byte {
	a := assembly{code: make([]byte, 0, guardBytes)}
	a.confine(base, guests(), func() {
		// As the kernel starts a process: registers are zero.
		a.bytes(0x48, 0xb8) // movabs rax, entry
		a.code = le.AppendUint64(a.code, entry)
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

// tryGuestFilter runs a guarded executable that exits with a status of its own.
func tryGuestFilter() error {
	if !supported {
		return errUnsupported
	}
	const base, status = 0x40_0000, 42
	var a assembly
	a.bytes(0xbf) // mov edi, status
	a.word(status)
	a.number(syscall.SYS_EXIT_GROUP)
	image, err := AddGuestFilter(staticELF(base, a.code))
	if err != nil {
		return err
	}
	file, err := memoryFile("ordeal-guard", image)
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
