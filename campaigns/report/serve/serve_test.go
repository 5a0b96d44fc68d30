package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
)

var soak = flag.Bool("soak", false, "look at the pages in a browser, too")

const small = `
name: small
sim: builtin
workers: 1
configs:
  - {name: fine, runs: 3, threads: 2, ops: 20, locations: 4, rounds: 2, protocol: mi, core: tso}
  - {name: 'a <b>&', runs: 3, threads: 3, ops: 30, locations: 4, rounds: 3, protocol: mi, mutant: "MI_example/L1Cache/(M,Load)/delete"}
  - {name: canary, runs: 3, threads: 3, ops: 60, locations: 4, rounds: 3, protocol: mi, core: tso, core-bugs: [buffer-out-of-order], bug: {about: "<script>alert(1)</script>"}}
`

// nights makes a directory with a campaign in it.
func nights(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "my nights")
	must.Succeed(t, os.Mkdir(dir, 0o755))
	text := strings.Replace(small, "'a <b>&'", "broken", 1)
	c, err := config.Parse("small.yaml", []byte(text), nil)
	must.Succeed(t, err)
	e := engine.Engine{Dir: filepath.Join(dir, "night 1"), Command: []string{"ordeal"}}
	_, err = e.Run(context.Background(), c)
	must.Succeed(t, err)
	return dir
}

func serving(t *testing.T, dir string) (h *Handler, url string) {
	t.Helper()
	h, err := New(dir)
	must.Succeed(t, err)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return h, s.URL
}

// get asks for a page, and demands a status and the policy.
func get(t *testing.T, url string, status int) (body string, head http.Header) {
	t.Helper()
	r, err := http.Get(url)
	must.Succeed(t, err)
	defer r.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(r.Body)
	must.Succeed(t, err)
	if r.StatusCode != status {
		t.Errorf("%s: status %d, want %d: %.300s", url, r.StatusCode, status, &b)
	}
	if got := r.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: the policy is %q", url, got)
	}
	return b.String(), r.Header
}

// state is every file of a directory, with its size and time.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must.Succeed(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.Mode(), info.ModTime())
		}
		return err
	}))
	return b.String()
}

var href = regexp.MustCompile(`(?:href|src)="([^"#]+)"`)

// TestLinks follows every link of every page: each answers, none leads elsewhere, and
// nothing of the directory changes.
func TestLinks(t *testing.T) {
	dir := nights(t)
	before := state(t, dir)
	_, url := serving(t, dir)
	seen, queue := map[string]bool{"/": true}, []string{"/"}
	all := ""
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		page, head := get(t, url+at, http.StatusOK)
		if !strings.HasPrefix(head.Get("Content-Type"), "text/html") {
			continue
		}
		if all += page; strings.Contains(page, "<script>") {
			t.Errorf("%s has a script", at)
		}
		for _, m := range href.FindAllStringSubmatch(page, -1) {
			link := strings.ReplaceAll(m[1], "&amp;", "&")
			if strings.HasPrefix(link, "data:") || seen[link] {
				continue
			}
			if !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "//") {
				t.Errorf("%s links to %s", at, link)
				continue
			}
			seen[link] = true
			queue = append(queue, link)
		}
	}
	for _, want := range []string{"9 of 9 runs", "invalid transition (M, Load) of L1Cache", "1 of 1", "caught", "transition(M, Fwd_GETX, I)", "e_sendData;", "MI_example-cache.sm:344", "Diagnosis", "The whole report", "&lt;script&gt;"} {
		if !strings.Contains(all, want) {
			t.Errorf("no page has %q", want)
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d pages", len(seen))
	}
	if state(t, dir) != before {
		t.Error("the directory has changed")
	}
}

// record puts a campaign back to some lines of its journal, as if it ran.
func record(t *testing.T, dir string, lines int) (rest [][]byte) {
	t.Helper()
	path := filepath.Join(dir, journal.RunsFile)
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	all := bytes.SplitAfter(text, []byte("\n"))
	must.Succeed(t, os.WriteFile(path, bytes.Join(all[:lines], nil), 0o644))
	head := new(journal.Header)
	header := filepath.Join(dir, journal.HeaderFile)
	text, err = os.ReadFile(header)
	must.Succeed(t, err)
	must.Succeed(t, json.Unmarshal(text, head))
	head.End, head.Spent = "", 0
	text, err = json.Marshal(head)
	must.Succeed(t, err)
	must.Succeed(t, os.WriteFile(header, text, 0o644))
	return all[lines:]
}

func add(t *testing.T, dir string, text []byte) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, journal.RunsFile), os.O_APPEND|os.O_WRONLY, 0)
	must.Succeed(t, err)
	_, err = f.Write(text)
	must.Succeed(t, err)
	must.Succeed(t, f.Close())
}

// TestFollow shows a campaign as it goes on, and says when nothing is recorded.
func TestFollow(t *testing.T) {
	dir := filepath.Join(nights(t), "night 1")
	rest := record(t, dir, 1)
	h, url := serving(t, dir)
	page := url + "/night%201/"
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	h.now = func() time.Time { return a.Header.Session.Add(time.Minute) }
	expect := func(want ...string) {
		t.Helper()
		text, _ := get(t, page, http.StatusOK)
		text = regexp.MustCompile(`<[^>]+>`).ReplaceAllString(text, "")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text[strings.Index(text, "Campaigns"):])
			}
		}
	}
	expect("small: 1 of 9 runs, running", "of 9 runs, 11.1 %", "None so far.", "pending", "1m0s")
	add(t, dir, rest[0][:len(rest[0])/2]) // a line that is being written
	expect("small: 1 of 9 runs")
	add(t, dir, rest[0][len(rest[0])/2:])
	expect("small: 2 of 9 runs", "invalid transition (M, Load)")
	add(t, dir, bytes.Join(rest[1:4], nil))
	// Five runs in a minute: the other four take 48 seconds.
	expect("small: 5 of 9 runs", "0.1 runs/s, about 48s left", "caught")
	h.now = func() time.Time { return a.Header.Session.Add(time.Hour) }
	must.Succeed(t, os.Chtimes(filepath.Join(dir, journal.RunsFile), time.Time{}, a.Header.Session.Add(30*time.Minute)))
	expect("running or killed: nothing was recorded for 30m0s")
	// Another session with a journal of its own.
	record(t, dir, 2)
	expect("small: 2 of 9 runs")
	if text, _ := get(t, url+"/", http.StatusOK); !strings.Contains(text, `href="/night%201/"`) {
		t.Errorf("the list is\n%s", text)
	}
}

// TestRefuse refuses what is not for others, what would change something, and what is
// no page.
func TestRefuse(t *testing.T) {
	dir := nights(t)
	night := filepath.Join(dir, "night 1")
	outside := filepath.Join(t.TempDir(), "secret")
	must.Succeed(t, os.Mkdir(outside, 0o755))
	must.Succeed(t, os.WriteFile(filepath.Join(outside, "program.txt"), []byte("secret"), 0o644))
	must.Succeed(t, os.Symlink(outside, filepath.Join(night, "000007x")))
	must.Succeed(t, os.Symlink(outside, filepath.Join(night, "000099")))
	must.Succeed(t, os.Symlink(filepath.Join(outside, "program.txt"), filepath.Join(night, "000001", "cause.txt")))
	must.Succeed(t, os.Symlink(night, filepath.Join(dir, "linked")))
	h, url := serving(t, dir)
	for _, path := range []string{
		"/nosuch/", "/night%201/run/000099/", "/night%201/run/000099/program.txt", "/night%201/run/..%2f000001/", "/night%201/run/000001%2f..%2f000001/",
		"/night%201/run/000001/log.bin", "/night%201/run/000001/..%2f..%2fcampaign.yaml", "/night%201/coverage/nosuch", "/night%201/coverage/fine/row?machine=x",
		"/night%201/run/campaign.yaml/", "/linked/",
	} {
		if text, _ := get(t, url+path, http.StatusNotFound); strings.Contains(text, "secret") {
			t.Errorf("%s shows what is outside: %s", path, text)
		}
	}
	if text, _ := get(t, url+"/night%201/run/000001/cause.txt", http.StatusInternalServerError); strings.Contains(text, "secret\n") {
		t.Errorf("a link is followed: %s", text)
	}
	for _, c := range []struct {
		method, host string
		status       int
	}{
		{"GET", "evil.example", 403}, {"GET", "127.0.0.1.evil.example:80", 403}, {"GET", "192.0.2.1", 403}, {"GET", "", 403},
		{"GET", "localhost:1", 200}, {"GET", "[::1]:8080", 200}, {"GET", "127.0.0.1", 200}, {"HEAD", "localhost", 200}, {"POST", "localhost", 405}, {"DELETE", "localhost", 405},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, "/", nil)
		r.Host = c.host
		if h.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%s of host %q: status %d, want %d", c.method, c.host, w.Code, c.status)
		}
	}
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:80", "127.0.0.1"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("it listens on %s", address)
		}
	}
	l, err := Listen("127.0.0.1:0")
	must.Succeed(t, err)
	must.Succeed(t, l.Close())
}

// TestLive looks at a campaign in a browser while it goes on.
func TestLive(t *testing.T) {
	path, err := exec.LookPath("chromium")
	if !*soak || err != nil {
		t.Skip("starts Chromium: -soak")
	}
	dir := filepath.Join(nights(t), "night 1")
	rest := record(t, dir, 1)
	h, _ := serving(t, dir)
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/night 1/") {
			if asked++; asked == 2 {
				add(t, dir, bytes.Join(rest, nil))
			}
		}
		h.ServeHTTP(w, r)
	}))
	defer s.Close()
	// Only one that hangs takes so long, however busy the machine is.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=7000", "--dump-dom", s.URL+"/night%201/").Output()
	must.Succeed(t, err)
	if !strings.Contains(string(out), "of 9 runs, 100.0 %") || asked < 2 {
		t.Errorf("after %d requests the page is\n%s", asked, out)
	}
}
