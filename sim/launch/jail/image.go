package jail

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// imageHead is the size of what precedes the code in imageOf.
const imageHead = 64 + 2*56

// imageOf is an executable of one segment, loaded at base, which runs code.
func imageOf(base uint64, code []byte) []byte {
	head := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Entry: base + imageHead, Ehsize: 64, Phentsize: 56, Phnum: 2, Phoff: 64,
	}
	copy(head.Ident[:], elf.ELFMAG)
	head.Ident[elf.EI_CLASS], head.Ident[elf.EI_DATA], head.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	size := imageHead + uint64(len(code))
	return encode(head, []elf.Prog64{
		{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: base,
			Filesz: size, Memsz: size, Align: pageSize,
		},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
	}, code)
}

// encode is values of fixed size as files hold them.
func encode(values ...any) []byte {
	var out bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&out, binary.LittleEndian, v); err != nil {
			panic("jail: " + err.Error()) // values of fixed size, into memory
		}
	}
	return out.Bytes()
}

// inMemory makes an executable file that is in no folder and that nobody can
// change.
func inMemory(name string, image []byte) (*os.File, error) {
	const (
		sysMemfdCreate = 319
		allowSealing   = 2
		addSeals       = 1033
		allSeals       = 0xf // seal, shrink, grow, write
	)
	text := append([]byte(name), 0)
	fd, _, errno := syscall.Syscall(sysMemfdCreate, uintptr(unsafe.Pointer(&text[0])), closeOnExec|allowSealing, 0)
	if errno != 0 {
		return nil, fmt.Errorf("create file in memory: %w", errno)
	}
	file := os.NewFile(fd, name)
	if _, err := file.Write(image); err != nil {
		return nil, fmt.Errorf("write file in memory: %w", errors.Join(err, file.Close()))
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, allSeals); errno != 0 {
		return nil, fmt.Errorf("seal file in memory: %w", errors.Join(errno, file.Close()))
	}
	return file, nil
}

// childPath is the path of an open file for a child of this process about to
// be executed.
func childPath(file *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", file.Fd()) }
