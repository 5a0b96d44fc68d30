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
	// absent has C libraries use clone in place of clone3, whose flags are in
	// memory where no filter can read them.
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// x32ABI is set in the system call numbers of the x32 ABI.
const x32ABI = 0x4000_0000

// Offsets in struct seccomp_data. An argument has two words, the low one first.
const (
	numberOffset       = 0
	architectureOffset = 4
	firstArgument      = 16
)

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
	f.skip(unix.BPF_JEQ, syscall.SYS_CLONE, 0, 3)
	f.load(firstArgument)
	f.endIf(threadFlags, allow)
	f.end(kill)
	return f
})

// toolDenied are the x86-64 numbers of system calls that no simulator needs:
// those that inspect or change other processes, change the system or its time,
// mounts and namespaces, load code into the kernel, or bypass this filter.
var toolDenied = []uint32{
	101, 310, 311, 312, 438, 440, // ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd, process_madvise
	165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442, // mount, umount2, pivot_root, chroot, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
	272, 308, // unshare, setns
	175, 313, 176, 246, 320, // init_module, finit_module, delete_module, kexec_load, kexec_file_load
	321, 298, 323, // bpf, perf_event_open, userfaultfd
	425, 426, 427, // io_uring_setup, io_uring_enter, io_uring_register
	248, 249, 250, // add_key, request_key, keyctl
	164, 159, 227, 305, // settimeofday, adjtimex, clock_settime, clock_adjtime
	169, 167, 168, 163, 179, 170, 171, 172, 173, 153, // reboot, swapon, swapoff, acct, quotactl, sethostname, setdomainname, iopl, ioperm, vhangup
	303, 304, // name_to_handle_at, open_by_handle_at
}

// namespaceFlags are the flags of clone that make namespaces.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// toolFilter denies toolDenied, namespaces and all sockets but local ones.
func toolFilter() filter {
	f := newFilter()
	f.skip(unix.BPF_JGE, x32ABI, 0, 1)
	f.end(deny)
	for _, number := range toolDenied {
		f.endIf(number, deny)
	}
	f.endIf(unix.SYS_CLONE3, absent)
	f.skip(unix.BPF_JEQ, syscall.SYS_CLONE, 0, 4)
	f.load(firstArgument)
	f.skip(unix.BPF_JSET, namespaceFlags, 0, 1)
	f.end(deny)
	f.end(allow)
	f.skip(unix.BPF_JEQ, syscall.SYS_SOCKET, 0, 3)
	f.load(firstArgument)
	f.skip(unix.BPF_JEQ, syscall.AF_UNIX, 1, 0)
	f.end(deny)
	f.end(allow)
	return f
}
