package sandbox

import (
	"errors"
	"runtime"
	"syscall"
)

// The code here is that of one architecture.
const supported = runtime.GOOS == "linux" && runtime.GOARCH == "amd64"

var errUnsupported = errors.New("not on " + runtime.GOOS + "/" + runtime.GOARCH)

const pageSize = 0x1000

// The steps of the shim, as reported.
const (
	stepReport uint32 = iota + 1
	stepPrivileges
	stepFilter
	stepExecute
)

// assembly is x86-64 machine code in the making.
type assembly struct {
	code     []byte
	failures []int // where relative jumps to the end stand
}

func (a *assembly) bytes(b ...byte) { a.code = append(a.code, b...) }

func (a *assembly) word(v uint32) { a.code = le.AppendUint32(a.code, v) }

// number puts the number of a system call in place and calls it.
func (a *assembly) number(n uint32) {
	a.bytes(0xb8) // mov eax, n
	a.word(n)
	a.bytes(0x0f, 0x05) // syscall
}

// call makes a system call with constant arguments. When it fails, the code
// goes on at fail, with the step in ebx and the error in rax. It returns where
// the last argument stands.
func (a *assembly) call(step, number uint32, args ...uint32) (last int) {
	a.bytes(0xbb) // mov ebx, step
	a.word(step)
	for i, arg := range args {
		a.bytes([][]byte{{0xbf}, {0xbe}, {0xba}, {0x41, 0xba}, {0x41, 0xb8}}[i]...) // mov edi, esi, edx, r10d, r8d
		last = len(a.code)
		a.word(arg)
	}
	a.number(number)
	a.bytes(0x48, 0x85, 0xc0) // test rax, rax
	a.bytes(0x0f, 0x88)       // js
	a.failures = append(a.failures, len(a.code))
	a.word(0)
	return last
}

// fail ends the code with what is done after a failure: report, and exit with
// ExitFilterRefused.
func (a *assembly) fail(report func()) {
	for _, at := range a.failures {
		le.PutUint32(a.code[at:], uint32(len(a.code)-at-4))
	}
	report()
	a.bytes(0xbf) // mov edi, status
	a.word(ExitFilterRefused)
	a.number(syscall.SYS_EXIT_GROUP)
}

// confine gives up privileges and installs a filter, which becomes part of
// the code; then is the code that follows, to its end. Base is the address of
// the code.
func (a *assembly) confine(base uint32, program []instruction, then func()) {
	const (
		setNoNewPrivs = 38
		setModeFilter = 1
		sysSeccomp    = 317
		// Without this flag, kernels may slow down the speculation of filtered
		// processes, past stores above all: programs under test would no longer
		// see the processor as others do.
		allowSpeculation = 4
	)
	a.call(stepPrivileges, syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0)
	argument := a.call(stepFilter, sysSeccomp, setModeFilter, allowSpeculation, 0) // not known yet
	then()
	for len(a.code)%8 != 0 {
		a.bytes(0)
	}
	le.PutUint32(a.code[argument:], base+uint32(len(a.code)))
	// struct sock_fprog: a length, padded, and an address.
	const headBytes = 16
	a.code = le.AppendUint64(a.code, uint64(len(program)))
	a.code = le.AppendUint64(a.code, uint64(base)+uint64(len(a.code)-8)+headBytes)
	for _, i := range program {
		a.code = le.AppendUint16(a.code, i.Code)
		a.bytes(i.Equal, i.Other)
		a.word(i.Operand)
	}
}
