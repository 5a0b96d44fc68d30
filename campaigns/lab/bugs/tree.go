package bugs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
)

// Trees are the protocols of a bug.
type Trees struct {
	// Before is the root file of the protocol without the fix, After that of the
	// one with it; a bug that is still there has no After.
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
	// Identity and AfterIdentity are hashes of what the protocols say, comments
	// and blanks aside.
	Identity      string `json:"identity"`
	AfterIdentity string `json:"after_identity,omitempty"`
	// Base is the root file of the unmodified protocol, which Before is unless repairs are made
	// in it; of a bug that is still there.
	Base string `json:"base,omitempty"`
	// Repaired is the root file of the protocol with the proposed repair of a bug that
	// is still there.
	Repaired         string `json:"repaired,omitempty"`
	RepairedIdentity string `json:"repaired_identity,omitempty"`
	// All is the one with the proposed repairs of all bugs of the list, where they can be
	// made together.
	All         string `json:"all,omitempty"`
	AllIdentity string `json:"all_identity,omitempty"`
	// Alone is the one with the proposed repairs of all others, likewise: what they hide
	// shows there.
	Alone         string `json:"alone,omitempty"`
	AloneIdentity string `json:"alone_identity,omitempty"`
	// How says how the protocols were made.
	How string `json:"how"`
}

// Maker makes protocols from a clone, below a directory of its own.
type Maker struct {
	Clone *Clone
	List  *List
	Dir   string
	_     struct{}
}

// ErrSame is the error for a fix that the protocol does not have, ErrOutside for one
// of which it has declarations alone: what was wrong is in gem5's C++.
var (
	ErrSame    = errors.New("the protocol is the same with and without the fix")
	ErrOutside = errors.New("the fix changes what gem5 declares for all protocols, none of the protocol's own files")
)

// Make makes the protocols of a bug. The error is why they cannot be made.
func (m *Maker) Make(ctx context.Context, b *Bug) (*Trees, error) {
	base, err := m.Clone.Protocols(ctx, cmp.Or(b.Base, m.List.Base))
	if err != nil {
		return nil, err
	}
	switch {
	case b.Unfixed():
		return m.unfixed(b, base)
	case b.Before != "":
		return m.commits(ctx, b, b.Before, b.After)
	case b.Edits != nil:
		before := maps.Clone(base)
		for i := range b.Edits {
			e := &b.Edits[i]
			text, ok := before[e.File]
			if !ok {
				return nil, fmt.Errorf("edit %d: commit %s has no file %s", i+1, m.List.Base, e.File)
			}
			if before[e.File], err = e.apply(text); err != nil {
				return nil, fmt.Errorf("edit %d: %w", i+1, err)
			}
		}
		return m.write(b, before, base, "named edits of "+m.List.Base)
	}
	before, err := m.without(ctx, b, base)
	if err == nil {
		var trees *Trees
		how := fmt.Sprintf("%s without %s", m.List.Base, b.Fix)
		if b.Hunks != nil {
			how += " (some hunks)"
		}
		if trees, err = m.write(b, before, base, how); err == nil {
			if err = check(trees.Before); err == nil || check(trees.After) != nil {
				return trees, nil
			}
		}
	}
	if b.Hunks != nil || errors.Is(err, ErrNoCommit) || ctx.Err() != nil {
		return nil, err
	}
	trees, other := m.commits(ctx, b, b.Fix+"^", b.Fix)
	if other != nil {
		return nil, errors.Join(fmt.Errorf("taken out of %s: %w", m.List.Base, err), fmt.Errorf(otherWay+": %w", other))
	}
	return trees, nil
}

// unfixed makes the protocol of a bug that is still there, and the one with its proposed
// repair.
func (m *Maker) unfixed(b *Bug, base Protocols) (*Trees, error) {
	t, err := m.write(b, base, nil, "as it is in "+cmp.Or(b.Base, m.List.Base))
	if err != nil {
		return nil, err
	}
	t.Base = t.Before
	if b.Repair == nil {
		return t, nil
	}
	repaired, err := base.repaired([]*Bug{b})
	if err != nil {
		return nil, err
	}
	if t.Repaired, t.RepairedIdentity, err = m.one(b, repaired); err != nil {
		return nil, fmt.Errorf("with the repair: %w", err)
	}
	if t.Identity == t.RepairedIdentity {
		return nil, ErrSame
	}
	var all, others []*Bug
	for _, other := range m.List.Proposed("*") {
		if other.Protocol == b.Protocol && other.Base == b.Base {
			all, others = append(all, other), append(others, other.without(b))
		}
	}
	for _, x := range []struct {
		bugs           []*Bug
		root, identity *string
	}{{all, &t.All, &t.AllIdentity}, {others, &t.Alone, &t.AloneIdentity}} {
		files, err := base.repaired(x.bugs)
		if err != nil {
			continue // they cannot be made together
		}
		if *x.root, *x.identity, err = m.one(b, files); err != nil {
			return nil, fmt.Errorf("with several repairs: %w", err)
		}
		if err := check(*x.root); err != nil {
			*x.root, *x.identity = "", "" // what is left of the repairs makes no protocol
		}
	}
	return t, nil
}

// without is a bug without the edits of its repair that another one has.
func (b *Bug) without(other *Bug) *Bug {
	rest := &Bug{ID: b.ID}
	for i := range b.Repair {
		if !slices.ContainsFunc(other.Repair, func(e Edit) bool { return reflect.DeepEqual(e, b.Repair[i]) }) {
			rest.Repair = append(rest.Repair, b.Repair[i])
		}
	}
	return rest
}

// alone are the trees of a bug that the others hide: theirs are repaired.
func (t *Trees) alone() *Trees {
	return &Trees{
		Base: t.Base, Before: t.Alone, Identity: t.AloneIdentity, Repaired: t.All, RepairedIdentity: t.AllIdentity, All: t.All, AllIdentity: t.AllIdentity,
		How: t.How + ", with the repairs of the other defects",
	}
}

// check checks names and types of a protocol: a fix taken out of what was built
// on it since may leave what no longer fits together.
func check(root string) error {
	tree, err := protocols.LoadFile(root)
	if err != nil {
		return err
	}
	_, err = compiler.Check(tree)
	return err
}

// interfaces begin the names of the files that declare what SLICC does not define.
const interfaces = "RubySlicc_"

// otherWay begins the reason why the second way to make the protocols failed, too.
const otherWay = "the commit before the fix"

// root is the root file of the protocol.
func (b *Bug) root() string { return b.Protocol + ".slicc" }

// commits makes the protocols of two commits; after may be empty.
func (m *Maker) commits(ctx context.Context, b *Bug, before, after string) (*Trees, error) {
	old, err := m.Clone.Protocols(ctx, before)
	if err != nil {
		return nil, err
	}
	how := "commit " + before
	var fixed Protocols
	if after != "" {
		if fixed, err = m.Clone.Protocols(ctx, after); err != nil {
			return nil, err
		}
		how += " against " + after
	}
	return m.write(b, old, fixed, how)
}

// without takes the fix out of the base.
func (m *Maker) without(ctx context.Context, b *Bug, base Protocols) (Protocols, error) {
	fixed, err := m.Clone.Protocols(ctx, b.Fix)
	if err != nil {
		return nil, err
	}
	old, err := m.Clone.Protocols(ctx, b.Fix+"^")
	if err != nil {
		return nil, err
	}
	read := reader{texts(base), map[string]string{}}
	if _, err := syntax.Load(read, b.root()); err != nil {
		return nil, err
	}
	before := maps.Clone(base)
	var errs []error
	changed := 0
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		if fixed[name] == old[name] || path.Ext(name) != ".sm" {
			continue
		}
		today := m.today(name)
		only, chosen := b.Hunks[today]
		if b.Hunks != nil && !chosen {
			continue
		}
		text, ok := read.read[today]
		if strings.HasPrefix(today, interfaces) {
			continue // what is declared does no harm
		}
		if _, had := old[name]; !ok || !had {
			continue // of another protocol, or one that came or went
		}
		if before[today], err = takeOut(text, m.today(fixed[name]), m.today(old[name]), only); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", today, err))
		}
		changed++
	}
	for name := range b.Hunks {
		if _, ok := base[name]; !ok {
			errs = append(errs, fmt.Errorf("hunks: no file %s", name))
		}
	}
	if changed == 0 && len(errs) == 0 {
		return nil, ErrSame
	}
	return before, errors.Join(errs...)
}

// today replaces names of the past by those of today.
func (m *Maker) today(text string) string {
	var pairs []string
	for _, old := range slices.Sorted(maps.Keys(m.List.Renames)) {
		pairs = append(pairs, old, m.List.Renames[old])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// write writes the protocols of a bug.
func (m *Maker) write(b *Bug, before, after Protocols, how string) (*Trees, error) {
	t := &Trees{How: how}
	var err error
	if t.Before, t.Identity, err = m.one(b, before); err != nil {
		return nil, fmt.Errorf("%s: without the fix: %w", how, err)
	}
	if after == nil {
		return t, nil
	}
	if t.After, t.AfterIdentity, err = m.one(b, after); err != nil {
		return nil, fmt.Errorf("%s: with the fix: %w", how, err)
	}
	if t.Identity == t.AfterIdentity {
		return nil, ErrSame
	}
	declared := maps.Clone(before)
	for name, text := range after {
		if strings.HasPrefix(name, interfaces) {
			declared[name] = text
		}
	}
	if _, identity, err := m.one(b, declared); err == nil && identity == t.AfterIdentity {
		return nil, ErrOutside
	}
	return t, nil
}

// one writes the files of a protocol, which may have a former name.
func (m *Maker) one(b *Bug, files Protocols) (rootFile, identity string, err error) {
	root := b.root()
	if _, ok := files[root]; !ok {
		old := ""
		for was, is := range m.List.Renames {
			if _, has := files[strings.ReplaceAll(root, is, was)]; has && is == b.Protocol {
				old = strings.ReplaceAll(root, is, was)
			}
		}
		if old == "" {
			return "", "", fmt.Errorf("no protocol %s", b.Protocol)
		}
		root = old
	}
	return files.Write(m.Dir, root)
}

// Write writes the files that a protocol consists of into a directory below dir, which is named
// by what they say; the identity is a hash of that without comments and blanks.
func (p Protocols) Write(dir, root string) (rootFile, identity string, err error) {
	read := reader{texts(p), map[string]string{}}
	tree, err := syntax.Load(read, root)
	if err != nil {
		return "", "", err
	}
	identity = Identity(tree)
	var names []string
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(read.read)) {
		if !fs.ValidPath(name) { // names come from the clone and, renamed, from the list
			return "", "", fmt.Errorf("file %q: want a path below the directory of protocols", name)
		}
		names = append(names, name)
		fmt.Fprintf(all, "%s\x00%s\x00", name, read.read[name])
	}
	dir = filepath.Join(dir, hex.EncodeToString(all.Sum(nil))[:16])
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := run.MkdirAll(filepath.Dir(file)); err != nil {
			return "", "", err
		}
		if err := run.WriteChanged(file, []byte(read.read[name]), false); err != nil {
			return "", "", err
		}
	}
	return filepath.Join(dir, filepath.FromSlash(root)), identity, nil
}

// Identity is a hash of what a protocol says, comments and blanks aside.
func Identity(tree *syntax.File) string {
	sum := sha256.Sum256([]byte(syntax.PrintAll(tree)))
	return hex.EncodeToString(sum[:])[:16]
}

// texts are protocols as a file system. What a file includes is looked for beside
// it and then in the directory of protocols, as gem5's compiler does.
type texts Protocols

// Open implements fs.FS for files.
func (t texts) Open(name string) (fs.File, error) {
	text, _, ok := t.find(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{Reader: bytes.NewReader([]byte(text)), name: path.Base(name)}, nil
}

func (t texts) find(name string) (text, place string, ok bool) {
	for _, place = range []string{name, path.Base(name)} {
		if text, ok = t[place]; ok {
			break
		}
	}
	return text, place, ok
}

// reader remembers the files that were read.
type reader struct {
	texts
	read map[string]string // by place
}

// Open implements fs.FS.
func (r reader) Open(name string) (fs.File, error) {
	if text, place, ok := r.find(name); ok {
		r.read[place] = text
	}
	return r.texts.Open(name)
}

// file is a file of texts.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return f.name }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }
