package sandbox

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// staticELF is an executable of one segment that runs code.
func staticELF(code []byte) []byte {
	const base, headers = 0x40_0000, 64 + 2*56
	header := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Entry: base + headers, Ehsize: 64, Phentsize: 56, Phnum: 2, Phoff: 64,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA], header.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	size := headers + uint64(len(code))
	return append(encode(nil, header, []elf.Prog64{
		{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: base,
			Filesz: size, Memsz: size, Align: pageSize,
		},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
	}), code...)
}

// encode appends values of fixed size to a file.
func encode(file []byte, values ...any) []byte {
	for _, v := range values {
		var err error
		if file, err = binary.Append(file, binary.LittleEndian, v); err != nil {
			panic("sandbox: " + err.Error()) // all values have a fixed size
		}
	}
	return file
}

// memoryFile makes a sealed executable file that is in no folder.
func memoryFile(name string, image []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("create file in memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.Write(image)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	}
	if err != nil {
		_ = file.Close() // the first error counts
		return nil, fmt.Errorf("write file in memory: %w", err)
	}
	return file, nil
}

// childPath is the path of an open file of this process for a child that is
// about to be executed.
func childPath(file *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", file.Fd()) }
