package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
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

// tryAll prints what happens to the hostile acts, one a line. Without a sandbox
// only natural acts are tried.
func tryAll(args []string) error {
	v := &victim{dir: args[0], file: args[0] + "/file", service: args[0] + "/service", inbox: args[0] + "/inbox"}
	parent, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	v.parent = parent
	if v.open, err = unix.Open(v.file, unix.O_RDONLY, 0); err != nil {
		return err
	}
	for _, a := range hostileActs {
		if a.natural || args[2] == "all" {
			fmt.Printf("%s: %v\n", a.name, a.try(v))
		}
	}
	return nil
}

// newVictim makes what hostile acts are aimed at, and returns what must not
// change.
func newVictim(t *testing.T) (dir string, state func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "") // short enough for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // may be left behind
	for _, name := range []string{"file", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = unix.Setxattr(dir+"/file", "user.own", []byte("x"), 0) // not on every file system
	for path, network := range map[string]string{"service": "unix", "inbox": "unixgram"} {
		listenOn(t, network, filepath.Join(dir, path))
	}
	past := time.Unix(1e9, 0)
	if err := errors.Join(os.Chtimes(dir+"/file", past, past), os.Chmod(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	return dir, func() string {
		var s strings.Builder
		for _, path := range []string{dir, dir + "/file"} {
			info, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			attributes := make([]byte, 1000)
			n, _ := unix.Listxattr(path, attributes) // none is no error that matters
			fmt.Fprintf(&s, "%v %v %d %q\n", info.Mode(), info.ModTime().Unix(), info.Size(), attributes[:max(n, 0)])
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&s, entries)
		return s.String()
	}
}

func listenOn(t *testing.T, network, path string) {
	t.Helper()
	if network == "unix" {
		l, err := net.Listen(network, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() }) // nothing was to connect
		return
	}
	l, err := net.ListenUnixgram(network, &net.UnixAddr{Net: network, Name: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // nothing was to be sent
}

// TestHostile has a tool try everything that should be stopped. Without a
// sandbox, what every user may do succeeds, so that it is the sandbox that
// stops it.
func TestHostile(t *testing.T) {
	for name, j := range isolations(t) {
		if !j.Filter && name != "none" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir, state := newVictim(t)
			before := state()
			which := map[bool]string{true: "all", false: "natural"}[j.Filter]
			out := act(t, j, "hostile", dir, strconv.Itoa(os.Getpid()), which)
			results := map[string]string{}
			for line := range strings.Lines(out) {
				name, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
				results[name] = result
			}
			for _, a := range hostileActs {
				result, tried := results[a.name]
				if !tried {
					if j.Filter || a.natural {
						t.Errorf("%s: not tried in %q", a.name, out)
					}
					continue
				}
				stopped := j.Filter
				switch {
				case a.allowed:
					stopped = false
				case a.landlock:
					stopped = j.Landlock > 0
				case a.others:
					stopped = j.Has(PIDNamespace) || j.Landlock >= 6
				}
				switch {
				case !stopped && result != "<nil>":
					t.Errorf("%s: %s", a.name, result)
				case stopped && (a.landlock || a.others) && result == "<nil>":
					t.Errorf("%s: not stopped", a.name)
				case stopped && !a.landlock && !a.others && !refusal(result):
					t.Errorf("%s: %s, want it refused by the filter", a.name, result)
				}
			}
			if after := state(); j.Landlock > 0 && after != before {
				t.Errorf("changed:\n%swas\n%s", after, before)
			}
		})
	}
}

// refusal reports whether a filter gave the answer.
func refusal(result string) bool {
	return strings.HasSuffix(result, unix.EPERM.Error()) || strings.HasSuffix(result, unix.ENOSYS.Error())
}

// TestToolArchitectures has tools make system calls of other instruction sets,
// whose numbers the filter does not know.
func TestToolArchitectures(t *testing.T) {
	if !BestIsolation().Filter {
		t.Skipf("no filter: %v", BestIsolation())
	}
	for _, test := range []struct {
		name string
		call func(p *program)
		want string
	}{
		{"nothing", func(*program) {}, "exit 42"},
		// Its number there is that of sched_yield here.
		{"int 0x80", func(p *program) { p.Emit(0xb8, 24, 0, 0, 0, 0xcd, 0x80) }, "SIGSYS"},
		// Code of 32 bits, by a far return to the segment 0x23: what it executes
		// is the same instruction.
		{"far return to 32 bits", func(p *program) {
			p.Emit(0x6a, 0x23)                        // push 0x23
			p.Emit(0x68, 0, 0, 0, 0)                  // push the address, below
			at := len(p.Code)                         // behind it
			p.Emit(0x48, 0xcb)                        // retfq
			p.Emit(0xb8, 24, 0, 0, 0, 0xcd, 0x80)     // mov eax, 24; int 0x80
			p.Emit(0xb8, 1, 0, 0, 0, 0xcd, 0x80)      // mov eax, 1; int 0x80
			address := 0x40_0000 + 64 + 2*56 + at + 2 // staticELF has the code there
			for i := range 4 {
				p.Code[at-4+i] = byte(address >> (8 * i))
			}
		}, "SIGSYS"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProgram("")
			test.call(p)
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, p.image(), 0o755); err != nil {
				t.Fatal(err)
			}
			status, err := Isolation{Filter: true}.start(exec.Command(path))
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("exit %d", status.ExitStatus())
			if status.Signaled() {
				got = unix.SignalName(status.Signal())
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestHostileUser has another user than root run the tests of hostile tools.
func TestHostileUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root becomes another user")
	}
	const other = 65534
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	// Not below a directory of this test, which are root's alone.
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // may be left behind
	binary := filepath.Join(dir, "test")
	if err := errors.Join(WriteExecutable(binary, data), os.Chown(dir, other, other)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^(TestHostile|TestToolArchitectures)$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("the directory of temporary files is root's alone: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "PASS: TestHostile/best") {
		t.Errorf("%v\n%s", err, out)
	}
}
