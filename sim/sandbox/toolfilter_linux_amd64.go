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

// deniedControls are the requests of ioctl that change attributes of files,
// for which an owner needs no more than to have them open for reading, and
// those that type into a terminal (linux/fs.h, fsverity.h, fscrypt.h, tty.h).
var deniedControls = []uint32{
	unix.FS_IOC_SETFLAGS, setFlags32, setAttributes, setVersion, setVersion32, setLabel, unix.FS_IOC_ENABLE_VERITY, unix.FS_IOC_SET_ENCRYPTION_POLICY,
	unix.TIOCSTI, unix.TIOCLINUX,
}

// Requests of ioctl that have no name elsewhere.
const (
	setFlags32    = 0x4004_6602 // FS_IOC32_SETFLAGS
	setAttributes = 0x401c_5820 // FS_IOC_FSSETXATTR
	setVersion    = 0x4008_7602 // FS_IOC_SETVERSION
	setVersion32  = 0x4004_7602 // FS_IOC32_SETVERSION
	setLabel      = 0x4100_9432 // FS_IOC_SETFSLABEL
)

// queryPersonality is the argument of personality that changes nothing.
const queryPersonality = 0xffff_ffff

// toolFilter denies toolDenied, namespaces, sockets but pairs of them, and what
// a version of Landlock does not restrict. Calls that were not there when this
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
		for _, request := range deniedControls {
			f.endIf(request, deny)
		}
		f.end(allow)
	})
	f.on(syscall.SYS_OPEN, func(f *filter) { f.truncation(argument(1)) })
	f.on(syscall.SYS_OPENAT, func(f *filter) { f.truncation(argument(2)) })
	f.end(allow)
	return f
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
