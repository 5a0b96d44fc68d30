package sandbox

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// lastNumber is that of the last system call that was considered here, in Linux
// 7.0.
const lastNumber = unix.SYS_RSEQ_SLICE_YIELD

// toolDenied are system calls that no simulator needs.
var toolDenied = []uint32{
	// Attributes of files, which neither Landlock nor a file opened for reading
	// only keeps an owner from changing.
	unix.SYS_CHMOD, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2,
	unix.SYS_CHOWN, unix.SYS_FCHOWN, unix.SYS_LCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	unix.SYS_TRUNCATE, // in Landlock from version 3
	// Sockets, those of services on this machine included: who may connect to
	// one by its path is decided by the file's mode alone.
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	// What other processes of the user share by key or name.
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	// Code that is in no file.
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_USELIB, unix.SYS_MODIFY_LDT,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	// Namespaces and mounts.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	// Large interfaces of the kernel, and those that go around this filter.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_LSM_SET_SELF_ATTR,
	// The system, its kernel and its time.
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_SETTIMEOFDAY, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_VHANGUP,
}

// toolAbsent are those whose flags are in memory where no filter can read them:
// C libraries use older ones instead.
var toolAbsent = []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2}

// namespaceFlags are the flags of clone that make namespaces.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// allowedControls are the requests of ioctl that programs make of their own files and
// terminals. Others can change a file of the user that is open for reading only, as the
// file systems' own requests for attributes do, or type into a terminal: what a request
// does is up to its driver, so that the harmful ones cannot be listed (linux/fs.h,
// asm-generic/ioctls.h).
var allowedControls = []uint32{
	unix.TCGETS, unix.TCGETS2, unix.TIOCGWINSZ, unix.TIOCGPGRP, // is this a terminal, and how wide
	unix.TIOCINQ, doNotBlock, closeOnExec, keepOnExec,
	unix.FS_IOC_GETFLAGS, fileExtents, unix.FICLONE, unix.FICLONERANGE, // by which cp copies into a file that it writes
}

// Requests of ioctl that have no name elsewhere.
const (
	doNotBlock  = 0x5421      // FIONBIO
	keepOnExec  = 0x5450      // FIONCLEX
	closeOnExec = 0x5451      // FIOCLEX
	fileExtents = 0xc020_660b // FS_IOC_FIEMAP
)

// queryPersonality is the argument of personality that changes nothing.
const queryPersonality = 0xffff_ffff

// toolFilter denies toolDenied, namespaces, sockets but pairs of them, requests of
// drivers, executables that run as their owner, and what a version of Landlock does not
// restrict. Calls that were not there when this
// was written are absent, as on an older kernel.
func toolFilter() filter {
	f := newFilter()
	f.skip(unix.BPF_JGE, x32ABI, 0, 1)
	f.end(deny)
	f.skip(unix.BPF_JGE, lastNumber+1, 0, 1)
	f.end(absent)
	for _, number := range toolDenied {
		f.endIf(number, deny)
	}
	for _, number := range toolAbsent {
		f.endIf(number, absent)
	}
	f.on(syscall.SYS_CLONE, func(f *filter) {
		f.load(argument(0))
		f.skip(unix.BPF_JSET, namespaceFlags, 0, 1)
		f.end(deny)
		f.end(allow)
	})
	// A pair of stream sockets is connected for good, one of datagram sockets
	// sends to every address.
	f.on(syscall.SYS_SOCKETPAIR, func(f *filter) {
		f.load(argument(0))
		f.skip(unix.BPF_JEQ, syscall.AF_UNIX, 1, 0)
		f.end(deny)
		f.load(argument(1))
		f.skip(unix.BPF_JSET, syscall.SOCK_DGRAM, 0, 1)
		f.end(deny)
		f.end(allow)
	})
	f.on(unix.SYS_PERSONALITY, func(f *filter) {
		f.load(argument(0))
		f.endIf(queryPersonality, allow)
		f.end(deny)
	})
	// Only limits of the process itself, which is 0.
	f.on(unix.SYS_PRLIMIT64, func(f *filter) {
		f.load(argument(0))
		f.endIf(0, allow)
		f.end(deny)
	})
	f.on(syscall.SYS_IOCTL, func(f *filter) {
		f.load(argument(1))
		for _, request := range allowedControls {
			f.endIf(request, allow)
		}
		f.end(deny)
	})
	f.on(syscall.SYS_OPEN, func(f *filter) { f.open(argument(1), argument(2)) })
	f.on(syscall.SYS_OPENAT, func(f *filter) { f.open(argument(2), argument(3)) })
	for number, mode := range map[uint32]uint32{syscall.SYS_CREAT: 1, syscall.SYS_MKNOD: 1, syscall.SYS_MKNODAT: 2} {
		f.on(number, func(f *filter) {
			f.setID(argument(mode))
			f.end(allow)
		})
	}
	f.end(allow)
	return f
}

// setID denies making a file with a mode by which it would execute as its owner or group,
// whoever executes it.
func (f *filter) setID(mode uint32) {
	f.load(mode)
	f.skip(unix.BPF_JSET, syscall.S_ISUID|syscall.S_ISGID, 0, 1)
	f.end(deny)
}

// open decides about opening a file. The mode means something if it is to be made.
func (f *filter) open(flags, mode uint32) {
	var made filter
	made.setID(mode)
	f.load(flags)
	f.skip(unix.BPF_JSET, syscall.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY, 0, uint8(len(made)))
	*f = append(*f, made...)
	f.truncation(flags)
}

// truncation denies opening a file for reading only and truncating it, which
// Landlock takes for reading before its version 3.
func (f *filter) truncation(flags uint32) {
	f.load(flags)
	f.skip(unix.BPF_JSET, syscall.O_TRUNC, 1, 0)
	f.end(allow)
	*f = append(*f, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: syscall.O_ACCMODE})
	f.endIf(syscall.O_WRONLY, allow)
	f.endIf(syscall.O_RDWR, allow)
	f.end(deny)
}
