package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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
	case "local socket":
		l, err := net.Listen("unix", filepath.Join(args[0], "socket"))
		if err == nil {
			err = l.Close()
		}
		return err
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
	case "arguments":
		fmt.Printf("%q\n", args)
		return nil
	}
	return fmt.Errorf("unknown deed %s", what)
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
	runErr, entryErr := enter(t, j, cmd)
	if entryErr != nil {
		t.Fatal(entryErr)
	}
	if exit := (*exec.ExitError)(nil); runErr != nil && !errors.As(runErr, &exit) {
		t.Fatal(runErr)
	}
	return out.String()
}

// enter runs cmd isolated.
func enter(t *testing.T, j Isolation, cmd *exec.Cmd) (runErr, entryErr error) {
	t.Helper()
	shim, err := j.apply(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if runErr = cmd.Start(); runErr == nil {
		shim.release()
		runErr = cmd.Wait()
	}
	return runErr, shim.close()
}

// isolations are those that this machine allows.
func isolations(t *testing.T) map[string]Isolation {
	t.Helper()
	best := BestIsolation()
	t.Logf("best: %v", best)
	all := map[string]Isolation{"none": {}, "best": best}
	for name, j := range map[string]Isolation{
		"filter":          {Filter: true},
		"namespaces":      {Namespaces: []Namespace{NetworkNamespace, IPCNamespace, HostNamespace}},
		"user namespaces": {Filter: true, Namespaces: []Namespace{UserNamespace, NetworkNamespace, IPCNamespace, HostNamespace}},
	} {
		if err := j.try(); err != nil {
			t.Logf("not tested: %s: %v", name, err)
			continue
		}
		all[name] = j
	}
	return all
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
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait() // says that it was killed
	}()
	for name, j := range isolations(t) {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				deed    string
				args    []string
				stopped bool
			}{
				{"network", []string{tcp.Addr().String()}, j.Filter || j.Has(NetworkNamespace)},
				{"local socket of others", []string{abstract}, j.Has(NetworkNamespace)},
				{"local socket", []string{t.TempDir()}, false},
				{"start a process", nil, false},
				{"write a file", nil, false},
				{"namespaces", nil, j.Filter || os.Getuid() != 0},
				{"host name", nil, j.Filter || os.Getuid() != 0},
				{"look into others", []string{strconv.Itoa(other.Process.Pid)}, j.Filter},
			} {
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
		runErr, err := enter(t, Isolation{Filter: true}, exec.Command(path))
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v (%v), want %v", path, err, runErr, want)
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if _, err := os.Stat(file); err == nil {
		t.Error("it did not wait")
	}
	shim.release()
	if err := errors.Join(cmd.Wait(), shim.close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestString(t *testing.T) {
	for _, test := range []struct {
		j    Isolation
		want string
	}{
		{Isolation{}, "limits only"},
		{Isolation{Filter: true, Namespaces: []Namespace{UserNamespace, NetworkNamespace, IPCNamespace, HostNamespace}}, "seccomp, namespaces user net ipc uts"},
		{Isolation{Filter: true, Missing: "no namespaces (x)"}, "seccomp, no namespaces (x)"},
		{Isolation{Missing: "no filter"}, "no filter"},
	} {
		if got := test.j.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
