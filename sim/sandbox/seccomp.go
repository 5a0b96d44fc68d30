package sandbox

import "syscall"

// instruction is one of the classic Berkeley Packet Filter, as the kernel has
// it (struct sock_filter).
type instruction struct {
	Code         uint16
	Equal, Other uint8 // instructions to skip
	Operand      uint32
}

// Codes of instructions.
const (
	load    = 0x20 // a word of the call at an offset
	isEqual = 0x15 // compare with a constant, and skip
	atLeast = 0x35
	answer  = 0x06
)

// Offsets of struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// Answers of a filter.
const (
	allow    = 0x7fff_0000
	kill     = 0x8000_0000 // the process, by SIGSYS
	deny     = 0x0005_0000 | uint32(syscall.EPERM)
	archAMD  = 0xc000_003e // x86-64
	otherABI = 0x4000_0000 // bit of the numbers of the x32 ABI
)

// filter is a filter in the making.
type filter []instruction

func (f *filter) add(code uint16, operand uint32, equal, other int) {
	*f = append(*f, instruction{code, uint8(equal), uint8(other), operand})
}

func (f *filter) load(offset uint32) { f.add(load, offset, 0, 0) }
func (f *filter) answer(with uint32) { f.add(answer, with, 0, 0) }

// arg is the offset of the low half of argument n; the high half follows.
func arg(n uint32) uint32 { return offArgs + 8*n }

// begin kills calls of other architectures and leaves the call's number.
func (f *filter) begin() {
	f.load(offArch)
	f.add(isEqual, archAMD, 1, 0)
	f.answer(kill)
	f.load(offNumber)
}

// when answers calls of a number.
func (f *filter) when(number, with uint32) {
	f.add(isEqual, number, 0, 1)
	f.answer(with)
}

// threadFlags are those with which generated programs start threads: VM, FS,
// FILES, SIGHAND, THREAD, SYSVSEM. Anything else may be a process.
const threadFlags = 0x50f00

// guestFilter allows what a generated program needs.
func guestFilter() []instruction {
	var f filter
	f.begin()
	for _, number := range []uint32{syscall.SYS_WRITE, syscall.SYS_SCHED_YIELD, syscall.SYS_EXIT, syscall.SYS_EXIT_GROUP} {
		f.when(number, allow)
	}
	f.add(isEqual, syscall.SYS_CLONE, 0, 3)
	f.load(arg(0))
	f.when(threadFlags, allow)
	f.answer(kill)
	return f
}

// toolDenied are system calls that no simulator needs: those that look into
// other processes or change them, change the system or its time, mounts and
// namespaces, load code into the kernel, or get round this filter.
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

// toolFilter denies what toolDenied lists and sockets that are not local.
func toolFilter() []instruction {
	var f filter
	f.begin()
	f.add(atLeast, otherABI, 0, 1)
	f.answer(deny)
	for _, number := range toolDenied {
		f.when(number, deny)
	}
	f.add(isEqual, syscall.SYS_SOCKET, 0, 3)
	f.load(arg(0))
	f.add(isEqual, syscall.AF_UNIX, 1, 0)
	f.answer(deny)
	f.answer(allow)
	return f
}
