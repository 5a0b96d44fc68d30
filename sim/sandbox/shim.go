package sandbox

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ordeal/gen/emit/elf/x86"
)

// shimFile is the shim's executable, which stays open as long as this process
// lives.
var shimFile = sync.OnceValues(func() (*os.File, error) {
	if !supported {
		return nil, errUnsupported
	}
	return memoryFile("ordeal-shim", staticELF(shimCode()))
})

// reportFD is where the shim waits for its release and reports failures: the
// first of ExtraFiles.
const reportFD = 3

// reportBytes is the size of a report.
const reportBytes = 8

// shim is a process that runs the shim, on its way to the tool. A nil shim is
// a process that was started without one.
type shim struct {
	path string // of the tool
	// Both ends of a pair of sockets.
	local, remote *os.File
}

func newShim(path string) (*shim, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make sockets: %w", err)
	}
	return &shim{path, os.NewFile(uintptr(fds[0]), "local"), os.NewFile(uintptr(fds[1]), "remote")}, nil
}

// release lets the process go on to the tool, after its limits are set.
func (s *shim) release() {
	if s != nil {
		_, _ = s.local.Write([]byte{1}) // it may have been killed
	}
}

// close must be called when the process has ended or could not be started. It
// returns why the process could not be confined or the tool not executed.
func (s *shim) close() error {
	if s == nil {
		return nil
	}
	defer s.local.Close() // only read from here on
	if err := s.remote.Close(); err != nil {
		return fmt.Errorf("execute %s: %w", s.path, err)
	}
	// The other end is closed on exec, so that this read does not wait for
	// processes that the tool left behind.
	report := make([]byte, reportBytes)
	n, err := s.local.Read(report)
	if n < len(report) || err != nil {
		return nil
	}
	errno, failed := syscall.Errno(binary.LittleEndian.Uint16(report)), step(binary.LittleEndian.Uint16(report[2:]))
	if failed == stepExecute {
		return fmt.Errorf("execute %s: %w", s.path, &executeError{errno})
	}
	return fmt.Errorf("execute %s: %s: %w", s.path, stepNames[failed], errno)
}

// executeError says that the tool itself could not be executed.
type executeError struct{ errno syscall.Errno }

func (e *executeError) Error() string { return e.errno.Error() }

func (e *executeError) Unwrap() error { return e.errno }

func shimCode() []byte {
	c, tools := newCode(), toolFilter()
	program := c.NewLabel()
	c.systemCall(syscall.SYS_FCNTL, reportFD, unix.F_SETFD, unix.FD_CLOEXEC)
	c.orFail(stepReport)
	// Wait for the release.
	buffer := x86.At(x86.RSP, -16)
	c.Lea(x86.RSI, buffer)
	c.MovImm(x86.RDX, 1)
	c.systemCall(syscall.SYS_READ, reportFD)
	c.installFilter(tools, program)
	// The stack holds argc, argv, 0 and envp; argv[0] is left out.
	c.Load(x86.RDI, x86.At(x86.RSP, 16))
	c.Lea(x86.RSI, x86.At(x86.RSP, 16))
	c.Load(x86.RDX, x86.At(x86.RSP, 0))
	c.Shl(x86.RDX, 3)
	c.Add(x86.RDX, x86.RSP)
	c.AddImm(x86.RDX, 16)
	c.systemCall(syscall.SYS_EXECVE)
	c.orFail(stepExecute)
	c.Place(c.failed)
	// Report errno and step, 16 bits each.
	c.MovImm(x86.RCX, 0)
	c.Sub(x86.RCX, x86.RAX)
	c.Shl(x86.RBX, 16)
	c.Or(x86.RCX, x86.RBX)
	c.Store(buffer, x86.RCX)
	c.Lea(x86.RSI, buffer)
	c.MovImm(x86.RDX, reportBytes)
	c.systemCall(syscall.SYS_WRITE, reportFD)
	return c.finish(tools, program)
}

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
