package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// written is a command that writes OUT.
type written struct {
	line string
	// kib is the size of a disk on which the command begins and cannot end; 0: it is refused where
	// there is no space at all.
	kib int
	// says is in its result, which standard output has although the last write failed.
	says string
	// full is the exit status on that disk: infrastructure, unless what was found counts for more.
	full int
}

// writing lists every command that writes to a path that it is given. Sizes are pages of 4 KiB: what
// each leaves free is for the files that are made before the work.
var writing = []written{
	{line: "campaign run --quiet --dir OUT fails.yaml", kib: 100, says: "findings"},
	{line: "campaign run --quiet --dir OUT fails.yaml", kib: 12, says: "invalid transition (M, Load)"},
	{line: "campaign run --quiet --json --dir OUT fails.yaml", kib: 12, says: "invalid transition (M, Load)"},
	{line: "campaign run --quiet --dir OUT explores.yaml", kib: 12, says: "invalid transition (M, Load)"},
	{line: "audit --protocol mi --steps 100000 --engines sample --dir OUT", kib: 12, says: "nothing found"},
	{line: "audit --slicc broken/MI_example.slicc --steps 3000 --dir OUT", kib: 64, says: "finding", full: 1},
	{line: "audit --slicc broken/MI_example.slicc --steps 3000 --title nosuch --dir OUT", kib: 64, says: "finding", full: 128},
	{line: "audit --slicc broken/MI_example.slicc --steps 3000 --title invalid* --dir OUT", kib: 64, says: "finding", full: 1},
	{line: "explore --protocol mi --cores 2 --mutant MUTANT --dir OUT", kib: 12, says: "invalid transition (M, Load)", full: 1},
	{line: "mutate run --protocol mi --core tso --budget 400 --runs 1 --dir OUT", kib: 12, says: "mi, tso"},
	{line: "mutate run --protocol mi --core tso --budget 400 --runs 1 --json --dir OUT", kib: 12, says: "killed"},
	{line: "run --dir OUT FAILS", kib: 8, says: "invalid transition (M, Load)"},
	{line: "run --dir OUT FAILS", kib: 16, says: "invalid transition (M, Load)"},
	{line: "run --json --dir OUT FAILS", kib: 8, says: "invalid transition (M, Load)"},
	{line: "repro --dir OUT --campaign fails.yaml --run 0", kib: 8, says: "invalid transition (M, Load)"},
	{line: "litmus --protocol mi --mutant MUTANT --rounds 9 --dir OUT sb.litmus", kib: 4, says: "invalid transition (M, Load)"},
	{line: "bench papers --only wsc-kernel --scale 0.001 -o OUT", kib: 8, says: "wsc-kernel"},
	{line: "campaign merge -o OUT failed-night", kib: 4},
	{line: "campaign submit --shards 2 --time 1:00 --dir OUT fails.yaml", kib: 8},
	{line: "mutate apply --gem5-tree tree --protocol MI_example -o OUT MI_example/L1Cache/(M,Store)/delete"},
	{line: "campaign report -o OUT failed-night"},
	{line: "campaign reindex --db OUT failed-night"},
	{line: "campaign trend --html OUT failed-night"},
	{line: "explain --html OUT failed"},
	{line: "gen --ops 2000 -o OUT"},
	{line: "convert --to axe -o OUT passed"},
	{line: "slicc convert -o OUT PROTOCOLS/MI_example.slicc"},
	{line: "check --serializability tso --svg OUT pool.events"},
}

// inputsOf makes the files and directories that the commands of writing read.
func inputsOf(t *testing.T) (slicc string) {
	t.Helper()
	slicc, err := filepath.Abs("../../sim/protocols/slicc")
	must.Succeed(t, err)
	t.Chdir(t.TempDir())
	must.Succeed(t, os.CopyFS("broken", os.DirFS(slicc)))
	cache, err := os.ReadFile("broken/MI_example-cache.sm")
	must.Succeed(t, err)
	must.Succeed(t, os.WriteFile("good.sm", cache, 0o600))
	before, hit, _ := strings.Cut(string(cache), "transition(M, Load) {")
	_, after, found := strings.Cut(hit, "}\n")
	if !found {
		t.Fatal("MI_example has no load that hits")
	}
	must.Succeed(t, os.WriteFile("broken/MI_example-cache.sm", []byte(before+after), 0o600))
	must.Succeed(t, os.CopyFS("tree/src/mem/ruby/protocol", os.DirFS("broken")))
	for name, text := range map[string]string{
		"fails.yaml":     fmt.Sprintf("name: fails\nsim: builtin\nworkers: 1\nconfigs: [{name: a, runs: 30, threads: 4, ops: 40, locations: 4, rounds: 4, protocol: mi, mutant: %q}]\n", mutant),
		"explores.yaml":  fmt.Sprintf("name: explores\nsim: builtin\nconfigs: [{name: a, runs: 1, protocol: mi, mutant: %q, explore: {}}]\n", mutant),
		"sb.litmus":      "X86_64 SB\n{ x=0; y=0; }\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)\n",
		"sb.axe":         "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\n",
		"pool.events":    "ordeal-events 1\nexecution\nthreads 0 1\nvariables x y\n0 begin\n0 write x\n0 read y\n0 end\n1 begin\n1 write y\n1 read x\n1 end\n0 commit x\n1 commit y\n",
		"a-regular-file": "",
	} {
		must.Succeed(t, os.WriteFile(name, []byte(text), 0o600))
	}
	must.Succeed(t, os.Mkdir("bin", 0o700))
	must.Succeed(t, os.WriteFile("bin/sbatch", []byte("#!/bin/sh\necho 5\n"), 0o700))
	must.Succeed(t, os.WriteFile("bin/squeue", []byte("#!/bin/sh\n"), 0o700))
	bin, err := filepath.Abs("bin")
	must.Succeed(t, err)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for line, want := range map[string]int{"campaign run --quiet --dir failed-night fails.yaml": 1, "run --dir failed FAILS": 1, "run --protocol mi --seed 1 --rounds 2 --dir passed": 0} {
		if status, _, stderr := ordeal("", words(line)...); status != want {
			t.Fatalf("ordeal %s: exit status %d, want %d\n%s", line, status, want, stderr)
		}
	}
	return slicc
}

// mutant is one that every run finds: a line in state M is not expected to be loaded.
const mutant = "MI_example/L1Cache/(M,Load)/delete"

// words are those of a command line with FAILS for a run that fails.
func words(line string) []string {
	return strings.Fields(strings.NewReplacer("FAILS", "--protocol mi --seed 7 --ops 40 --rounds 3 --mutant "+mutant, "MUTANT", mutant).Replace(line))
}

// TestNowhereToWrite has every command write below a regular file and to a disk that can only be read: it
// is refused, before there is a result, and the path is named. litmus only writes what has a finding.
func TestNowhereToWrite(t *testing.T) {
	slicc := inputsOf(t)
	disk := small(t, syscall.MS_RDONLY, "")
	seen := map[string]bool{}
	for _, w := range writing {
		if seen[w.line] {
			continue
		}
		seen[w.line] = true
		for _, dir := range []string{"a-regular-file", disk} {
			if dir == "" {
				continue
			}
			out := filepath.Join(dir, "x")
			line := strings.NewReplacer("OUT", out, "PROTOCOLS", slicc).Replace(w.line)
			want := summary.ExitInfra
			if strings.Contains(line, "--title") {
				want = 128 // which git bisect run takes for the end, not for a commit to skip
			}
			status, stdout, stderr := ordeal("", words(line)...)
			if status != want || stdout != "" && !strings.HasPrefix(line, "litmus") || !strings.Contains(stderr, dir) {
				t.Errorf("ordeal %s: exit status %d, want %d, nothing printed and the path in the message\n%s%s", line, status, want, stdout, stderr)
			}
		}
	}
}

// small mounts a small disk; "" if that is not allowed here.
func small(t *testing.T, flags uintptr, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Logf("not tried on a disk of its own: mount: %v", err)
		return ""
	}
	t.Cleanup(func() { // a lock holds it until the process ends
		must.Succeed(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	})
	return dir
}

// TestLastWrite has every command write to a disk that becomes full: what it found is said in any case.
func TestLastWrite(t *testing.T) {
	slicc := inputsOf(t)
	for _, w := range writing {
		disk := small(t, 0, fmt.Sprintf("size=%dk", max(w.kib, 4)))
		if disk == "" {
			t.Skip("no disk can be mounted")
		}
		if w.kib == 0 {
			must.Succeed(t, os.WriteFile(filepath.Join(disk, "ballast"), make([]byte, 4096), 0o600))
		}
		line := strings.NewReplacer("OUT", filepath.Join(disk, "x"), "PROTOCOLS", slicc).Replace(w.line)
		status, stdout, stderr := ordeal("", words(line)...)
		if status != cmp.Or(w.full, summary.ExitInfra) || !strings.Contains(stdout, w.says) || w.says == "" && stdout != "" {
			t.Errorf("ordeal %s: exit status %d, want %d and %q\n%s%s", line, status, cmp.Or(w.full, summary.ExitInfra), w.says, stdout, stderr)
		}
		if !strings.Contains(stderr, syscall.ENOSPC.Error()) && !strings.Contains(stderr, "disk is full") {
			t.Errorf("ordeal %s: it does not say that the disk is full\n%s", line, stderr)
		}
	}
}

// TestLastWriteOfResume goes on with a campaign on a disk that is full, and on one that can only be read.
func TestLastWriteOfResume(t *testing.T) {
	inputsOf(t)
	for _, remount := range []string{"", "read-only"} {
		disk := small(t, 0, "size=4m")
		if disk == "" {
			t.Skip("no disk can be mounted")
		}
		dir := filepath.Join(disk, "x")
		must.Succeed(t, os.CopyFS(dir, os.DirFS("failed-night")))
		reason := syscall.ENOSPC
		if remount != "" {
			reason = syscall.EROFS
			must.Succeed(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
		} else if err := os.WriteFile(filepath.Join(disk, "ballast"), make([]byte, 4<<20), 0o600); err == nil {
			t.Fatal("the disk is not full")
		}
		status, stdout, stderr := ordeal("", "campaign", "resume", "--quiet", "--runs", "300", dir)
		if status != summary.ExitInfra || remount == "" && !strings.Contains(stdout, "invalid transition (M, Load)") || !strings.Contains(stderr, reason.Error()) && !strings.Contains(stderr, "disk is full") {
			t.Errorf("%s: exit status %d, want %d, what was found and %q\n%s%s", remount, status, summary.ExitInfra, reason, stdout, stderr)
		}
	}
}

// TestFullOutput has every command that prints a result print it to a full disk.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	slicc := inputsOf(t)
	lines := []string{"check --model tso sb.axe", "check --json sb.axe", "gen", "convert --to axe sb.axe", "campaign report -o - failed-night", "campaign status failed-night",
		"campaign diff failed-night failed-night", "campaign trend failed-night", "explain failed", "repro --tries 1 failed", "reduce failed", "models", "version", "schema",
		"mutate list --protocol mi", "slicc check PROTOCOLS/MI_example.slicc", "slicc table PROTOCOLS/MI_example.slicc", "slicc convert PROTOCOLS/MI_example.slicc"}
	for _, w := range writing {
		if w.says != "" && w.kib < 100 {
			lines = append(lines, w.line)
		}
	}
	for n, line := range lines {
		line = strings.NewReplacer("OUT", fmt.Sprint("full-", n), "PROTOCOLS", slicc).Replace(line)
		var stderr bytes.Buffer
		status := Main(append([]string{"ordeal"}, words(line)...), manual(), strings.NewReader(""), full, &stderr)
		want := summary.ExitInfra
		if strings.Contains(line, "--title") {
			want = 128
		}
		if status != want || !strings.Contains(stderr.String(), "write standard output: ") {
			t.Errorf("ordeal %s: exit status %d, want %d\n%s", line, status, want, &stderr)
		}
	}
}
