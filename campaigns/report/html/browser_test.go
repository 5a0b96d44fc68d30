package html

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"html"
	"io"
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
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

var soak = flag.Bool("soak", false, "look at reports in a browser, too")

// browsers are the names under which Chromium is installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"}

// browser finds Chromium. With ORDEAL_INSTALL=1 in the environment, root and
// apt-get, a missing one is installed first: Debian's.
func browser(t *testing.T) string {
	t.Helper()
	find := func() string {
		for _, name := range browsers {
			if path, err := exec.LookPath(name); err == nil {
				return path
			}
		}
		return ""
	}
	path := find()
	if path == "" && os.Getenv("ORDEAL_INSTALL") == "1" && os.Geteuid() == 0 {
		for _, args := range [][]string{{"update", "-q"}, {"install", "-q", "-y", "--no-install-recommends", "chromium"}} {
			cmd := exec.Command("apt-get", args...)
			cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("Chromium cannot be installed: apt-get %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
		path = find()
	}
	if path == "" {
		t.Skip("no Chromium on this machine: install Debian's chromium, or let this test do so (as root, ORDEAL_INSTALL=1)")
	}
	return path
}

// probe is what the probe found out.
type probe struct {
	Done   bool     `json:"done"`
	Texts  int      `json:"texts"`
	Faults []string `json:"faults"`
}

var result = regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`)

// patience ends a browser that hangs: no other takes so long, however busy the machine
// is.
const patience = 20 * time.Minute

// look has the browser look at pages in the light or the dark theme, and gives
// the faults that it found, its own complaints among them.
func look(t *testing.T, path, url, theme string) probe {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	scheme := map[string]string{"dark": "0", "light": "1"}[theme]
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
		"--user-data-dir="+t.TempDir(), "--window-size=1400,1000", "--enable-logging=stderr", "--blink-settings=preferredColorScheme="+scheme,
		"--virtual-time-budget=60000", "--dump-dom", url+"&theme="+theme)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%s: %v\n%s", path, err, &stderr)
	}
	var p probe
	found := result.FindSubmatch(stdout.Bytes())
	if found == nil {
		t.Fatalf("the page has no result of the probe:\n%.4000s\n%.4000s", &stdout, &stderr)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &p); err != nil || !p.Done {
		t.Fatalf("the probe did not end: %v, done is %t:\n%.4000s\n%.4000s", err, p.Done, &stdout, &stderr)
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			p.Faults = append(p.Faults, "on the console: "+strings.TrimSpace(line))
		}
	}
	return p
}

// TestBrowser looks at reports in a real browser: on desktops and phones, light
// and dark. Nothing is cut off, nothing is asked for, all text can be read.
func TestBrowser(t *testing.T) {
	if !*soak {
		t.Skip("starts Chromium: -soak")
	}
	path := browser(t)
	pages := map[string]string{
		"/sample":  reported(t, sample(t, "configs.*.runs=6", "configs.mi-new-version.runs=20"), Options{Kill: filepath.Join("testdata", "matrix.json")}),
		"/hostile": reported(t, hostileCampaign(t), Options{}),
		"/empty":   reported(t, fake(t, twoConfigs, journal.Header{}, func(func(*journal.Entry)) {}), Options{}),
		// A page that a probe worth its name complains about.
		"/broken": `<!DOCTYPE html><title>x</title><body style="background:#fff"><p style="color:#aaa;width:1500px">pale and wide</p><img src="/nothing.png" alt="x"><script>undefined.x</script>`,
	}
	probeText, err := os.ReadFile(filepath.Join("testdata", "probe.html"))
	must.Succeed(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if page, ok := pages[r.URL.Path]; ok {
			io.WriteString(w, page)
		} else if r.URL.Path == "/probe" {
			w.Write(probeText)
		} else {
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for _, theme := range []string{"light", "dark"} {
		p := look(t, path, server.URL+"/probe?widths=1280,390&pages=/sample,/hostile,/empty", theme)
		for _, f := range p.Faults {
			t.Error(f)
		}
		if p.Texts < 1_000 {
			t.Errorf("%s: the probe looked at %d texts", theme, p.Texts)
		}
	}
	if pages := printed(t, path, server.URL+"/sample"); pages < 2 || pages >= 10 {
		t.Errorf("printed, the report takes %d pages, want fewer than 10", pages)
	}
	all := strings.Join(look(t, path, server.URL+"/probe?widths=1280&pages=/broken", "light").Faults, "\n")
	for _, want := range []string{"scrolls sideways", "contrast", "does not load", "asks for", "sections", "has a script", "on the console"} {
		if !strings.Contains(all, want) {
			t.Errorf("of a broken page the probe does not say %q:\n%s", want, all)
		}
	}
}

// onePage is what a PDF file has for each page.
var onePage = regexp.MustCompile(`/Type\s*/Page\b`)

// printed counts the pages of a page on paper.
func printed(t *testing.T, path, url string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dir := t.TempDir()
	out := filepath.Join(dir, "page.pdf")
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--print-to-pdf="+out, url)
	cmd.WaitDelay = 5 * time.Second
	if text, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%s: %v\n%s", path, err, text)
	}
	data, err := os.ReadFile(out)
	must.Succeed(t, err)
	return len(onePage.FindAll(data, -1))
}

// hostileCampaign is a campaign with long and hostile text.
func hostileCampaign(t *testing.T) *journal.Archive {
	file := "name: bad\nsim: builtin\nconfigs:\n  - {name: a" + strings.Repeat("-very-long", 40) + ", runs: 90}\n  - {name: b, runs: 9, bug: {about: '" + strings.Repeat("w", 400) + "'}}\n"
	c, err := config.Parse("bad", []byte(file), nil)
	must.Succeed(t, err)
	return fake(t, file, journal.Header{Command: hostile, Tools: map[string]string{strings.Repeat("t", 300): strings.Repeat("v", 3000)}}, func(yield func(*journal.Entry)) {
		for n, i := range c.Schedule() {
			yield(entry(c.Configs[i].Name, n, fails(sim.Corrupt, hostile[n%len(hostile)]+strings.Repeat("Z", n))))
		}
	})
}
