package osfile_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ordeal/sim/osfile"
)

// TestNextData has a file with words at its begin and in the middle, and a hole at
// its end.
func TestNextData(t *testing.T) {
	const middle, size = 1 << 30, 1 << 31
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int64{0, middle} {
		if _, err := f.WriteAt([]byte("word"), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	var data []string
	for at := int64(0); ; {
		begin, end, err := osfile.NextData(f, at)
		if err == io.EOF {
			break
		} else if err != nil || end <= begin || end-begin > 1<<20 {
			t.Fatalf("from %d on the data are from %d to %d, %v", at, begin, end, err)
		}
		data, at = append(data, fmt.Sprint(begin)), end
	}
	if want := fmt.Sprint([]int{0, middle}); fmt.Sprint(data) != want {
		t.Errorf("data begin at %v, want %v", data, want)
	}
	if _, _, err := osfile.NextData(f, size); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}
