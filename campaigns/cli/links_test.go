package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/sim/osfile"
)

// TestOutputLinks has commands that write files of fixed names below a directory find
// a link, or a pipe, at the place of each: nothing outside the directory changes, and
// no reader is waited for.
func TestOutputLinks(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "sb.axe")
	must.Succeed(t, os.WriteFile(trace, []byte("0: M[0] := 1\n0: M[1] == 0\ncheck\n"), 0o600))
	for _, c := range []struct {
		command string // DIR is the directory, TRACE a file
		files   string
	}{
		{"audit --protocol mi --engines sample --steps 1000 --dir DIR", "audit.json audit.txt audit.html audit.sarif"},
		{"mutate run --protocol mi --sample 1 --budget 100 --core tso --dir DIR", "matrix.json matrix.jsonl"},
		{"explore --protocol mi --max-states 50 --quiet --dir DIR", "explored.json checkpoint"},
		{"litmus --shapes --save DIR", "SB.litmus"},
		{"convert --to native -o DIR TRACE", "program.txt log.bin"},
	} {
		for file := range strings.FieldsSeq(c.files) {
			for _, plant := range []string{"link", "dangling link", "pipe"} {
				dir, outside := filepath.Join(t.TempDir(), "received"), filepath.Join(t.TempDir(), "outside")
				must.Succeed(t, os.Mkdir(dir, 0o700))
				place := filepath.Join(dir, file)
				switch plant {
				case "pipe":
					if err := osfile.MakePipe(place); errors.Is(err, errors.ErrUnsupported) {
						continue
					} else {
						must.Succeed(t, err)
					}
				case "link":
					must.Succeed(t, os.WriteFile(outside, []byte("precious"), 0o600))
					fallthrough
				default:
					must.Succeed(t, os.Symlink(outside, place))
				}
				words := strings.Fields("ordeal " + c.command)
				for i := range words {
					words[i] = strings.NewReplacer("DIR", dir, "TRACE", trace).Replace(words[i])
				}
				var stdout, stderr bytes.Buffer
				if status := Main(words, manual(), strings.NewReader(""), &stdout, &stderr); status == 2 {
					t.Fatalf("%s: %s", c.command, &stderr)
				}
				text, err := os.ReadFile(outside)
				if plant == "link" && string(text) != "precious" || plant != "link" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s with a %s at %s: outside is %.40q, %v", c.command, plant, file, text, err)
				}
			}
		}
	}
}
