package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// reportFD is where the shim waits for its release and reports failures and
// the tool's end: the first of ExtraFiles. rulesFD is the second: what Landlock
// is to allow.
const reportFD, rulesFD = 3, 4

// reportBytes is the size of a report: an errno or a wait status, and a step,
// 32 bits each.
const reportBytes = 8

// shim is a process that runs the shim, on its way to the tool, and then the
// parent of the tool. A nil shim is a process that was started without one.
type shim struct {
	path string // of the tool
	// Both ends of a pair of sockets.
	local, remote *os.File
	rules         *os.File // nil without Landlock
	report        []byte   // empty before the tool's end
}

// newShim prepares the process that is to execute path. What the process
// writes is restricted to the directories writable by a version of Landlock,
// unless that is 0.
func newShim(path string, landlock int, writable []string) (*shim, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make sockets: %w", err)
	}
	s := &shim{path: path, local: os.NewFile(uintptr(fds[0]), "local"), remote: os.NewFile(uintptr(fds[1]), "remote")}
	if landlock > 0 {
		if s.rules, err = writableOnly(landlock, writable); err != nil {
			return nil, errors.Join(err, s.local.Close(), s.remote.Close())
		}
	}
	return s, nil
}

// files are those that the process inherits.
func (s *shim) files() []*os.File {
	if s.rules == nil {
		return []*os.File{s.remote}
	}
	return []*os.File{s.remote, s.rules}
}

// started must be called when the process has been started or could not be: its
// own descriptors are the only ones from then on.
func (s *shim) started() error {
	if s == nil {
		return nil
	}
	err := s.remote.Close()
	if s.rules != nil {
		err = errors.Join(err, s.rules.Close())
	}
	return err
}

// release lets the process go on to the tool, after its limits are set.
func (s *shim) release() {
	if s != nil {
		_, _ = s.local.Write([]byte{1}) // it may have been killed
	}
}

// wait returns when the tool has ended, or the shim. Descriptors of the shim
// are closed on exec, so that it does not wait for what the tool left behind.
func (s *shim) wait() {
	report := make([]byte, reportBytes)
	if n, err := io.ReadFull(s.local, report); err == nil {
		s.report = report[:n]
	}
}

// close returns the tool's wait status, if it is known, and why the process
// could not be confined or the tool not executed. It comes after wait, or after
// a failed start.
func (s *shim) close() (status syscall.WaitStatus, known bool, err error) {
	if s == nil {
		return 0, false, nil
	}
	if err := s.local.Close(); err != nil {
		return 0, false, fmt.Errorf("execute %s: %w", s.path, err)
	}
	if len(s.report) == 0 {
		return 0, false, nil
	}
	value, last := binary.LittleEndian.Uint32(s.report), step(binary.LittleEndian.Uint32(s.report[4:]))
	switch last {
	case stepExit:
		return syscall.WaitStatus(value), true, nil
	case stepExecute:
		return 0, false, fmt.Errorf("execute %s: %w", s.path, &executeError{syscall.Errno(value)})
	}
	return 0, false, fmt.Errorf("execute %s: %s: %w", s.path, stepNames[last], syscall.Errno(value))
}

// executeError says that the tool itself could not be executed.
type executeError struct{ errno syscall.Errno }

func (e *executeError) Error() string { return e.errno.Error() }

func (e *executeError) Unwrap() error { return e.errno }
