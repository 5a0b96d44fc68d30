package merge

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ordeal/campaigns/internal/must"
)

// blocks is what a file takes on the disk, in bytes.
func blocks(t *testing.T, path string) int64 {
	t.Helper()
	var st syscall.Stat_t
	must.Succeed(t, syscall.Stat(path, &st))
	return st.Blocks * 512
}

// TestMergeHoles merges a run with a file of 64 MB that takes no place: its copy takes
// none, either. One that the file system cannot hold, and one beyond the limit, are
// refused before they are written.
func TestMergeHoles(t *testing.T) {
	whole := makeIn(t, filepath.Join(t.TempDir(), "whole"), "")
	run := kept(t, whole)
	sparse := filepath.Join(whole, run, "sparse")
	for _, c := range []struct {
		size   int64
		limit  int64
		refuse string
	}{
		{64 << 20, 0, ""},
		{1 << 20, 1 << 20, "the directory has too many bytes, more than 1MiB (--unpacked)"}, // with the files of the run
		{1 << 43, 1 << 62, "the directory has a file of 8796093022208 bytes, and the file system"},
	} {
		must.Succeed(t, os.WriteFile(sparse, []byte("x"), 0o600))
		if err := os.Truncate(sparse, c.size); err != nil {
			t.Skipf("no file of %d bytes here: %v", c.size, err)
		}
		m := Merge{Dir: filepath.Join(t.TempDir(), "merged"), Sources: []string{whole}}
		if c.limit > 0 {
			m.Limits = Limits{Bytes: c.limit, Files: 1000}
		}
		_, err := m.Run(t.Context())
		if c.refuse != "" {
			if err == nil || !strings.Contains(err.Error(), c.refuse) {
				t.Errorf("%d bytes: %v, want %q", c.size, err, c.refuse)
			}
			continue
		}
		must.Succeed(t, err)
		copied := filepath.Join(m.Dir, run, "sparse")
		if info, err := os.Stat(copied); err != nil || info.Size() != c.size || blocks(t, copied) > 1<<20 {
			t.Errorf("the copy has %d bytes and takes %d: %v", info.Size(), blocks(t, copied), err)
		}
	}
}

// counted is a context that ends after some questions whether it has.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestHugeHoles copies a file of 4 TiB with three words: its holes are not read.
func TestHugeHoles(t *testing.T) {
	dir := t.TempDir()
	in, err := os.Create(filepath.Join(dir, "in"))
	must.Succeed(t, err)
	defer in.Close()
	const size = 1 << 42
	if err := in.Truncate(size); err != nil {
		t.Skipf("no file of %d bytes here: %v", int64(size), err)
	}
	words := map[int64]string{0: "begin", 1<<41 - 2: "middle", size - 1<<20: "end"}
	for at, word := range words {
		_, err := in.WriteAt([]byte(word), at)
		must.Succeed(t, err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	must.Succeed(t, err)
	defer out.Close()
	must.Succeed(t, writeFile(&counted{t.Context(), 1000}, out, in, size, nil))
	if info, err := out.Stat(); err != nil || info.Size() != size || blocks(t, out.Name()) > 1<<20 {
		t.Errorf("the copy has %d bytes and takes %d: %v", info.Size(), blocks(t, out.Name()), err)
	}
	for at, word := range words {
		got := make([]byte, len(word))
		if _, err := out.ReadAt(got, at); err != nil || string(got) != word {
			t.Errorf("at %d there is %q, %v, want %q", at, got, err, word)
		}
	}
	// The sum is of the holes as well.
	const short = 1<<25 - 3
	must.Succeed(t, in.Truncate(short))
	got, want := sha256.New(), sha256.Sum256(append([]byte("begin"), make([]byte, short-5)...))
	must.Succeed(t, writeFile(t.Context(), out, in, short, got))
	if !bytes.Equal(got.Sum(nil), want[:]) {
		t.Errorf("the sum of a file with a hole is %x, want %x", got.Sum(nil), want)
	}
}

// TestUnpackHoles unpacks 32 MB of zeros between two words: they take no place, and
// are there.
func TestUnpackHoles(t *testing.T) {
	data := "begin" + strings.Repeat("\x00", 32<<20) + "end"
	var archive bytes.Buffer
	z, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	must.Succeed(t, err)
	_, err = z.Write(pack(t, member{name: "a", data: data}))
	must.Succeed(t, err)
	must.Succeed(t, z.Close())
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must.Succeed(t, err)
	defer root.Close()
	must.Succeed(t, unpack(t.Context(), &archive, root, newRoom(DefaultLimits(), dir)))
	got, err := os.ReadFile(filepath.Join(dir, "a"))
	must.Succeed(t, err)
	if string(got) != data || blocks(t, filepath.Join(dir, "a")) > 1<<20 {
		t.Errorf("%d bytes that take %d, want %d that take little", len(got), blocks(t, filepath.Join(dir, "a")), len(data))
	}
}
