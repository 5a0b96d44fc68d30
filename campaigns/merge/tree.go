package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"ordeal/campaigns/journal"
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

// irregular describes a file that is not a regular one.
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

// copyTree copies the directory name of root to the new directory to of dst:
// files and directories except temporary ones. It refuses anything else. For the
// files of the directory itself that are keys of want it sets the sum there.
func copyTree(root *os.Root, name string, dst *os.Root, to string, depth int, want sums) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d directories deep", name, maxDepth)
	}
	seen, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !seen.IsDir() {
		return &fs.PathError{Op: "copy", Path: name, Err: errors.New("not a directory")}
	}
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return err
	}
	if err := dst.Mkdir(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if depth == 0 && journal.Temporary(e.Name()) {
			continue
		}
		from, into := path.Join(name, e.Name()), path.Join(to, e.Name())
		switch {
		case e.IsDir():
			err = copyTree(root, from, dst, into, depth+1, nil)
		case e.Type().IsRegular():
			_, wanted := want[e.Name()]
			var sum string
			if sum, err = copyFile(root, from, dst, into, wanted); err == nil && wanted {
				want[e.Name()] = sum
			}
		default:
			err = &fs.PathError{Op: "copy", Path: from, Err: irregular(e.Type())}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a regular file and returns its sum if hash is set.
func copyFile(root *os.Root, from string, dst *os.Root, to string, hash bool) (sum string, err error) {
	in, err := open(root, from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	out, err := dst.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if !hash {
		_, err = io.Copy(out, in)
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), in); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
