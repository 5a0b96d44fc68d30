package merge

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
)

// member is a member of an archive that a test packs.
type member struct {
	name string
	kind byte // tar.TypeReg if 0
	data string
	link string
	size int64 // as the header says; 0: that of data
}

func pack(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Linkname: m.link, Size: int64(len(m.data)), Mode: 0o4777}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if m.size > 0 {
			h.Size = m.size
		}
		must.Succeed(t, w.WriteHeader(h))
		if _, err := w.Write([]byte(m.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err == nil { // else the last member is shorter than it says
		err = w.Close()
		must.Succeed(t, err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	must.Succeed(t, w.Close())
	return b.Bytes()
}

// unpackIn unpacks into a directory of a directory of its own, and gives the
// files that are there then, by path from the outer one.
func unpackIn(t testing.TB, archive []byte, limits Limits) ([]string, error) {
	t.Helper()
	outer := t.TempDir()
	inner := filepath.Join(outer, "in")
	must.Succeed(t, os.Mkdir(inner, 0o755))
	root, err := os.OpenRoot(inner)
	must.Succeed(t, err)
	defer root.Close()
	failed := unpack(t.Context(), bytes.NewReader(archive), root, newRoom(limits, inner))
	var files []string
	err = filepath.WalkDir(outer, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode() != 0o644 {
			t.Errorf("%s has mode %v: %v", path, info.Mode(), err)
		}
		name, err := filepath.Rel(outer, path)
		files = append(files, name)
		return err
	})
	must.Succeed(t, err)
	return files, failed
}

func TestUnpackRefuses(t *testing.T) {
	small := Limits{Bytes: 1000, Files: 5}
	deep := strings.Repeat("d/", maxDepth)
	for want, members := range map[string][]member{
		"absolute":           {{name: "/etc/ordeal"}},
		"leads out":          {{name: "../ordeal"}},
		"leads out of":       {{name: "a/../../ordeal"}},
		"leads out of the":   {{name: "a/../b"}},
		"symbolic link":      {{name: "campaign.yaml", kind: tar.TypeSymlink, link: "/etc/passwd"}},
		"symbolic":           {{name: "a", kind: tar.TypeSymlink, link: ".."}, {name: "a/ordeal", data: "x"}},
		"hard link":          {{name: "campaign.yaml", kind: tar.TypeLink, link: "../../../etc/passwd"}},
		"neither a file":     {{name: "null", kind: tar.TypeChar}},
		"neither a file nor": {{name: "disk", kind: tar.TypeBlock}},
		"nor a directory":    {{name: "pipe", kind: tar.TypeFifo}},
		"twice":              {{name: "a/b", data: "1"}, {name: "a/b", data: "2"}},
		"is in the archive":  {{name: "a/b", data: "1"}, {name: "./a//b", data: "2"}},
		"file exists":        {{name: "a/b", data: "1"}, {name: "a", data: "2"}},
		"mkdirat a":          {{name: "a", data: "1"}, {name: "a/b", data: "2"}},
		"too many bytes":     {{name: "a", data: strings.Repeat("x", 600)}, {name: "b", data: strings.Repeat("x", 600)}},
		"too many bytes ":    {{name: "a", size: 1 << 40}},
		"too many files":     {{name: "1"}, {name: "2"}, {name: "3"}, {name: "4"}, {name: "5"}, {name: "6"}},
		"directories deep":   {{name: deep + "x"}},
		"more than 255":      {{name: strings.Repeat("n", 256)}},
		"control":            {{name: "a\nb"}},
		"without a name":     {{name: "."}},
		"cut short":          {{name: "a", data: "x", size: 900}},
	} {
		archive := pack(t, members...)
		for _, data := range [][]byte{archive, zipped(t, archive)} {
			files, err := unpackIn(t, data, small)
			want := strings.TrimSpace(want)
			if want == "cut short" {
				want = "unexpected EOF"
			}
			if want == "file exists" || want == "is in the archive" {
				want = "twice"
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: error is %v, want %q", members, err, want)
			}
			for _, file := range files {
				if !strings.HasPrefix(file, "in/") {
					t.Errorf("%v: %s is written", members, file)
				}
			}
		}
	}
	if _, err := os.Lstat("/etc/ordeal"); err == nil {
		t.Error("/etc/ordeal is written")
	}
}

// TestUnpackCutShort cuts archives anywhere, and corrupts compressed ones.
func TestUnpackCutShort(t *testing.T) {
	archive := pack(t, member{name: "d/", kind: tar.TypeDir}, member{name: "d/campaign.yaml", data: strings.Repeat("name: x\n", 70)}, member{name: "d/runs.jsonl", data: "{}\n"})
	want := []string{"in/d/campaign.yaml", "in/d/runs.jsonl"}
	compressed := zipped(t, archive)
	for _, data := range [][]byte{archive, compressed, slices.Concat(archive, make([]byte, 8192))} {
		if files, err := unpackIn(t, data, DefaultLimits()); err != nil || !slices.Equal(files, want) {
			t.Errorf("%v is unpacked: %v", files, err)
		}
	}
	for n := 0; n < len(archive)-512; n += 256 {
		if _, err := unpackIn(t, archive[:n], DefaultLimits()); err == nil {
			t.Errorf("%d of %d bytes of an archive are taken for all", n, len(archive))
		}
	}
	for n := 0; n < len(compressed); n += 5 {
		if _, err := unpackIn(t, compressed[:n], DefaultLimits()); err == nil {
			t.Errorf("%d of %d bytes of a compressed archive are taken for all", n, len(compressed))
		}
	}
	corrupt := bytes.Clone(compressed)
	corrupt[len(corrupt)-6] ^= 1 // of the checksum, or the size
	if _, err := unpackIn(t, corrupt, DefaultLimits()); err == nil {
		t.Error("a wrong checksum is not seen")
	}
	long := slices.Concat(archive, make([]byte, maxPadding+1))
	if _, err := unpackIn(t, zipped(t, long), DefaultLimits()); err == nil || !strings.Contains(err.Error(), "after its end") {
		t.Errorf("endless zeros: %v", err)
	}
}

// TestMergeArchives packs shards with tar as a user does, and requires the
// campaign that their directories make.
func TestMergeArchives(t *testing.T) {
	if _, err := exec.LookPath("tar"); err != nil {
		t.Skip("no tar on this machine")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	makeIn(t, at("1"), "1/2")
	makeIn(t, at("2"), "2/2")
	mergeTo(t, at("want"), at("1"), at("2"))
	for _, args := range [][]string{
		{"-C", dir, "-cf", at("1.tar"), "1"}, {"-C", at("2"), "-czf", at("2.tgz"), "."},
		{"-C", at("2"), "--format=pax", "-cf", at("2.pax"), "."},
	} {
		if out, err := exec.Command("tar", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	want := timeless(t, at("want"))
	for name, second := range map[string]string{"a": "2.tgz", "b": "2.pax", "c": "2"} {
		mergeTo(t, at(name), at("1.tar"), at(second))
		if diff := cmp.Diff(want, timeless(t, at(name))); diff != "" {
			t.Errorf("%s: of archives it is otherwise:\n%s", second, diff)
		}
	}
	for name, data := range map[string][]byte{
		"no archive":  []byte("hello"),
		"empty":       nil,
		"no campaign": pack(t, member{name: "a", data: "x"}, member{name: "b", data: "x"}),
		"no head":     pack(t, member{name: "c/campaign.yaml", data: campaign}),
	} {
		must.Succeed(t, os.WriteFile(at("bad.tar"), data, 0o600))
		m := Merge{Dir: at("bad"), Sources: []string{at("bad.tar")}}
		if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "bad.tar") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(at("bad")); err == nil {
			t.Errorf("%s: a directory stays of nothing", name)
		}
	}
}

// FuzzUnpack requires archives to be unpacked below the directory that was given,
// or refused, and never to more than the limits allow. Like FuzzJournal it requires
// -fuzzminimizetime 1x: what goroutines do is taken for interesting.
func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, member{name: "d/", kind: tar.TypeDir}, member{name: "d/a", data: "x"}))
	f.Add(pack(f, member{name: "../a", data: "x"}))
	f.Add(pack(f, member{name: "a", kind: tar.TypeSymlink, link: ".."}, member{name: "a/b", data: "x"}))
	f.Add(zipped(f, pack(f, member{name: "a", data: "x"})))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Bytes: 1 << 16, Files: 20}
		outer := t.TempDir()
		must.Succeed(t, os.Mkdir(filepath.Join(outer, "in"), 0o755))
		root, err := os.OpenRoot(filepath.Join(outer, "in"))
		must.Succeed(t, err)
		defer root.Close()
		_ = unpack(t.Context(), io.LimitReader(bytes.NewReader(data), 1<<20), root, newRoom(limits, outer))
		var bytes int64
		files := 0
		err = filepath.WalkDir(outer, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() || !strings.HasPrefix(path, filepath.Join(outer, "in")+"/") {
				return fmt.Errorf("%s is written, %v", path, info.Mode())
			}
			files++
			bytes += info.Size()
			return nil
		})
		must.Succeed(t, err)
		if bytes > limits.Bytes || files > limits.Files {
			t.Errorf("%d files of %d bytes, want at most %d of %d", files, bytes, limits.Files, limits.Bytes)
		}
	})
}
