package sandbox

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Results of a filter.
const (
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS // by SIGSYS
	deny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// absent is the answer of a kernel that has no such call.
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// x32ABI is set in the system call numbers of the x32 ABI.
const x32ABI = 0x4000_0000

// Offsets in struct seccomp_data. An argument has two words, the low one first.
const (
	numberOffset       = 0
	architectureOffset = 4
	argumentOffset     = 16
)

// argument is the offset of the low word of an argument, counted from 0.
func argument(n uint32) uint32 { return argumentOffset + 8*n }

type filter []unix.SockFilter

func (f *filter) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// skip compares the word loaded last with operand, by BPF_JEQ, BPF_JGE or
// BPF_JSET (any bit in common), and skips instructions depending on the result.
func (f *filter) skip(comparison uint16, operand uint32, ifTrue, ifFalse uint8) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jt: ifTrue, Jf: ifFalse, K: operand})
}

func (f *filter) end(result uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: result})
}

// endIf returns a result if the word loaded last is value.
func (f *filter) endIf(value, result uint32) {
	f.skip(unix.BPF_JEQ, value, 0, 1)
	f.end(result)
}

// on decides about a call, by instructions that end with a result. The word
// loaded last is its number, and still is behind it.
func (f *filter) on(number uint32, decide func(*filter)) {
	var body filter
	decide(&body)
	f.skip(unix.BPF_JEQ, number, 0, uint8(len(body)))
	*f = append(*f, body...)
}

// newFilter kills calls of other architectures and loads the call's number.
func newFilter() (f filter) {
	f.load(architectureOffset)
	f.skip(unix.BPF_JEQ, unix.AUDIT_ARCH_X86_64, 1, 0)
	f.end(kill)
	f.load(numberOffset)
	return f
}

// threadFlags are those with which generated programs start threads: VM, FS,
// FILES, SIGHAND, THREAD, SYSVSEM. Other flags could start a process.
const threadFlags = 0x50f00

// guestFilter allows what a generated program needs.
var guestFilter = sync.OnceValue(func() filter {
	f := newFilter()
	for _, number := range []uint32{syscall.SYS_WRITE, syscall.SYS_SCHED_YIELD, syscall.SYS_EXIT, syscall.SYS_EXIT_GROUP} {
		f.endIf(number, allow)
	}
	f.on(syscall.SYS_CLONE, func(f *filter) {
		f.load(argument(0))
		f.endIf(threadFlags, allow)
		f.end(kill)
	})
	f.end(kill)
	return f
})
