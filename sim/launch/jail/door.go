package jail

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// door is the door's file, which stays open as long as this process lives.
var door = sync.OnceValues(func() (*os.File, error) {
	if !supported {
		return nil, errUnsupported
	}
	return inMemory("ordeal-door", imageOf(doorBase, doorCode()))
})

// Of the system call fcntl.
const setFD, closeOnExec = 2, 1

// reportFD is where the door waits to be admitted and says what went wrong: the
// first of ExtraFiles.
const reportFD = 3

var stepNames = map[uint32]string{
	stepReport: "prepare the report", stepPrivileges: "give up privileges", stepFilter: "install the filter of system calls",
}

// Entry is a process on its way into jail.
type Entry struct {
	path string // of the file to be executed
	// Both ends of a pair of sockets to the door; nil without a door.
	own, doors *os.File
}

func newEntry(path string) (*Entry, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make sockets: %w", err)
	}
	return &Entry{path, os.NewFile(uintptr(fds[0]), "own"), os.NewFile(uintptr(fds[1]), "door")}, nil
}

// Admit lets the process go on to its own file: it has started, and what is to
// be set from outside is set.
func (e *Entry) Admit() {
	if e.own == nil {
		return
	}
	_, _ = e.own.Write([]byte{1}) // it may have been killed
}

// End must be called when the process has ended or could not be started. It
// tells why the process could not be confined or executed, if so.
func (e *Entry) End() error {
	if e.own == nil {
		return nil
	}
	defer e.own.Close() // only read from here on
	if err := e.doors.Close(); err != nil {
		return fmt.Errorf("execute %s: %w", e.path, err)
	}
	// The file that was executed has closed its end, and so have processes
	// that it left behind.
	word := make([]byte, 8)
	n, err := e.own.Read(word)
	if n < len(word) || err != nil {
		return nil
	}
	errno, step := syscall.Errno(binary.LittleEndian.Uint16(word)), uint32(binary.LittleEndian.Uint16(word[2:]))
	if step == stepExecute {
		return fmt.Errorf("execute %s: %w", e.path, &executeError{errno})
	}
	return fmt.Errorf("execute %s: %s: %w", e.path, stepNames[step], errno)
}

// executeError is that the file itself could not be executed.
type executeError struct{ errno syscall.Errno }

func (e *executeError) Error() string { return e.errno.Error() }

func (e *executeError) Unwrap() error { return e.errno }

// doorBase is where the door is loaded.
const doorBase = 0x7000_0000

// doorCode is the door's machine code.
func doorCode() []byte {
	var a assembly
	a.call(stepReport, syscall.SYS_FCNTL, reportFD, setFD, closeOnExec)
	// Wait to be admitted.
	a.bytes(0xbf) // mov edi, reportFD
	a.word(reportFD)
	a.bytes(0x48, 0x8d, 0x74, 0x24, 0xf0) // lea rsi, [rsp-16]
	a.bytes(0xba)                         // mov edx, 1
	a.word(1)
	a.number(syscall.SYS_READ)
	a.confine(doorBase+imageHead, toolFilter(), func() {
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
