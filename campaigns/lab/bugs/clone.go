package bugs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// Clone is a clone of gem5's repository, or of another one with protocols, with a work tree or bare. It is
// only read, by git cat-file, ls-tree, ls-files, rev-list, merge-base and rev-parse: nothing in it is executed,
// no object is fetched and nothing is checked out.
type Clone struct {
	dir   string               // its uppermost one if there is a work tree
	tree  bool                 // there is a work tree
	list  map[string]Protocols // by commit
	paths map[string]string    // by the path in Protocols
}

// Protocols are the files of gem5's directories of protocols in one commit, by
// their path in it.
type Protocols map[string]string

// ErrNoCommit is the error for a commit that a clone does not have, ErrNoProtocols for one without protocols.
var (
	ErrNoCommit    = errors.New("the clone does not have it")
	ErrNoProtocols = fmt.Errorf("no protocols in %s, nor elsewhere", strings.Join(protocols.Folders, " or "))
)

// OpenClone opens the clone in a directory: one with a work tree, or a git
// directory.
func OpenClone(ctx context.Context, dir string) (*Clone, error) {
	c := &Clone{dir: dir, list: map[string]Protocols{}, paths: map[string]string{}}
	if _, err := c.git(ctx, nil, "rev-parse", "--git-dir"); err != nil {
		return nil, fmt.Errorf("gem5 clone %s: %w", dir, err)
	}
	if out, err := c.git(ctx, nil, "rev-parse", "--show-toplevel"); err == nil {
		c.dir, c.tree = strings.TrimSuffix(string(out), "\n"), true
	}
	return c, nil
}

// A clone of others may unpack to any size, and have git wait for a pipe: each command ends after
// gitTime, and by that much output. The protocols of a commit of gem5 have 5 MB.
const (
	gitTime      = 30 * time.Second
	maxOutput    = 64 << 20
	maxMessage   = 64 << 10
	maxProtocols = 48 << 20
)

// git runs a command of git. Settings of users and of the clone's surroundings do
// not count, and missing objects are not fetched: a fetch would execute what the
// clone's own settings say (core.sshCommand). Older versions of git do not know
// GIT_NO_LAZY_FETCH; without an allowed protocol they fetch nothing, either.
func (c *Clone) git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, gitTime, fmt.Errorf("no end after %s", gitTime))
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "--no-optional-locks", "--no-replace-objects"}, args...)...)
	cmd.Dir, cmd.Stdin = c.dir, in
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false",
	}
	out, stderr := limited{left: maxOutput}, limited{left: maxMessage}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &stderr, time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case out.left < 0:
		err = fmt.Errorf("more than %d bytes", maxOutput)
	}
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// limited keeps what is written, and fails beyond so many bytes, which ends the command.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(data []byte) (int, error) {
	if l.left -= len(data); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.Buffer.Write(data)
}

// Commit is the full name of a commit; a revision may be an abbreviation, with a
// suffix as ^.
func (c *Clone) Commit(ctx context.Context, revision string) (string, error) {
	out, err := c.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("commit %s: %w", revision, ErrNoCommit)
	}
	return strings.TrimSpace(string(out)), nil
}

// Protocols reads the protocols of a commit, or of the WorkTree.
func (c *Clone) Protocols(ctx context.Context, revision string) (Protocols, error) {
	if revision == WorkTree && c.list[revision] == nil {
		return c.workTree(ctx)
	} else if revision == WorkTree {
		return c.list[revision], nil
	}
	id, err := c.Commit(ctx, revision)
	if err != nil {
		return nil, err
	}
	if files, ok := c.list[id]; ok {
		return files, nil
	}
	out, err := c.git(ctx, nil, append([]string{"ls-tree", "-r", "-z", "-l", id, "--"}, protocols.Folders...)...)
	if err == nil && len(out) == 0 { // no tree of gem5
		out, err = c.git(ctx, nil, "ls-tree", "-r", "-z", "-l", id)
	}
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", revision, err)
	}
	var names []string
	var objects bytes.Buffer
	total := 0
	for entry := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about) // mode, type, object, size
		if len(fields) != 4 || fields[1] != "blob" || !strings.HasPrefix(fields[0], "100") || !isSource(name) {
			continue
		}
		size, err := strconv.Atoi(fields[3])
		if err != nil {
			return nil, fmt.Errorf("commit %s: %s: the clone does not have this file's contents", revision, name)
		}
		total += size
		if err := permits(name, size, total); err != nil {
			return nil, fmt.Errorf("commit %s: %w", revision, err)
		}
		names = append(names, name)
		objects.WriteString(fields[2] + "\n")
	}
	files := Protocols{}
	if len(names) > 0 {
		if out, err = c.git(ctx, &objects, "cat-file", "--batch"); err == nil {
			err = c.read(files, out, names)
		}
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", revision, err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("commit %s: %w", revision, ErrNoProtocols)
	}
	c.list[id] = files
	return files, nil
}

// isSource reports whether a file of this name is of a protocol.
func isSource(name string) bool { return path.Ext(name) == ".sm" || path.Ext(name) == ".slicc" }

// permits returns why a file of a size, which brings that of all to total, is not read.
func permits(name string, size, total int) error {
	if size > syntax.MaxText || total > maxProtocols {
		return fmt.Errorf("%q has %d bytes: a file of a protocol has %d at most, all of them have %d", name, size, syntax.MaxText, maxProtocols)
	}
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is no path of a file", name)
	}
	return nil
}

// Path is the path of a file of Protocols in the clone's tree.
func (c *Clone) Path(name string) string { return cmp.Or(c.paths[name], name) }

// add adds a file, whose path in the clone is given.
func (c *Clone) add(files Protocols, name, text string) {
	files[within(name)], c.paths[within(name)] = text, name
}

// read reads the output of git cat-file --batch.
func (c *Clone) read(files Protocols, out []byte, names []string) error {
	r := bufio.NewReader(bytes.NewReader(out))
	for _, name := range names {
		head, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", name, io.ErrUnexpectedEOF)
		}
		fields := strings.Fields(head)
		if len(fields) != 3 {
			return fmt.Errorf("%s: the clone does not have this file's contents", name)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size > len(out) {
			return fmt.Errorf("%s: unexpected output of git: %q", name, strings.TrimSpace(head))
		}
		data := make([]byte, size+1)
		if _, err := io.ReadFull(r, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.add(files, name, string(data[:size]))
	}
	return nil
}

// Roots lists the root files of the protocols of CPUs.
func (p Protocols) Roots() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p)), func(name string) bool {
		base := path.Base(name)
		return path.Ext(base) != ".slicc" || strings.HasPrefix(base, interfaces) || strings.HasPrefix(base, "GPU_")
	})
}

// within is the path of a file in its directory of protocols, if that is gem5's.
func within(name string) string {
	for _, f := range protocols.Folders[:2] {
		if rest, ok := strings.CutPrefix(name, f+"/"); ok {
			return rest
		}
	}
	if strings.HasPrefix(name, protocols.Folders[2]+"/") {
		return path.Base(name) // of the learning material
	}
	return name
}
