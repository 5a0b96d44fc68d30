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

	"golang.org/x/sys/unix"
)

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
			end := func(i Isolation) string {
				status, err := i.start(exec.Command(path))
				if err != nil {
					t.Fatal(err)
				}
				if status.Signaled() {
					return unix.SignalName(status.Signal())
				}
				return fmt.Sprintf("exit %d", status.ExitStatus())
			}
			want := test.want
			// A kernel without system calls of 32 bits ends int 0x80 itself.
			if want == "SIGSYS" && end(Isolation{}) == "SIGSEGV" {
				want = "SIGSEGV"
			}
			if got := end(Isolation{Filter: true}); got != want {
				t.Errorf("%s, want %s", got, want)
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
