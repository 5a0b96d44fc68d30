package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
)

// TestCancelOthers has cluster.json name jobs of its user that are none of this
// campaign: they are left alone.
func TestCancelOthers(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	d := Dir(filepath.Join(t.TempDir(), "a night"))
	must.Succeed(t, os.Mkdir(string(d), 0o755))
	must.Succeed(t, os.Symlink(string(d), link))
	// Another campaign of the user, and a link from the received directory to it.
	other := Dir(t.TempDir())
	must.Succeed(t, os.Symlink(string(other), d.path("other")))
	must.Succeed(t, os.Symlink(other.path("shard.sh"), d.path("linked.sh")))
	scripts := map[string]string{
		"1": d.path("shard.sh"), "2": filepath.Join(link, "merge.sh"), // this directory's
		"3": "/home/user/train.sh", "4": other.path("shard.sh"), "5": "shard.sh", "6": d.path("other", "shard.sh"),
		"7": d.path("linked.sh"), "8": "(null)", "9": "",
	}
	ids, queue := []string{"1_1", "1_2", "2", "10"}, ""
	for id, script := range scripts {
		queue += fmt.Sprintf("echo '%s|%s'\n", id, script)
		if id > "2" {
			ids = append(ids, id, id+"_7")
		}
	}
	for name, text := range map[string]string{"squeue": queue} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			done := filepath.Join(bin, "cancelled")
			must.Succeed(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755))
			must.Succeed(t, os.WriteFile(filepath.Join(bin, "scancel"), []byte("#!/bin/sh\necho \"$*\" >> "+done+"\n"), 0o755))
			t.Setenv("PATH", bin)
			got, err := d.cancel(t.Context(), append([]string(nil), ids...))
			if diff := cmp.Diff([]string{"1_1", "1_2", "2"}, got); diff != "" {
				t.Errorf("cancelled (-want +got):\n%s", diff)
			}
			for _, id := range []string{"3", "4", "5", "6", "7", "8", "9", "10"} {
				if want := fmt.Sprintf("job %s is not cancelled: it executes %q", id, scripts[id]); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if text, err := os.ReadFile(done); err != nil || string(text) != "1_1 1_2 2\n" {
				t.Errorf("scancel is called with %q: %v", text, err)
			}
			must.Succeed(t, os.Remove(done))
			if got, err := d.cancel(t.Context(), []string{"3_1"}); len(got) != 0 || err == nil {
				t.Errorf("%v, %v", got, err)
			}
			if _, err := os.Stat(done); err == nil {
				t.Error("scancel is called without a job, which it takes for all")
			}
		})
	}
}

// TestCancelDirectory has a received cluster.json name a job of its user as running.
func TestCancelDirectory(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 1, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Squeue prints the state of a job, and what it executes, if asked for that.
	const squeue = "#!/bin/sh\ncase \"$*\" in *%%o*) echo '5|%s' ;; *) echo '5|1|RUNNING|n1|None' ;; esac\n"
	for _, theirs := range []bool{true, false} {
		bin := t.TempDir()
		script := d.path("shard.sh")
		if theirs {
			script = "/home/user/train.sh"
		}
		must.Succeed(t, os.WriteFile(filepath.Join(bin, "squeue"), fmt.Appendf(nil, squeue, script), 0o755))
		must.Succeed(t, os.WriteFile(filepath.Join(bin, "scancel"), []byte("#!/bin/sh\necho \"$*\" > "+filepath.Join(bin, "cancelled")+"\n"), 0o755))
		t.Setenv("PATH", bin)
		ids, err := d.Cancel(t.Context())
		_, missing := os.Stat(filepath.Join(bin, "cancelled"))
		if theirs != (err != nil) || theirs != (missing != nil) || theirs != (len(ids) == 0) {
			t.Errorf("a job that executes %s: cancelled %v %v, error %v", script, ids, missing == nil, err)
		}
	}
}
