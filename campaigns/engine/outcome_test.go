package engine

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ordeal/campaigns/journal"
)

// moment is a time, or a duration, in a file of a campaign.
var moment = regexp.MustCompile(`"([a-z_]+_ns|started|session)": ?("[^"]*"|[0-9]+)`)

// outcome is everything that a campaign left in its directory, apart from
// times and the directory's own name: by path, the lines of files.
func outcome(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if name == journal.SummaryText { // summaryJSON says the same, and no times in prose
			all[name] = nil
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte(dir), []byte("DIR"))
		data = moment.ReplaceAll(data, []byte(`"$1":0`))
		for line := range bytes.Lines(data) {
			all[name] = append(all[name], string(line))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
