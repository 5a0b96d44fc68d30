package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestReadme runs the commands of every README as written, in order, in a
// directory that looks like the repository after make build. Commands of make
// must be targets of the Makefile.
func TestReadme(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs run on linux/amd64 only")
	}
	makefile, err := os.ReadFile("../../Makefile")
	must.Succeed(t, err)
	list, err := topics(manual())
	if err != nil || len(list) < 10 {
		t.Fatalf("%d topics, %v", len(list), err)
	}
	seen := make(map[string]string)
	for _, topic := range list {
		t.Run(topic.name, func(t *testing.T) {
			if seen[topic.name] != "" || !regexp.MustCompile(`^# \w+(: \S.*)?\n`).Match(topic.text) {
				t.Errorf("%s: want a first line of the form # TOPIC: SUMMARY, which %q has not", topic.file, seen[topic.name])
			}
			seen[topic.name] = topic.file
			runReadme(t, string(topic.text), string(makefile))
		})
	}
}

// runReadme runs the commands of one README.
func runReadme(t *testing.T, text, makefile string) {
	dir := t.TempDir()
	link(t, lookPath(t, "ordeal"), filepath.Join(dir, "bin", "ordeal"))
	for _, layer := range []string{"campaigns", "check", "gen", "parse", "scripts", "sim"} {
		link(t, abs(t, "../../"+layer), filepath.Join(dir, layer))
	}
	t.Chdir(dir)
	for _, c := range shellBlocks(text) {
		if target, ok := strings.CutPrefix(c, "make "); ok {
			target, _, _ = strings.Cut(target, " ")
			if !strings.Contains(makefile, "\n"+target+":") {
				t.Errorf("%s: no such target", c)
			}
			continue
		}
		code, out := shell(c)
		if code != 0 && !(code == summary.ExitFinding && finds(c)) && !(code == summary.ExitUndecided && regexp.MustCompile(`budget=|resume tonight`).MatchString(c)) {
			t.Errorf("%s: %d\n%s", c, code, out)
		}
	}
}

// shell runs a command line: by a shell, or in this process where it is one ordeal command
// and nothing for a shell to expand.
func shell(line string) (status int, out string) {
	words := regexp.MustCompile(`'[^']*'|[^' ]+`).FindAllString(line, -1)
	for i, word := range words {
		quoted := strings.HasPrefix(word, "'")
		if words[0] != "bin/ordeal" || !quoted && strings.ContainsAny(word, "|<>&;$*?\"`\\#~(){}") || strings.Contains(line, "='") {
			cmd := exec.Command("sh", "-c", line)
			out, _ := cmd.CombinedOutput()
			return cmd.ProcessState.ExitCode(), string(out)
		}
		words[i] = strings.Trim(word, "'")
	}
	status, stdout, stderr := ordeal("", words[1:]...)
	return status, stdout + stderr
}

// finds tells the commands that are there to find something: SC may well
// forbid a history, and an injected bug should be caught.
func finds(command string) bool {
	for _, part := range []string{" check ", " --mutant ", "audit --slicc my-protocol", "repro --tries 1 ", "repro --trace ", "repro broken", "mutate run"} {
		if strings.Contains(command, part) {
			return true
		}
	}
	return false
}

// shellBlocks lists the commands in blocks fenced as sh, without comments.
func shellBlocks(text string) []string {
	var commands []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "```sh":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && line != "":
			command, _, _ := strings.Cut(line, " # ")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
}

func lookPath(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	must.Succeed(t, err)
	return path
}

func abs(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	must.Succeed(t, err)
	return path
}

func link(t *testing.T, to, at string) {
	must.Succeed(t, os.MkdirAll(filepath.Dir(at), 0o755))
	must.Succeed(t, os.Symlink(to, at))
}
