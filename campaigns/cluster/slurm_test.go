package cluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/internal/must"
)

// commands makes stand-ins of Slurm's commands, by what they print or, where
// that begins with an exclamation mark, fail with. Others are not found.
func commands(t *testing.T, prints map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range prints {
		script := "#!/bin/sh\nwhile read -r line; do echo \"$line\"; done <<'END'\n" + text + "\nEND\n"
		if text == "" {
			script = "#!/bin/sh\n"
		}
		if message, ok := strings.CutPrefix(text, "!"); ok {
			script = "#!/bin/sh\necho '" + message + "' >&2\nexit 1\n"
		}
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	t.Setenv("PATH", dir)
}

// queue is what squeue prints of a task that runs, of tasks that wait together, and
// of a job.
const queue = `1|2|RUNNING|n1|None
1|3|PENDING||Resources
1|4|PENDING||Resources
1|7|PENDING||Resources
2|N/A|PENDING||Dependency`

// TestQueued reads what squeue prints, and has it fail.
func TestQueued(t *testing.T) {
	now := []Task{
		{Shard: 2, Job: "1", State: "RUNNING", Node: "n1"},
		{Shard: 3, Job: "1", State: "PENDING", Reason: "Resources"},
		{Shard: 4, Job: "1", State: "PENDING", Reason: "Resources"},
		{Shard: 7, Job: "1", State: "PENDING", Reason: "Resources"},
		{Job: "2", State: "PENDING", Reason: "Dependency"},
	}
	for name, tt := range map[string]struct {
		prints map[string]string
		want   []Task
		fails  string
	}{
		"all":            {map[string]string{"squeue": queue}, now, ""},
		"forgotten":      {map[string]string{"squeue": ""}, nil, ""},
		"no squeue":      {nil, nil, "not found"},
		"no controller":  {map[string]string{"squeue": "!Unable to contact slurm controller"}, nil, "squeue: exit status 1: Unable to contact slurm controller"},
		"another format": {map[string]string{"squeue": "JOBID PARTITION"}, nil, "want fields as"},
	} {
		t.Run(name, func(t *testing.T) {
			commands(t, tt.prints)
			got, err := queued(t.Context(), "o", "o-merge")
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error is %v, want %q", err, tt.fails)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestRefresh requires a job that Slurm no longer knows to have ended, a later job of a
// shard to count, and earlier ones not.
func TestRefresh(t *testing.T) {
	s := &State{Name: "o", Shards: 4, Tasks: []Task{
		{Shard: 1, Job: "9", State: "RUNNING"}, {Shard: 2, Job: "9", State: "COMPLETED"},
		{Shard: 3, Job: "9", State: "PENDING"}, {Shard: 4},
	}, Merge: Task{Job: "10", State: "PENDING"}}
	commands(t, map[string]string{"squeue": "9|3|RUNNING|n1|None\n8|2|FAILED|n1|None\n12|4|CONFIGURING|n1|None\n100|3|PENDING||None\n9|99|RUNNING||None"})
	must.Succeed(t, s.refresh(t.Context()))
	want := []Task{
		{Shard: 1, Job: "9", State: stateUnknown}, {Shard: 2, Job: "9", State: "COMPLETED"},
		{Shard: 3, Job: "100", State: "PENDING"}, {Shard: 4, Job: "12", State: "CONFIGURING", Node: "n1"},
	}
	if diff := cmp.Diff(want, s.Tasks); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	for i, active := range []bool{false, false, true, true} {
		if s.Tasks[i].active() != active {
			t.Errorf("shard %d is active: %v", i+1, !active)
		}
	}
	if s.Merge.active() {
		t.Errorf("the merge is %v", s.Merge)
	}
}

func TestSubmitJob(t *testing.T) {
	for printed, want := range map[string]string{"17": "17", "17;cluster": "17", "Submitted batch job 17": "", "": "", "17 18": ""} {
		commands(t, map[string]string{"sbatch": printed})
		id, err := (&batch{}).submit(t.Context())
		if id != want || (err == nil) != (want != "") {
			t.Errorf("%q is job %q: %v", printed, id, err)
		}
	}
	commands(t, nil)
	if _, err := (&batch{}).submit(t.Context()); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("no sbatch: %v", err)
	}
}

func TestTasks(t *testing.T) {
	for text, tasks := range map[string][]int{"1": {1}, "1-3": {1, 2, 3}, "1,3": {1, 3}, "2-3,5,8-10": {2, 3, 5, 8, 9, 10}} {
		if got := Ranges(tasks); got != text {
			t.Errorf("%v is written %s, want %s", tasks, got, text)
		}
	}
}

// TestScript has a shell read back what a script was made of.
func TestScript(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "print.sh")
	words := []string{"it's", `a "b" \`, "$HOME `id` $(id)", "line\nbreak", "*", "", "-e"}
	must.Succeed(t, writeScript(path, append([]string{"/usr/bin/printf", `<%s>`}, words...)...))
	for task, want := range map[string]string{"": "", "7": "<7>"} {
		cmd := exec.Command("/bin/sh", path)
		cmd.Env = []string{"SLURM_ARRAY_TASK_ID=" + task}
		out, err := cmd.CombinedOutput()
		if all := "<" + strings.Join(words, "><") + ">" + want; err != nil || string(out) != all {
			t.Errorf("%v: the shell reads\n%s\nwant\n%s", err, out, all)
		}
	}
	if err := writeScript(path, "a\x00b"); err == nil {
		t.Error("a zero byte is written")
	}
	if got := logPattern("/a%b/%a.log"); got != "/a%%b/%a.log" {
		t.Errorf("the log is %s", got)
	}
}

// TestCheckArgs has sbatch's own rules decide: options may be abbreviated, letters
// joined, and -p takes the rest of a word.
func TestCheckArgs(t *testing.T) {
	for arg, option := range map[string]string{
		"--array=1-9": "array", "--arr=1-9": "array", "-a1-9": "array", "-Ha1": "array", "--job-name=x": "job-name", "-Jx": "job-name",
		"--dep=afterok:1": "dependency", "-dsingleton": "dependency", "--output=/dev/null": "output", "-o/dev/null": "output",
		"--wrap=true": "wrap", "--signal=B:TERM@5": "signal", "--no-requeue": "no-requeue", "-D/": "chdir", "-Mother": "clusters", "-W": "wait",
	} {
		if err := CheckArgs([]string{"--nice=10", arg}); err == nil || !strings.Contains(err.Error(), arg+": ") || !strings.Contains(err.Error(), "--"+option+" ") {
			t.Errorf("%s: %v, want --%s to be refused", arg, err, option)
		}
	}
	for _, arg := range []string{"", "-", "--", "night", "afterok:1"} {
		if err := CheckArgs([]string{arg}); err == nil || !strings.Contains(err.Error(), "in one word") {
			t.Errorf("%q: %v", arg, err)
		}
	}
	fine := []string{"--nice=10", "--account=proj", "-Aproj", "-pday", "-CaJ", "-H", "-Hpao", "--wait-all-nodes=1", "--nodelist=n1", "--mem-per-cpu=1G", "--exclusive", "--begin=22:00"}
	if err := CheckArgs(fine); err != nil {
		t.Error(err)
	}
}

// TestEnvironment keeps variables from the commands that would change what they
// are asked for.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/sh\necho \"$SQUEUE_PARTITION$SQUEUE_FORMAT$SBATCH_ARRAY_INX$SCANCEL_INTERACTIVE,$SBATCH_ACCOUNT,$SLURM_CONF\"\n"), 0o755))
	for _, name := range []string{"SQUEUE_PARTITION", "SQUEUE_FORMAT", "SBATCH_ARRAY_INX", "SCANCEL_INTERACTIVE", "SBATCH_ACCOUNT", "SLURM_CONF"} {
		t.Setenv(name, name)
	}
	t.Setenv("PATH", dir)
	if out, err := slurm(t.Context(), "squeue"); out != ",SBATCH_ACCOUNT,SLURM_CONF\n" || err != nil {
		t.Errorf("it has %q: %v", out, err)
	}
}
