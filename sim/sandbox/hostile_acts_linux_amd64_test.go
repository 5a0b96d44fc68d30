package sandbox

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hostileAct is something that a tool may try. What it tries changes nothing but the
// victim, or nothing at all.
type hostileAct struct {
	name string
	try  func(v *victim) error
	// natural acts succeed without a sandbox, for every user; the others depend
	// on the user or have arguments that the kernel refuses.
	natural bool
	// landlock and others say what stops an act that no filter stops: Landlock
	// or separate processes. What is allowed is never stopped: simulators need it.
	landlock, others, allowed bool
}

// victim is what hostile acts are aimed at.
type victim struct {
	dir     string // with the file below, and elsewhere than the tool's directory
	file    string // of the tool's user
	service string // a socket that accepts connections
	inbox   string // a socket that accepts datagrams
	parent  int    // the process that started the tool
	open    int    // the file, opened for reading
}

// number is a system call without arguments, or with those given.
func number(trap uintptr, args ...uintptr) func(*victim) error {
	return func(*victim) error { return call(trap, args...) }
}

func call(trap uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := syscall.Syscall6(trap, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// bytePointer is a text in memory.
func bytePointer(text string) uintptr {
	b, err := unix.BytePtrFromString(text)
	if err != nil {
		panic(err) // the names here have no zero bytes
	}
	return uintptr(unsafe.Pointer(b))
}

const nowhere = ^uintptr(0) // as a file descriptor

var hostileActs = []hostileAct{
	{name: "chmod", natural: true, try: func(v *victim) error { return call(unix.SYS_CHMOD, bytePointer(v.file), 0o777) }},
	{name: "fchmod of a file open for reading", natural: true, try: func(v *victim) error { return unix.Fchmod(v.open, 0o777) }},
	{name: "fchmodat", natural: true, try: func(v *victim) error { return unix.Fchmodat(unix.AT_FDCWD, v.file, 0o777, 0) }},
	{name: "fchmodat2", try: func(v *victim) error { // Linux 6.6
		return call(unix.SYS_FCHMODAT2, unix.AT_FDCWD&(1<<64-1), bytePointer(v.file), 0o777, 0)
	}},
	{name: "chmod of its directory", natural: true, try: func(v *victim) error { return unix.Fchmodat(unix.AT_FDCWD, v.dir, 0o777, 0) }},
	{name: "chown", natural: true, try: func(v *victim) error {
		return call(unix.SYS_CHOWN, bytePointer(v.file), uintptr(os.Getuid()), uintptr(os.Getgid()))
	}},
	{name: "lchown", natural: true, try: func(v *victim) error { return os.Lchown(v.file, os.Getuid(), os.Getgid()) }},
	{name: "fchown", natural: true, try: func(v *victim) error { return unix.Fchown(v.open, os.Getuid(), os.Getgid()) }},
	{name: "fchownat", natural: true, try: func(v *victim) error { return unix.Fchownat(unix.AT_FDCWD, v.file, os.Getuid(), os.Getgid(), 0) }},
	{name: "utime", natural: true, try: func(v *victim) error { return call(unix.SYS_UTIME, bytePointer(v.file), 0) }},
	{name: "utimes", natural: true, try: func(v *victim) error { return call(unix.SYS_UTIMES, bytePointer(v.file), 0) }},
	{name: "futimesat", natural: true, try: func(v *victim) error { return unix.Futimesat(unix.AT_FDCWD, v.file, nil) }},
	{name: "utimensat", natural: true, try: func(v *victim) error { return os.Chtimes(v.file, time.Now(), time.Now()) }},
	{name: "utimensat of a file open for reading", natural: true, try: func(v *victim) error { return call(unix.SYS_UTIMENSAT, uintptr(v.open), 0, 0, 0) }},
	{name: "setxattr", try: func(v *victim) error { return unix.Setxattr(v.file, "user.hostile", []byte("x"), 0) }},
	{name: "lsetxattr", try: func(v *victim) error { return unix.Lsetxattr(v.file, "user.hostile", []byte("x"), 0) }},
	{name: "fsetxattr", try: func(v *victim) error { return unix.Fsetxattr(v.open, "user.hostile", []byte("x"), 0) }},
	{name: "removexattr", try: func(v *victim) error { return unix.Removexattr(v.file, "user.own") }},
	{name: "lremovexattr", try: func(v *victim) error { return unix.Lremovexattr(v.file, "user.own") }},
	{name: "fremovexattr", try: func(v *victim) error { return unix.Fremovexattr(v.open, "user.own") }},
	{name: "setxattrat", try: number(unix.SYS_SETXATTRAT, nowhere)},
	{name: "removexattrat", try: number(unix.SYS_REMOVEXATTRAT, nowhere)},
	{name: "file_setattr", try: number(unix.SYS_FILE_SETATTR, nowhere)},
	{name: "flags of a file", try: func(v *victim) error {
		flags := int64(0x80) // FS_NOATIME_FL
		return call(unix.SYS_IOCTL, uintptr(v.open), unix.FS_IOC_SETFLAGS, uintptr(unsafe.Pointer(&flags)))
	}},
	// Fits the low word of the argument, which is all that the kernel reads.
	{name: "flags of a file, with more bits", try: func(v *victim) error {
		flags := int64(0x80)
		return call(unix.SYS_IOCTL, uintptr(v.open), 1<<32|unix.FS_IOC_SETFLAGS, uintptr(unsafe.Pointer(&flags)))
	}},
	{name: "project of a file", try: number(unix.SYS_IOCTL, nowhere, 0x401c5820)},
	{name: "fs-verity", try: number(unix.SYS_IOCTL, nowhere, unix.FS_IOC_ENABLE_VERITY)},
	{name: "version of a file on ext4", try: func(v *victim) error { // EXT4_IOC_SETVERSION
		version := int64(12345)
		return call(unix.SYS_IOCTL, uintptr(v.open), 0x4008_6604, uintptr(unsafe.Pointer(&version)))
	}},
	{name: "flags of a subvolume of btrfs", try: number(unix.SYS_IOCTL, nowhere, 0x4008_941a)}, // BTRFS_IOC_SUBVOL_SETFLAGS
	{name: "request of some driver", try: number(unix.SYS_IOCTL, nowhere, 0x4008_ffff)},
	{name: "type into a terminal", try: number(unix.SYS_IOCTL, nowhere, unix.TIOCSTI)},
	{name: "paste into a console", try: number(unix.SYS_IOCTL, nowhere, unix.TIOCLINUX)},

	{name: "truncate", natural: true, try: func(v *victim) error { return unix.Truncate(v.file, 0) }},
	{name: "truncate by open for reading", natural: true, try: func(v *victim) error {
		return call(unix.SYS_OPEN, bytePointer(v.file), unix.O_RDONLY|unix.O_TRUNC, 0)
	}},
	{name: "truncate by openat for reading", natural: true, try: func(v *victim) error { return access(v.file, os.O_RDONLY|os.O_TRUNC) }},
	{name: "truncate by open for neither", natural: true, try: func(v *victim) error { return access(v.file, unix.O_ACCMODE|os.O_TRUNC) }},
	{name: "openat2", natural: true, try: func(v *victim) error {
		_, err := unix.Openat2(unix.AT_FDCWD, v.file, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC})
		return err
	}},
	{name: "open for writing", natural: true, landlock: true, try: func(v *victim) error { return access(v.file, os.O_WRONLY) }},
	{name: "truncate by open for writing", natural: true, landlock: true, try: func(v *victim) error { return access(v.file, os.O_WRONLY|os.O_TRUNC) }},
	{name: "creat", natural: true, landlock: true, try: func(v *victim) error { return access(v.dir+"/new", os.O_CREATE|os.O_WRONLY) }},
	{name: "rename", natural: true, landlock: true, try: func(v *victim) error { return os.Rename(v.file, v.file) }},
	{name: "link", natural: true, landlock: true, try: func(v *victim) error { return os.Link(v.file, v.dir+"/link") }},
	{name: "link to here", natural: true, landlock: true, try: func(v *victim) error { return os.Link(v.file, "link") }},
	{name: "symlink", natural: true, landlock: true, try: func(v *victim) error { return os.Symlink(v.file, v.dir+"/symlink") }},
	{name: "mkdir", natural: true, landlock: true, try: func(v *victim) error { return os.Mkdir(v.dir+"/new dir", 0o700) }},
	{name: "mkfifo", natural: true, landlock: true, try: func(v *victim) error { return unix.Mkfifo(v.dir+"/fifo", 0o600) }},
	{name: "unlink", natural: true, landlock: true, try: func(v *victim) error { return os.Remove(v.dir + "/other") }},

	{name: "connect to a service by its path", natural: true, try: func(v *victim) error { return dial("unix", v.service) }},
	{name: "datagram by a path", natural: true, try: func(v *victim) error { return dial("unixgram", v.inbox) }},
	{name: "datagram by a pair", natural: true, try: func(v *victim) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: v.inbox})
	}},
	{name: "pair of raw sockets", natural: true, try: number(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0, bytePointer("12345678"))},
	{name: "pair of TIPC", try: number(unix.SYS_SOCKETPAIR, unix.AF_TIPC, unix.SOCK_STREAM)},
	{name: "listen here", natural: true, try: func(*victim) error { return listen("socket") }},
	{name: "socket of IPv4", try: number(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)},
	{name: "socket of IPv6", try: number(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM, 0)},
	{name: "socket of netlink", try: number(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0)},
	{name: "socket of packets", try: number(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{name: "socket of the host", try: number(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{name: "socket of ciphers", try: number(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{name: "connect", try: number(unix.SYS_CONNECT, nowhere)},
	{name: "bind", try: number(unix.SYS_BIND, nowhere)},
	{name: "listen", try: number(unix.SYS_LISTEN, nowhere)},
	{name: "accept", try: number(unix.SYS_ACCEPT, nowhere)},
	{name: "accept4", try: number(unix.SYS_ACCEPT4, nowhere)},

	{name: "memfd_create", natural: true, try: number(unix.SYS_MEMFD_CREATE, bytePointer("x"), 0)},
	{name: "memfd_secret", try: number(unix.SYS_MEMFD_SECRET, 0)},
	{name: "personality", natural: true, try: number(unix.SYS_PERSONALITY, 0x0040000)},
	{name: "uselib", try: number(unix.SYS_USELIB)},
	{name: "modify_ldt", try: number(unix.SYS_MODIFY_LDT, 99)},

	{name: "limits of the parent", natural: true, try: func(v *victim) error { return unix.Prlimit(v.parent, unix.RLIMIT_CORE, nil, &unix.Rlimit{}) }},
	{name: "signal to the parent", natural: true, others: true, try: func(v *victim) error { return unix.Kill(v.parent, 0) }},
	{name: "pidfd_open", natural: true, try: func(v *victim) error { return call(unix.SYS_PIDFD_OPEN, uintptr(v.parent), 0) }},
	{name: "pidfd_send_signal", try: number(unix.SYS_PIDFD_SEND_SIGNAL, nowhere)},
	{name: "pidfd_getfd", try: number(unix.SYS_PIDFD_GETFD, nowhere)},
	{name: "ptrace", try: number(unix.SYS_PTRACE, 99)},
	{name: "process_vm_readv", try: func(v *victim) error { return call(unix.SYS_PROCESS_VM_READV, uintptr(v.parent)) }},
	{name: "process_vm_writev", try: func(v *victim) error { return call(unix.SYS_PROCESS_VM_WRITEV, uintptr(v.parent)) }},
	{name: "process_madvise", try: number(unix.SYS_PROCESS_MADVISE, nowhere)},
	{name: "process_mrelease", try: number(unix.SYS_PROCESS_MRELEASE, nowhere)},
	{name: "kcmp", try: func(v *victim) error { return call(unix.SYS_KCMP, uintptr(v.parent), uintptr(v.parent)) }},
	{name: "move_pages", try: func(v *victim) error { return call(unix.SYS_MOVE_PAGES, uintptr(v.parent)) }},
	{name: "migrate_pages", try: func(v *victim) error { return call(unix.SYS_MIGRATE_PAGES, uintptr(v.parent)) }},
	{name: "shmget", natural: true, try: number(unix.SYS_SHMGET, 0, 4096, 0)}, // IPC_PRIVATE, no rights: of no use to others
	{name: "shmat", try: number(unix.SYS_SHMAT, nowhere)},
	{name: "shmctl", try: number(unix.SYS_SHMCTL, nowhere)},
	{name: "semget", try: number(unix.SYS_SEMGET, 1, 0, 0)},
	{name: "semctl", try: number(unix.SYS_SEMCTL, nowhere)},
	{name: "semop", try: number(unix.SYS_SEMOP, nowhere)},
	{name: "semtimedop", try: number(unix.SYS_SEMTIMEDOP, nowhere)},
	{name: "msgget", try: number(unix.SYS_MSGGET, 1, 0)},
	{name: "msgsnd", try: number(unix.SYS_MSGSND, nowhere)},
	{name: "msgrcv", try: number(unix.SYS_MSGRCV, nowhere)},
	{name: "msgctl", try: number(unix.SYS_MSGCTL, nowhere)},
	{name: "mq_open", try: number(unix.SYS_MQ_OPEN, bytePointer("nothing"), 0)},
	{name: "mq_unlink", try: number(unix.SYS_MQ_UNLINK, bytePointer("nothing"))},

	{name: "unshare", try: number(unix.SYS_UNSHARE, 0)},
	{name: "setns", try: number(unix.SYS_SETNS, nowhere, 0)},
	{name: "clone of a namespace", try: number(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_FS)}, // a contradiction
	{name: "clone3", try: number(unix.SYS_CLONE3, 0, 0)},
	{name: "mount", try: number(unix.SYS_MOUNT)},
	{name: "umount2", try: number(unix.SYS_UMOUNT2, 0, 0xffff)},
	{name: "pivot_root", try: number(unix.SYS_PIVOT_ROOT)},
	{name: "chroot", try: number(unix.SYS_CHROOT)},
	{name: "open_tree", try: number(unix.SYS_OPEN_TREE, nowhere)},
	{name: "open_tree_attr", try: number(unix.SYS_OPEN_TREE_ATTR, nowhere)},
	{name: "move_mount", try: number(unix.SYS_MOVE_MOUNT, nowhere)},
	{name: "fsopen", try: number(unix.SYS_FSOPEN)},
	{name: "fsconfig", try: number(unix.SYS_FSCONFIG, nowhere)},
	{name: "fsmount", try: number(unix.SYS_FSMOUNT, nowhere)},
	{name: "fspick", try: number(unix.SYS_FSPICK, nowhere)},
	{name: "mount_setattr", try: number(unix.SYS_MOUNT_SETATTR, nowhere)},
	{name: "name_to_handle_at", try: number(unix.SYS_NAME_TO_HANDLE_AT, nowhere)},
	{name: "open_by_handle_at", try: number(unix.SYS_OPEN_BY_HANDLE_AT, nowhere)},
	{name: "fanotify_init", try: number(unix.SYS_FANOTIFY_INIT, 0xffff_ffff)},

	{name: "bpf", try: number(unix.SYS_BPF, 0xffff)},
	{name: "perf_event_open", try: number(unix.SYS_PERF_EVENT_OPEN)},
	{name: "userfaultfd", try: number(unix.SYS_USERFAULTFD, 0xffff_ffff)},
	{name: "io_uring_setup", try: number(unix.SYS_IO_URING_SETUP)},
	{name: "io_uring_enter", try: number(unix.SYS_IO_URING_ENTER, nowhere)},
	{name: "io_uring_register", try: number(unix.SYS_IO_URING_REGISTER, nowhere)},
	{name: "add_key", try: number(unix.SYS_ADD_KEY)},
	{name: "request_key", try: number(unix.SYS_REQUEST_KEY)},
	{name: "keyctl", try: number(unix.SYS_KEYCTL, 0xffff)},
	{name: "init_module", try: number(unix.SYS_INIT_MODULE)},
	{name: "finit_module", try: number(unix.SYS_FINIT_MODULE, nowhere)},
	{name: "delete_module", try: number(unix.SYS_DELETE_MODULE)},
	{name: "kexec_load", try: number(unix.SYS_KEXEC_LOAD, 0, 99)},
	{name: "kexec_file_load", try: number(unix.SYS_KEXEC_FILE_LOAD, nowhere)},
	{name: "settimeofday", try: number(unix.SYS_SETTIMEOFDAY, nowhere)},
	{name: "adjtimex", try: number(unix.SYS_ADJTIMEX)},
	{name: "clock_settime", try: number(unix.SYS_CLOCK_SETTIME, 99)},
	{name: "clock_adjtime", try: number(unix.SYS_CLOCK_ADJTIME, 99)},
	{name: "reboot", try: number(unix.SYS_REBOOT)},
	{name: "swapon", try: number(unix.SYS_SWAPON)},
	{name: "swapoff", try: number(unix.SYS_SWAPOFF, nowhere)},
	{name: "acct", try: number(unix.SYS_ACCT, nowhere)},
	{name: "quotactl", try: number(unix.SYS_QUOTACTL)},
	{name: "syslog", try: number(unix.SYS_SYSLOG, 99)},
	{name: "sethostname", try: number(unix.SYS_SETHOSTNAME, 0, nowhere)},
	{name: "setdomainname", try: number(unix.SYS_SETDOMAINNAME, 0, nowhere)},
	{name: "iopl", try: number(unix.SYS_IOPL, 99)},
	{name: "ioperm", try: number(unix.SYS_IOPERM, nowhere)},
	{name: "vhangup", try: number(unix.SYS_VHANGUP)},

	{name: "setuid program by open", natural: true, try: func(*victim) error {
		return call(unix.SYS_OPEN, bytePointer("u1"), unix.O_WRONLY|unix.O_CREAT, 0o4755)
	}},
	{name: "setuid program by openat", natural: true, try: func(*victim) error {
		return call(unix.SYS_OPENAT, unix.AT_FDCWD&(1<<64-1), bytePointer("u2"), unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC, 0o4755)
	}},
	{name: "setgid program by creat", natural: true, try: func(*victim) error { return call(unix.SYS_CREAT, bytePointer("u3"), 0o2755) }},
	{name: "setuid program by mknod", natural: true, try: func(*victim) error {
		return call(unix.SYS_MKNOD, bytePointer("u4"), unix.S_IFREG|0o4755)
	}},
	{name: "setuid program by mknodat", natural: true, try: func(*victim) error {
		return call(unix.SYS_MKNODAT, unix.AT_FDCWD&(1<<64-1), bytePointer("u5"), unix.S_IFREG|0o6755)
	}},
	{name: "setuid program without a name", try: func(*victim) error { // O_TMPFILE, not on every file system
		return call(unix.SYS_OPEN, bytePointer("."), unix.O_RDWR|unix.O_TMPFILE, 0o4755)
	}},

	{name: "mode of a file that is not made", natural: true, allowed: true, try: func(v *victim) error {
		return call(unix.SYS_OPEN, bytePointer(v.file), unix.O_RDONLY, 0o6777)
	}},
	{name: "program", natural: true, allowed: true, try: func(*victim) error {
		return call(unix.SYS_OPEN, bytePointer("u6"), unix.O_WRONLY|unix.O_CREAT, 0o755)
	}},
	{name: "bytes left to read", natural: true, allowed: true, try: func(v *victim) error {
		var n int32
		return call(unix.SYS_IOCTL, uintptr(v.open), unix.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	}},
	{name: "pair of stream sockets", natural: true, allowed: true, try: number(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0, bytePointer("12345678"))},
	{name: "own limits", natural: true, allowed: true, try: func(*victim) error { return unix.Prlimit(0, unix.RLIMIT_CORE, nil, &unix.Rlimit{}) }},
	{name: "own personality", natural: true, allowed: true, try: number(unix.SYS_PERSONALITY, 0xffff_ffff)},
	{name: "truncate an own file", natural: true, allowed: true, try: func(*victim) error { return os.WriteFile("own", nil, 0o600) }},
	{name: "read", natural: true, allowed: true, try: func(v *victim) error { return access(v.file, os.O_RDONLY) }},
	{name: "rename an own file", natural: true, allowed: true, try: func(*victim) error { return os.Rename("own", "owned") }},

	{name: "call of the x32 ABI", try: number(x32ABI | 512)}, // rt_sigaction
}

func dial(network, path string) error {
	c, err := net.Dial(network, path)
	if err == nil {
		_, err = c.Write([]byte("x"))
		err = errors.Join(err, c.Close())
	}
	return err
}

func listen(path string) error {
	l, err := net.Listen("unix", path)
	if err == nil {
		err = l.Close()
	}
	return err
}
