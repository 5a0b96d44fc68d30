package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"ordeal/campaigns/engine/journal"
)

// open opens a regular file of a campaign's directory: a link could lead
// anywhere, a pipe would never end.
func open(root *os.Root, name string) (*os.File, error) {
	seen, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: irregular(seen.Mode())}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	} else if !os.SameFile(seen, opened) {
		return nil, errors.Join(fmt.Errorf("open %s: it was replaced during the merge", name), f.Close())
	}
	return f, nil
}

func irregular(mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return errors.New("a symbolic link")
	case mode.IsDir():
		return errors.New("a directory")
	}
	return errors.New("neither a file nor a directory")
}

// sums are the SHA-256 sums, in hexadecimal, of some files of a directory.
type sums map[string]string

// copyTree copies the directory name of a source to the new directory to of dst:
// files and directories except temporary ones. It refuses anything else. For the
// files of the directory itself that are keys of want it sets the sum there.
func copyTree(ctx context.Context, s *source, name string, dst *os.Root, to string, want sums) error {
	root := s.root
	if info, err := root.Lstat(name); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "copy", Path: name, Err: errors.New("not a directory")}
	}
	return fs.WalkDir(root.FS(), name, func(from string, e fs.DirEntry, err error) error {
		below := strings.TrimPrefix(from, name)
		top := path.Dir(from) == name // a file of the directory itself
		switch {
		case err != nil:
			return err
		case top && journal.Temporary(e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.Count(below, "/") > maxDepth && e.IsDir():
			return fmt.Errorf("%s: more than %d directories deep", from, maxDepth)
		case e.IsDir():
			return dst.Mkdir(to+below, 0o755)
		case !e.Type().IsRegular():
			return &fs.PathError{Op: "copy", Path: from, Err: irregular(e.Type())}
		}
		_, wanted := want[e.Name()]
		sum, err := copyFile(ctx, s, from, dst, to+below, wanted && top)
		if wanted && top {
			want[e.Name()] = sum
		}
		return err
	})
}

// copyFile copies a regular file and returns its sum if hash is set.
func copyFile(ctx context.Context, s *source, from string, dst *os.Root, to string, hash bool) (sum string, err error) {
	in, err := open(s.root, from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	if err := s.room.file("the directory", info.Size()); err != nil {
		return "", err
	}
	out, err := dst.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if !hash {
		return "", writeFile(ctx, out, in, info.Size(), nil)
	}
	h := sha256.New()
	err = writeFile(ctx, out, in, info.Size(), h)
	return hex.EncodeToString(h.Sum(nil)), err
}
