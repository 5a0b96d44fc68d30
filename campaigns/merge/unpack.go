package merge

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits bound what is written of a source, a directory or an unpacked archive, which
// is not trusted.
type Limits struct {
	// Bytes bounds the sizes of all files together, Files the number of files
	// and directories.
	Bytes int64
	Files int
}

// DefaultLimits are the limits if none are given.
func DefaultLimits() Limits { return Limits{Bytes: 64 << 30, Files: 4 << 20} }

// maxDepth bounds the directories of a name, maxName the length of each in bytes.
const (
	maxDepth = 32
	maxName  = 255
)

// unpack unpacks a tar archive, with gzip or without, into root. It refuses an
// archive with anything but files and directories, with a name that leads
// elsewhere or occurs twice, or beyond the room that it has; then the caller removes root.
func unpack(ctx context.Context, r io.Reader, root *os.Root, space *room) error {
	in := bufio.NewReader(r)
	var plain io.Reader = in
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		plain = z
	}
	u := unpacking{root: root, room: space}
	whole := &tail{r: plain}
	members := tar.NewReader(whole)
	for {
		h, err := members.Next()
		if err == io.EOF {
			return whole.end()
		} else if err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue // comments
		}
		if err := u.member(ctx, h, members); err != nil {
			return fmt.Errorf("unpack %q: %w", h.Name, err)
		}
	}
}

// tail reads an archive and checks its end.
type tail struct {
	r     io.Reader
	zeros int // bytes at the end of what was read
}

// endMark is the number of zero bytes at the end of an archive, maxPadding how
// many more may follow.
const (
	endMark    = 1024
	maxPadding = 1 << 20
)

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	rest := len(bytes.TrimRight(p[:n], "\x00"))
	if rest > 0 {
		t.zeros = 0
	}
	t.zeros += n - rest
	return n, err
}

// end refuses an archive that was truncated between two members, and reads the
// compressed data to its checksum.
func (t *tail) end() error {
	if t.zeros < endMark {
		return errors.New("read archive: it is truncated")
	}
	n, err := io.Copy(io.Discard, io.LimitReader(t.r, maxPadding+1))
	if err == nil && n > maxPadding {
		err = errors.New("there is data after its end")
	}
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	return nil
}

type unpacking struct {
	root *os.Root
	room *room
}

func (u *unpacking) member(ctx context.Context, h *tar.Header, data io.Reader) error {
	size := int64(0)
	if h.Typeflag == tar.TypeReg {
		size = h.Size
	}
	if err := u.room.file("the archive", size); err != nil {
		return err
	}
	name, err := local(h.Name)
	if err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return u.root.MkdirAll(name, 0o755)
	case tar.TypeReg:
	case tar.TypeLink:
		return errors.New("a hard link: pack with tar --hard-dereference")
	case tar.TypeSymlink:
		return errors.New("a symbolic link: no campaign has one")
	default:
		return fmt.Errorf("neither a file nor a directory (type %q)", h.Typeflag)
	}
	if name == "." {
		return errors.New("a file without a name")
	}
	if err := u.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return errors.New("it is in the archive twice")
	} else if err != nil {
		return err
	}
	if err := write(ctx, f, data, h.Size); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// local is the name of a member as a path below root.
func local(name string) (string, error) {
	if path.IsAbs(name) {
		return "", errors.New("an absolute path")
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxDepth {
		return "", fmt.Errorf("more than %d directories deep", maxDepth)
	}
	for _, part := range parts {
		switch {
		case part == "..":
			return "", errors.New("the path leads out of the archive")
		case len(part) > maxName:
			return "", fmt.Errorf("a name of more than %d bytes", maxName)
		case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return "", errors.New("a name with control characters")
		}
	}
	clean := path.Clean(name)
	if !filepath.IsLocal(clean) {
		return "", errors.New("the path leads out of the archive")
	}
	return clean, nil
}
