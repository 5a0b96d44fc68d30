package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deed is the environment variable that names what this binary does as an isolated tool,
// instead of running tests.
const deed = "ORDEAL_TEST_DEED"

func TestMain(m *testing.M) {
	if what := os.Getenv(deed); what != "" {
		if err := do(what, os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// do does what a simulator may, or should not.
func do(what string, args []string) error {
	dial := func(network string) error {
		c, err := net.Dial(network, args[0])
		if err == nil {
			err = c.Close()
		}
		return err
	}
	switch what {
	case "network":
		return dial("tcp")
	case "local socket of others": // an abstract one belongs to the network
		return dial("unix")
	case "start a process":
		return exec.Command("/bin/sh", "-c", "exit 0").Run()
	case "write a file":
		return os.WriteFile("file", nil, 0o644)
	case "namespaces":
		return syscall.Unshare(syscall.CLONE_NEWUTS)
	case "host name":
		// The name it has: nothing changes.
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return syscall.Sethostname([]byte(name))
	case "look into others":
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return syscall.PtraceAttach(pid)
	case "memory of others":
		return access("/proc/"+args[0]+"/mem", os.O_RDWR)
	case "environment of others":
		_, err := os.ReadFile("/proc/" + args[0] + "/environ")
		return err
	case "core pattern":
		return access("/proc/sys/kernel/core_pattern", os.O_WRONLY)
	case "huge pages":
		return access(hugePages, os.O_WRONLY)
	case "user namespace":
		cmd := exec.Command("/bin/sh", "-c", "exit 0")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		return cmd.Run()
	case "user namespace by clone3":
		return clone3(syscall.CLONE_NEWUSER)
	case "capabilities":
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		if sets := regexp.MustCompile(`(?m)^Cap(Eff|Prm|Inh|Amb):\t0*[1-9a-f]`).FindAllString(string(status), -1); len(sets) == 0 {
			return errors.New("no capabilities")
		}
		return nil
	case "write elsewhere":
		return os.WriteFile(filepath.Join(args[0], "elsewhere"), nil, 0o644)
	case "signal others":
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return syscall.Kill(pid, 0)
	case "inherited file":
		fd, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("hostile"))
		return err
	case "hostile":
		return tryAll(args)
	case "arguments":
		fmt.Printf("%q\n", args)
		return nil
	}
	return fmt.Errorf("unknown deed %s", what)
}

const hugePages = "/sys/kernel/mm/transparent_hugepage/enabled"

// access opens a file and changes nothing.
func access(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

// clone3 makes a process with flags that exits at once.
func clone3(flags uint64) error {
	args := struct{ flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64 }{
		flags: flags, exitSignal: uint64(syscall.SIGCHLD),
	}
	pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	if errno != 0 {
		return errno
	}
	for pid == 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := syscall.Wait4(int(pid), nil, 0, nil)
	return err
}

// act runs a deed isolated and returns what it printed.
func act(t *testing.T, j Isolation, what string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Dir = append(os.Environ(), deed+"="+what), t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if _, err := j.start(cmd); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// isolations are those that this machine allows.
func isolations(t *testing.T) map[string]Isolation {
	t.Helper()
	best := BestIsolation()
	t.Logf("best: %v", best)
	all := map[string]Isolation{"none": {}, "best": best}
	for name, j := range map[string]Isolation{
		"filter":                     {Filter: true},
		"Landlock":                   {Filter: true, Landlock: landlockABI()},
		"Landlock 1":                 {Filter: true, Landlock: 1},
		"namespaces":                 {Namespaces: outer},
		"filter and namespaces":      {Filter: true, Namespaces: outer},
		"filter and user namespaces": {Filter: true, Namespaces: slices.Concat([]Namespace{UserNamespace}, outer)},
		"filter and all namespaces":  {Filter: true, Namespaces: slices.Concat([]Namespace{UserNamespace}, inner, outer)},
	} {
		if strings.HasPrefix(name, "Landlock") && landlockABI() == 0 {
			t.Logf("not tested: %s", name)
			continue
		}
		if err := j.try(); err != nil {
			t.Logf("not tested: %s: %v", name, err)
			continue
		}
		all[name] = j
	}
	return all
}

// TestInherited has a file open that children inherit, as what started this process may
// have left one, and a tool that writes to it.
func TestInherited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() int {
		fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(fd) }) // nothing was to be written
		return fd
	}
	for name, j := range isolations(t) {
		if out := act(t, j, "inherited file", strconv.Itoa(open())); out == "done\n" {
			t.Errorf("%s: a tool wrote to it", name)
		}
	}
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
	fd := open()
	if err := closeEachOnExec(); err != nil {
		t.Fatal(err)
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("on an older kernel: flags %#x, %v, want the file closed", flags, err)
	}
}

// TestIsolation verifies what each isolation prevents, and what it does not.
func TestIsolation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are confined on Linux only")
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no network to be kept from: %v", err)
	}
	defer tcp.Close() // no process is to connect
	abstract := fmt.Sprintf("@ordeal-test-%d", os.Getpid())
	local, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close() // no process is to connect
	other := exec.Command("sleep", "infinity")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait() // says that it was killed
	}()
	others, parent := []string{strconv.Itoa(other.Process.Pid)}, []string{strconv.Itoa(os.Getpid())}
	canUser := Isolation{Namespaces: []Namespace{UserNamespace}}.try() == nil
	for name, j := range isolations(t) {
		t.Run(name, func(t *testing.T) {
			// Processes of one user may look into each other where neither has more
			// capabilities and no namespace or Landlock domain lies between.
			root := os.Getuid() == 0
			hidden := j.Filter && root || j.Has(UserNamespace) || j.Has(PIDNamespace) || j.Landlock > 0
			for _, test := range []struct {
				deed    string
				args    []string
				stopped bool
			}{
				{"network", []string{tcp.Addr().String()}, j.Filter || j.Has(NetworkNamespace)},
				{"local socket of others", []string{abstract}, j.Filter || j.Has(NetworkNamespace)},
				{"start a process", nil, false},
				{"write a file", nil, false},
				{"namespaces", nil, j.Filter || os.Getuid() != 0},
				{"host name", nil, j.Filter || os.Getuid() != 0},
				{"look into others", others, j.Filter},
				{"memory of others", parent, hidden},
				{"environment of others", parent, hidden},
				{"signal others", parent, j.Has(PIDNamespace) || j.Landlock >= 6},
				{"core pattern", nil, !root || j.Landlock > 0 || j.Has(MountNamespace)},
				{"huge pages", nil, !root || j.Landlock > 0 || j.Has(MountNamespace)},
				{"user namespace", nil, j.Filter},
				{"user namespace by clone3", nil, j.Filter},
				{"capabilities", nil, j.Filter || !root},
				{"write elsewhere", []string{t.TempDir()}, j.Landlock > 0},
			} {
				if _, err := os.Stat(hugePages); err != nil && test.deed == "huge pages" {
					continue
				}
				if strings.HasPrefix(test.deed, "user namespace") && (!j.Filter && !canUser || j.Has(UserNamespace) && !j.Filter) {
					continue // what the kernel allows
				}
				if test.deed == "look into others" && !j.Filter {
					continue // what is allowed depends on the kernel's settings
				}
				if os.Getuid() == 0 && !j.Filter && (test.deed == "namespaces" || test.deed == "host name") {
					continue // what root may depends on its container
				}
				if out := act(t, j, test.deed, test.args...); (out != "done\n") != test.stopped {
					t.Errorf("%s: %q, want stopped %v", test.deed, out, test.stopped)
				}
			}
			// Nothing between here and there is a shell.
			hostile := []string{"a b", "$(touch owned)", "'\"; touch owned #", "\n*", ""}
			if got, want := act(t, j, "arguments", hostile...), fmt.Sprintf("%q\ndone\n", hostile); got != want {
				t.Errorf("arguments %s, want %s", got, want)
			}
		})
	}
}

// TestNotExecuted has files that cannot be executed.
func TestNotExecuted(t *testing.T) {
	if !BestIsolation().Filter {
		t.Skipf("no filter: %v", BestIsolation())
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{"/nothing/here": os.ErrNotExist, text: os.ErrPermission} {
		_, err := Isolation{Filter: true}.start(exec.Command(path))
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

// TestAdmission has a process wait until it is admitted.
func TestAdmission(t *testing.T) {
	if !BestIsolation().Filter {
		t.Skipf("no filter: %v", BestIsolation())
	}
	file := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command("/bin/sh", "-c", `echo > "$0"`, file)
	shim, err := Isolation{Filter: true}.apply(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.Start(), shim.started()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if _, err := os.Stat(file); err == nil {
		t.Error("it did not wait")
	}
	shim.release()
	g := group{pid: cmd.Process.Pid, exited: make(chan struct{}), shim: shim}
	g.watch()
	if _, err := g.end(cmd); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestNothingOutlives has a tool leave a process in a session of its own. It
// holds the write end of a FIFO open.
func TestNothingOutlives(t *testing.T) {
	for name, j := range isolations(t) {
		if !j.Filter {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			fd, err := syscall.Open(fifo, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(fd)
			result, err := Run(t.Context(), Command{
				Path: "/bin/sh", Args: []string{"-c", "setsid sleep 1000 > fifo & exec setsid sh -c 'sleep 1001 > fifo & printf x > fifo; exit 7'"},
				Env: os.Environ(), Dir: dir, Isolation: j,
			})
			if err != nil || result.Code != 7 {
				t.Fatalf("%+v, %v", result, err)
			}
			buffer := make([]byte, 8)
			if n, err := syscall.Read(fd, buffer); n != 1 || err != nil {
				t.Fatalf("read %d bytes, %v", n, err)
			}
			if n, err := syscall.Read(fd, buffer); n != 0 || err != nil {
				t.Errorf("a process still has the FIFO open: %d bytes, %v", n, err)
			}
		})
	}
}

// TestStatus has tools end in every way.
func TestStatus(t *testing.T) {
	for name, j := range isolations(t) {
		t.Run(name, func(t *testing.T) {
			for script, want := range map[string]Result{
				"exit 0":        {},
				"exit 255":      {Code: 255},
				"kill -ABRT $$": {Code: -1, Signal: syscall.SIGABRT},
				"kill -KILL $$": {Code: -1, Signal: syscall.SIGKILL},
			} {
				result, err := Run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Isolation: j})
				result.Elapsed = 0
				if err != nil || result != want {
					t.Errorf("%s: %+v, %v, want %+v", script, result, err, want)
				}
			}
			for script, want := range map[string]syscall.Signal{
				"exec sleep 1000":          syscall.SIGTERM,
				"trap '' TERM; sleep 1000": syscall.SIGKILL,
			} {
				var result Result
				var err error
				// On a busy machine the script may take long to begin, and to end.
				for timeout := 300 * time.Millisecond; timeout < time.Minute && result.Signal != want; timeout *= 3 {
					result, err = Run(t.Context(), Command{
						Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Dir: t.TempDir(), Isolation: j,
						Timeout: timeout, Grace: timeout / 3,
					})
				}
				if err != nil || !result.TimedOut || result.Signal != want {
					t.Errorf("%s: %+v, %v, want %v", script, result, err, want)
				}
			}
		})
	}
}

// TestProcessLimit has a tool start more processes than it may.
func TestProcessLimit(t *testing.T) {
	j := BestIsolation()
	dir := t.TempDir()
	result, err := Run(t.Context(), Command{
		Path: "/bin/sh", Args: []string{"-c", "for i in $(seq 50); do sleep 1000 & done; wait"}, Env: os.Environ(), Dir: dir,
		Isolation: j, Limits: Limits{Processes: 20}, Stderr: filepath.Join(dir, "errors"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if j.limitsProcesses() {
		if result.Code == 0 {
			t.Errorf("%+v: all processes were started", result)
		}
	} else if result.Exceeded != ProcessLimit {
		t.Errorf("%+v, want the limit of processes exceeded", result)
	}
}

// TestRunTool has a machine that confines nothing.
func TestRunTool(t *testing.T) {
	best := BestIsolation
	defer func() { BestIsolation = best }()
	BestIsolation = func() Isolation { return Isolation{Missing: "no seccomp filter"} }
	dir := t.TempDir()
	c := Command{Path: "/bin/sh", Args: []string{"-c", "exit 7"}, Dir: dir}
	if _, err := RunTool(t.Context(), c); err == nil || !strings.Contains(err.Error(), UnconfinedVariable) {
		t.Errorf("%v, want what allows it", err)
	}
	t.Setenv(UnconfinedVariable, "1")
	if result, err := RunTool(t.Context(), c); err != nil || result.Code != 7 {
		t.Errorf("%+v, %v, want code 7", result, err)
	}
}

// TestConfines verifies which isolations serve for programs of others.
func TestConfines(t *testing.T) {
	for _, test := range []struct {
		j    Isolation
		want bool
	}{
		{Isolation{}, false},
		{Isolation{Namespaces: outer}, false},
		{Isolation{Filter: true}, true},
		{Isolation{Namespaces: []Namespace{UserNamespace}}, true},
	} {
		if err := test.j.Confines(); (err == nil) != test.want {
			t.Errorf("%v: %v, want %v", test.j, err, test.want)
		}
	}
}

func TestString(t *testing.T) {
	for _, test := range []struct {
		j    Isolation
		want string
	}{
		{Isolation{}, "limits only"},
		{Isolation{Filter: true, Namespaces: slices.Concat([]Namespace{UserNamespace}, inner, outer)}, "seccomp, namespaces user pid mnt net ipc uts"},
		{Isolation{Filter: true, Landlock: 1}, "seccomp, Landlock"},
		{Isolation{Filter: true, Missing: "no namespaces (x)"}, "seccomp, no namespaces (x)"},
		{Isolation{Missing: "no filter"}, "no filter"},
	} {
		if got := test.j.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
