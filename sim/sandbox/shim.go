package sandbox

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// shimFile is the shim's executable, which stays open as long as this process
// lives.
var shimFile = sync.OnceValues(func() (*os.File, error) {
	if !supported {
		return nil, errUnsupported
	}
	return memoryFile("ordeal-shim", staticELF(shimBase, shimCode()))
})

// reportFD is where the shim waits for its release and reports failures: the
// first of ExtraFiles.
const reportFD = 3

var stepNames = map[uint32]string{
	stepReport: "prepare the report", stepPrivileges: "give up privileges", stepFilter: "install the seccomp filter",
}

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
	report := make([]byte, 8)
	n, err := s.local.Read(report)
	if n < len(report) || err != nil {
		return nil
	}
	errno, step := syscall.Errno(binary.LittleEndian.Uint16(report)), uint32(binary.LittleEndian.Uint16(report[2:]))
	if step == stepExecute {
		return fmt.Errorf("execute %s: %w", s.path, &executeError{errno})
	}
	return fmt.Errorf("execute %s: %s: %w", s.path, stepNames[step], errno)
}

// executeError says that the tool itself could not be executed.
type executeError struct{ errno syscall.Errno }

func (e *executeError) Error() string { return e.errno.Error() }

func (e *executeError) Unwrap() error { return e.errno }

// shimBase is where the shim is loaded.
const shimBase = 0x7000_0000

// shimCode is the shim's machine code.
func shimCode() []byte {
	var a assembly
	a.call(stepReport, syscall.SYS_FCNTL, reportFD, unix.F_SETFD, unix.FD_CLOEXEC)
	// Wait for the release.
	a.bytes(0xbf) // mov edi, reportFD
	a.word(reportFD)
	a.bytes(0x48, 0x8d, 0x74, 0x24, 0xf0) // lea rsi, [rsp-16]
	a.bytes(0xba)                         // mov edx, 1
	a.word(1)
	a.number(syscall.SYS_READ)
	a.confine(shimBase+imageHead, toolFilter(), func() {
		a.bytes(0xbb) // mov ebx, step
		a.word(stepExecute)
		// The stack holds the number of arguments, the arguments, a zero and
		// the environment. The first argument is left out.
		a.bytes(0x48, 0x8b, 0x7c, 0x24, 0x10) // mov rdi, [rsp+16]
		a.bytes(0x48, 0x8d, 0x74, 0x24, 0x10) // lea rsi, [rsp+16]
		a.bytes(0x48, 0x8b, 0x14, 0x24)       // mov rdx, [rsp]
		a.bytes(0x48, 0x8d, 0x54, 0xd4, 0x10) // lea rdx, [rsp+8*rdx+16]
		a.number(syscall.SYS_EXECVE)
		a.fail(func() {
			a.bytes(0xf7, 0xd8)       // neg eax
			a.bytes(0xc1, 0xe3, 0x10) // shl ebx, 16
			a.bytes(0x09, 0xd8)       // or eax, ebx
			a.bytes(0x50)             // push rax
			a.bytes(0x48, 0x89, 0xe6) // mov rsi, rsp
			a.bytes(0xbf)             // mov edi, reportFD
			a.word(reportFD)
			a.bytes(0xba) // mov edx, 8
			a.word(8)
			a.number(syscall.SYS_WRITE)
		})
	})
	return a.code
}
