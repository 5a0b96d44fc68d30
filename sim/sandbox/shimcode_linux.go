package sandbox

import (
	"encoding/binary"
	"math"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ordeal/gen/emit/elf/x86"
)

// shimKind is what a shim does beside what all do.
type shimKind struct{ mounts, landlock bool }

// shims are the executables that were needed, which stay open as long as this
// process lives.
var shims = struct {
	sync.Mutex
	files map[shimKind]*os.File
}{files: map[shimKind]*os.File{}}

func shimFile(kind shimKind) (*os.File, error) {
	if !supported {
		return nil, errUnsupported
	}
	shims.Lock()
	defer shims.Unlock()
	if file := shims.files[kind]; file != nil {
		return file, nil
	}
	file, err := memoryFile("ordeal-shim", staticELF(shimCode(kind)))
	if err == nil {
		shims.files[kind] = file
	}
	return file, err
}

const (
	capabilities       = 64 // what a capability set has room for
	capabilityVersion3 = 0x2008_0522
	// linux/securebits.h: SECBIT_NOROOT (root is a user like others, without
	// capabilities after exec), SECBIT_NO_SETUID_FIXUP and
	// SECBIT_NO_CAP_AMBIENT_RAISE on, SECBIT_KEEP_CAPS off, and all locked.
	securityBits = 0xef

	signalSetBytes = 8
	procFlags      = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
)

// shimData are the constants that system calls of the shim refer to.
type shimData struct {
	root, proc, procDir, sysDir, mountAttr, capabilities, noCapabilities, allSignals, noSignals x86.Label
}

// shimCode confines the process, forks, executes the tool in the child, and
// waits there for all processes that become its children: it is the first of
// its pid namespace or, without one, a subreaper. When the tool ends it reports
// the status and waits to be killed, with everything that is left.
func shimCode(kind shimKind) []byte {
	c, tools := newCode(), toolFilter()
	program := c.NewLabel()
	var d shimData
	for _, l := range []*x86.Label{
		&d.root, &d.proc, &d.procDir, &d.sysDir, &d.mountAttr, &d.capabilities, &d.noCapabilities, &d.allSignals, &d.noSignals,
	} {
		*l = c.NewLabel()
	}
	for fd := uint64(reportFD); fd <= rulesFD; fd++ {
		if fd == reportFD || kind.landlock {
			c.systemCall(syscall.SYS_FCNTL, fd, unix.F_SETFD, unix.FD_CLOEXEC)
			c.orFail(stepReport)
		}
	}
	c.readByte() // the release
	if kind.mounts {
		c.mounts(&d)
	}
	c.privileges(&d)
	if kind.landlock {
		c.systemCall(unix.SYS_LANDLOCK_RESTRICT_SELF, rulesFD, 0)
		c.orFail(stepLandlock)
	}
	c.installFilter(tools, program)
	// Signals to the group are for the tool: its parent blocks them, from
	// before it exists.
	c.signalMask(d.allSignals)
	c.systemCall(syscall.SYS_CLONE, uint64(syscall.SIGCHLD), 0, 0, 0, 0)
	c.orFail(stepFork)
	child := c.NewLabel()
	c.Jcc(x86.Equal, child)
	c.reap()
	c.Place(child)
	c.signalMask(d.noSignals)
	c.systemCall(syscall.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uint64(syscall.SIGKILL))
	c.execute()
	c.Place(c.failed)
	c.MovImm(x86.RCX, 0)
	c.Sub(x86.RCX, x86.RAX)
	c.report()
	c.systemCall(syscall.SYS_EXIT_GROUP, ExitFilterRefused)
	c.data(&d)
	return c.finish(tools, program)
}

// buffer is below the stack pointer, which nothing here moves.
func buffer() x86.Mem { return x86.At(x86.RSP, -16) }

// readByte waits for a byte from the other end of the report, or for its end.
func (c *code) readByte() {
	c.Lea(x86.RSI, buffer())
	c.MovImm(x86.RDX, 1)
	c.systemCall(syscall.SYS_READ, reportFD)
}

// report writes the low half of rcx, and the step in rbx.
func (c *code) report() {
	c.Shl(x86.RCX, 32)
	c.Shr(x86.RCX, 32)
	c.Shl(x86.RBX, 32)
	c.Or(x86.RCX, x86.RBX)
	c.Store(buffer(), x86.RCX)
	c.Lea(x86.RSI, buffer())
	c.MovImm(x86.RDX, reportBytes)
	c.systemCall(syscall.SYS_WRITE, reportFD)
}

// mounts gives the process a /proc of its own pid namespace, read-only as /sys
// is from then on: root owns files there that change the system.
func (c *code) mounts(d *shimData) {
	c.MovImm(x86.RDI, 0)
	c.LeaLabel(x86.RSI, d.root)
	c.MovImm(x86.RDX, 0)
	c.MovImm(x86.R10, unix.MS_REC|unix.MS_PRIVATE)
	c.MovImm(x86.R8, 0)
	c.systemCall(syscall.SYS_MOUNT)
	c.orFail(stepMount)
	c.LeaLabel(x86.RDI, d.proc)
	c.LeaLabel(x86.RSI, d.procDir)
	c.LeaLabel(x86.RDX, d.proc)
	c.MovImm(x86.R10, procFlags)
	c.MovImm(x86.R8, 0)
	c.systemCall(syscall.SYS_MOUNT)
	c.orFail(stepMount)
	// Linux 5.12. Older ones, and machines without /sys, fail without harm.
	c.MovImm(x86.RDI, uint64(math.MaxUint64+unix.AT_FDCWD+1))
	c.LeaLabel(x86.RSI, d.sysDir)
	c.MovImm(x86.RDX, unix.AT_RECURSIVE)
	c.LeaLabel(x86.R10, d.mountAttr)
	c.MovImm(x86.R8, 32)
	c.systemCall(unix.SYS_MOUNT_SETATTR)
}

// privileges drops all capabilities for good. Those that this process lacks
// cannot be dropped from what it could inherit; no_new_privs keeps it from
// gaining any.
func (c *code) privileges(d *shimData) {
	c.systemCall(syscall.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	c.orFail(stepPrivileges)
	c.systemCall(syscall.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	c.orFail(stepPrivileges)
	c.MovImm(x86.R12, capabilities)
	next := c.Here()
	c.Dec(x86.R12)
	c.Mov(x86.RSI, x86.R12)
	c.systemCall(syscall.SYS_PRCTL, unix.PR_CAPBSET_DROP)
	c.Test(x86.R12, x86.R12)
	c.Jcc(x86.NotEqual, next)
	c.systemCall(syscall.SYS_PRCTL, unix.PR_SET_SECUREBITS, securityBits, 0, 0, 0)
	c.LeaLabel(x86.RDI, d.capabilities)
	c.LeaLabel(x86.RSI, d.noCapabilities)
	c.systemCall(syscall.SYS_CAPSET)
	c.orFail(stepPrivileges)
	c.noNewPrivileges()
}

func (c *code) signalMask(set x86.Label) {
	c.LeaLabel(x86.RSI, set)
	c.MovImm(x86.RDX, 0)
	c.MovImm(x86.R10, signalSetBytes)
	c.systemCall(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK)
}

// reap waits for children until the one whose id is in rax has ended.
func (c *code) reap() {
	c.Mov(x86.R13, x86.RAX)
	next, ended := c.Here(), c.NewLabel()
	c.Lea(x86.RSI, buffer())
	c.MovImm(x86.RDX, 0)
	c.MovImm(x86.R10, 0)
	c.systemCall(syscall.SYS_WAIT4, math.MaxUint64) // any child
	c.Test(x86.RAX, x86.RAX)
	c.Jcc(x86.Sign, ended) // no child is left, which cannot be
	c.Sub(x86.RAX, x86.R13)
	c.Test(x86.RAX, x86.RAX)
	c.Jcc(x86.NotEqual, next)
	c.Load(x86.RCX, buffer())
	c.MovImm(x86.RBX, uint64(stepExit))
	c.report()
	c.readByte()
	c.Place(ended)
	c.systemCall(syscall.SYS_EXIT_GROUP, 0)
}

// execute executes the tool. The stack holds argc, argv, 0 and envp; argv[0]
// is left out.
func (c *code) execute() {
	c.Load(x86.RDI, x86.At(x86.RSP, 16))
	c.Lea(x86.RSI, x86.At(x86.RSP, 16))
	c.Load(x86.RDX, x86.At(x86.RSP, 0))
	c.Shl(x86.RDX, 3)
	c.Add(x86.RDX, x86.RSP)
	c.AddImm(x86.RDX, 16)
	c.systemCall(syscall.SYS_EXECVE)
	c.orFail(stepExecute)
}

func (c *code) data(d *shimData) {
	for _, text := range []struct {
		label x86.Label
		text  string
	}{{d.root, "/"}, {d.proc, "proc"}, {d.procDir, "/proc"}, {d.sysDir, "/sys"}} {
		c.Place(text.label)
		c.Emit([]byte(text.text + "\x00")...)
	}
	for len(c.Code)%8 != 0 {
		c.Emit(0)
	}
	c.Place(d.mountAttr) // struct mount_attr: attr_set, attr_clr, propagation, userns_fd
	c.words(unix.MOUNT_ATTR_RDONLY, 0, 0, 0)
	c.Place(d.capabilities) // struct __user_cap_header_struct: version, pid
	c.words(capabilityVersion3)
	c.Place(d.noCapabilities) // two of struct __user_cap_data_struct
	c.words(0, 0, 0)
	c.Place(d.allSignals)
	c.words(math.MaxUint64)
	c.Place(d.noSignals)
	c.words(0)
}

func (c *code) words(values ...uint64) {
	for _, v := range values {
		c.Code = binary.LittleEndian.AppendUint64(c.Code, v)
	}
}
