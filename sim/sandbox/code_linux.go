package sandbox

import (
	"encoding/binary"
	"errors"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"ordeal/gen/emit/elf/x86"
)

// supported says whether this machine can execute the code generated here.
const supported = runtime.GOOS == "linux" && runtime.GOARCH == "amd64"

var errUnsupported = errors.New("not on " + runtime.GOOS + "/" + runtime.GOARCH)

type step uint16

const (
	stepReport step = iota + 1
	stepMount
	stepPrivileges
	stepLandlock
	stepFilter
	stepFork
	stepExecute
	stepExit // no failure: the tool's wait status follows
)

var stepNames = map[step]string{
	stepReport: "prepare the report", stepMount: "mount /proc", stepPrivileges: "give up privileges",
	stepLandlock: "restrict files", stepFilter: "install the seccomp filter", stepFork: "fork",
}

// code is x86-64 machine code that confines the process that executes it. Its
// position does not matter.
type code struct {
	x86.Assembler
	failed x86.Label // reached with the step in rbx and the negative errno in rax
}

func newCode() *code {
	c := new(code)
	c.Code = make([]byte, 0, 512) // enough for a prologue
	c.failed = c.NewLabel()
	return c
}

// systemCall makes a system call with constant arguments.
func (c *code) systemCall(number uint64, args ...uint64) {
	for i, arg := range args {
		c.MovImm([]x86.Reg{x86.RDI, x86.RSI, x86.RDX, x86.R10, x86.R8}[i], arg)
	}
	c.MovImm(x86.RAX, number)
	c.Syscall()
}

// orFail goes on at failed if the last system call failed.
func (c *code) orFail(s step) {
	c.MovImm(x86.RBX, uint64(s))
	c.Test(x86.RAX, x86.RAX)
	c.Jcc(x86.Sign, c.failed)
}

// noNewPrivileges keeps the process from privileges that an executable could
// give it.
func (c *code) noNewPrivileges() {
	c.systemCall(syscall.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	c.orFail(stepPrivileges)
}

// installFilter installs a filter, whose instructions are at program.
// noNewPrivileges comes before it.
func (c *code) installFilter(f filter, program x86.Label) {
	// struct sock_fprog: a length and an address.
	c.MovImm(x86.RAX, uint64(len(f)))
	c.Store(x86.At(x86.RSP, -16), x86.RAX)
	c.LeaLabel(x86.RAX, program)
	c.Store(x86.At(x86.RSP, -8), x86.RAX)
	c.Lea(x86.RDX, x86.At(x86.RSP, -16))
	// Without SPEC_ALLOW, kernels may restrict the speculation of filtered
	// processes, past stores above all: programs under test would not see the
	// processor as others do.
	const sysSeccomp = 317
	c.systemCall(sysSeccomp, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW)
	c.orFail(stepFilter)
}

// finish exits with ExitFilterRefused and appends the filter.
func (c *code) finish(f filter, program x86.Label) []byte {
	c.systemCall(syscall.SYS_EXIT_GROUP, ExitFilterRefused)
	for len(c.Code)%8 != 0 {
		c.Emit(0)
	}
	c.Place(program)
	for _, i := range f {
		c.Code = binary.LittleEndian.AppendUint16(c.Code, i.Code)
		c.Emit(i.Jt, i.Jf)
		c.Code = binary.LittleEndian.AppendUint32(c.Code, i.K)
	}
	c.Resolve()
	return c.Code
}
