package syntax

import (
	"errors"
	"testing"
)

func TestExcerpt(t *testing.T) {
	read := func(file string) ([]byte, error) {
		if file != "a.sm" {
			return nil, errors.New("gone")
		}
		return []byte("machine\n\tint välue := wrong;\r\nlast"), nil
	}
	faults := Faults{
		{Pos{"a.sm", 2, 16}, "unknown variable wrong"},
		{Pos{"a.sm", 3, 5}, "end of file"},
		{Pos{"a.sm", 4, 1}, "beyond the end"},
		{Pos{"b.sm", 1, 1}, "file is gone"},
		{Pos{}, "no place"},
	}
	const want = `dir/a.sm:2:16: unknown variable wrong
    2 | 	int välue := wrong;
      | 	             ^~~~~
dir/a.sm:3:5: end of file
    3 | last
      |     ^
dir/a.sm:4:1: beyond the end
dir/b.sm:1:1: file is gone
-: no place`
	if got := faults.Excerpt(func(file string) string { return "dir/" + file }, read); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
