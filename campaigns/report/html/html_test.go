package html

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestCampaign reports a real, small campaign with canaries and findings.
func TestCampaign(t *testing.T) {
	a := sample(t, "configs.*.runs=4")
	page := reported(t, a, Options{Kill: filepath.Join("testdata", "matrix.json")})
	all := parsePage(t, page)
	checkSafe(t, page, all)
	checkAccess(t, all)
	for _, id := range []string{"findings", "configurations", "canaries", "kill", "coverage", "environment"} {
		byID(t, all, id)
	}
	if again := reported(t, a, Options{Kill: filepath.Join("testdata", "matrix.json")}); again != page {
		t.Error("the same archive gives another page")
	}
	findings := byID(t, all, "findings")
	for _, want := range []string{"value lost after Fwd_GETX in L1Cache", "ordeal repro --campaign " + a.Dir + "/campaign.yaml --run"} {
		if !strings.Contains(findings.content(), want) {
			t.Errorf("the findings lack %q:\n%s", want, findings.content())
		}
	}
	canaries := byID(t, all, "canaries").content()
	for _, want := range []string{"canary-mi-put-refused-twice", "caught", "quiet, as it should be", "missed", "the second action only counts"} {
		if !strings.Contains(canaries, want) {
			t.Errorf("the canaries lack %q", want)
		}
	}
	coverage := byID(t, all, "coverage")
	for _, want := range []string{"moesi-amd-base", "CorePair", "PrbInvData", "never taken"} {
		if !strings.Contains(coverage.content(), want) {
			t.Errorf("the coverage lacks %q", want)
		}
	}
	if len(byID(t, all, "saturation").within("svg")) == 0 {
		t.Error("no plot of saturation")
	}
}

// forbidden is the number of a finding whose first run has a history that SC
// forbids.
func forbidden(t *testing.T, sum *summary.Summary) int {
	t.Helper()
	i := slices.IndexFunc(sum.Findings, func(f summary.Finding) bool {
		r, err := run.Dir(f.Dir).Result()
		return err == nil && r.Title == "history forbidden by sc"
	})
	if i < 0 {
		t.Fatalf("no first run of a finding is forbidden by SC: %+v", sum.Findings)
	}
	return i
}

// TestWitness shows the picture of a reduced directory where there is one,
// else that of the run's own log.
func TestWitness(t *testing.T) {
	a := sample(t, "configs.*.runs=1", "configs.mi-new-version.runs=20", "configs.mi-new-version.mix=load=60,store=40")
	sum, err := summary.Read(a)
	must.Succeed(t, err)
	i := forbidden(t, sum)
	run := filepath.Base(sum.Findings[i].Dir)
	pictures := func() []*element {
		return byID(t, parsePage(t, reported(t, a, Options{})), fmt.Sprintf("finding-%d", i+1)).within("img")
	}
	drawn := pictures()
	if len(drawn) != 1 || !strings.HasPrefix(drawn[0].attrs["alt"], "Witness of "+sum.Findings[i].Title) {
		t.Fatalf("want one picture, drawn from the log; have %d", len(drawn))
	}
	reduced := run + "/reduced/"
	put(t, a, reduced+"program.txt", "ordeal-program 1\n")
	put(t, a, reduced+"run.json", "{}")
	put(t, a, reduced+"witness.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
	put(t, a, reduced+"messages.svg", "<svg xmlns='http://www.w3.org/2000/svg'><!-- messages --></svg>")
	files := pictures()
	if len(files) != 2 || files[0].attrs["src"] == drawn[0].attrs["src"] {
		t.Errorf("want the two pictures of the reduced directory, have %d", len(files))
	}
	page := reported(t, a, Options{})
	if want := "ordeal repro " + a.Dir + "/" + strings.TrimSuffix(reduced, "/"); !strings.Contains(page, want) {
		t.Errorf("no command %q", want)
	}
}

// TestReduced shows the result of a reduction by the campaign, and takes from
// the run itself what the reduced directory lacks.
func TestReduced(t *testing.T) {
	a := sample(t, "configs.*.runs=1", "configs.mi-new-version.runs=20", "configs.mi-new-version.mix=load=60,store=40")
	sum, err := summary.Read(a)
	must.Succeed(t, err)
	i := forbidden(t, sum)
	run := filepath.Base(sum.Findings[i].Dir)
	show := func() string {
		all := parsePage(t, reported(t, a, Options{}))
		return byID(t, all, fmt.Sprintf("finding-%d", i+1)).content()
	}
	put(t, a, run+"/witness-sc.txt", "the run's own words")
	put(t, a, run+"/reduction.json", `{"dir":"reduced","before":960,"after":3,"threads":2,"rounds":1,"hits":9,"tries":10,"minimal":true}`)
	put(t, a, run+"/reduced/program.txt", "ordeal-program 1\nthread 0\n")
	put(t, a, run+"/reduced/run.json", `{"config":{"expect":"sc"}}`)
	text := show()
	for _, want := range []string{run + "/reduced", "reduced from 960 operations to 3 in 2 threads and 1 round, fails in 9 of 10 runs", "ordeal-program 1\nthread 0", "Cycle:", "Witness"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "own words") {
		t.Errorf("the text is not that of the refutation that is drawn:\n%s", text)
	}
	put(t, a, run+"/reduced/witness-sc.txt", "fewer words")
	if text := show(); !strings.Contains(text, "fewer words") || strings.Contains(text, "own words") {
		t.Errorf("the reduced explanation is not preferred:\n%s", text)
	} else if strings.Contains(text, "Witness") || !strings.Contains(text, "There is no picture") {
		t.Errorf("the picture of another run stands beside the reduced explanation:\n%s", text)
	}
	put(t, a, run+"/reduction.json", `{"error":"it fails no more"}`)
	must.Succeed(t, os.RemoveAll(filepath.Join(a.Dir, run, "reduced")))
	if text := show(); !strings.Contains(text, "not reduced: it fails no more") || !strings.Contains(text, "ordeal reduce ") {
		t.Errorf("why it was not reduced is not said:\n%s", text)
	}
}

const twoConfigs = "name: small\nseed: 3\nsim: builtin\nconfigs:\n  - {name: a, runs: 100}\n  - {name: b, runs: 100}\n"

// turns gives the configuration of each run of twoConfigs.
func turns(number int) string { return [...]string{"a", "b"}[number%2] }

// TestCounts compares what a page says of findings and canaries with what the
// journal has.
func TestCounts(t *testing.T) {
	a := fake(t, twoConfigs, journal.Header{Started: time.Unix(0, 0)}, func(yield func(*journal.Entry)) {
		yield(entry(turns(0), 0, nil))
		yield(entry(turns(3), 3, fails(sim.Crash, "late")))
		yield(entry(turns(2), 2, fails(sim.Crash, "late")))
		yield(entry(turns(5), 5, fails(sim.Crash, "late")))
		yield(entry(turns(4), 4, fails(sim.Timeout, "slow")))
	})
	all := parsePage(t, reported(t, a, Options{}))
	text := byID(t, all, "finding-1").content()
	for _, want := range []string{"late", "3 runs", "after 3.0 s, run 2", "after 6.0 s, run 5", "repro --campaign '" + a.Dir + "/campaign.yaml' --run 2", "a 1", "b 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("the first finding lacks %q:\n%s", want, text)
		}
	}
	if h := named(all, "h1")[0].content(); h != "2 findings." {
		t.Errorf("the verdict is %q", h)
	}
}

// TestCanaries checks the table of canaries: statuses, and the operations of the
// configuration until the bug showed.
func TestCanaries(t *testing.T) {
	const file = `{name: birds, sim: builtin, configs: [
 {name: caught, runs: 3, threads: 2, ops: 10, rounds: 3, bug: {about: one thing, by: [crash]}},
 {name: missed, runs: 3, bug: {about: another}},
 {name: quiet, runs: 3, bug: {about: nothing, equivalent: it only counts}},
 {name: loud, runs: 3, threads: 2, ops: 10, rounds: 5, bug: {about: nothing, equivalent: so we thought}}]}`
	a := fake(t, file, journal.Header{End: journal.EndComplete, Spent: 12 * time.Second}, func(yield func(*journal.Entry)) {
		c, err := config.Parse("birds", []byte(file), nil)
		must.Succeed(t, err)
		made := map[string]int{}
		for n, i := range c.Schedule() {
			name := c.Configs[i].Name
			made[name]++
			edit := map[string]func(*journal.Entry){"caught 1": fails(sim.Timeout, "slow"), "caught 2": fails(sim.Crash, "boom"), "loud 3": fails(sim.Crash, "bang")}
			yield(entry(name, n, edit[fmt.Sprint(name, " ", made[name])]))
		}
	})
	page := reported(t, a, Options{})
	all := parsePage(t, page)
	checkAccess(t, all)
	if h := named(all, "h1")[0].content(); h != "1 finding and 1 canary missed." {
		t.Errorf("the verdict is %q", h)
	}
	got := map[string][]string{}
	for _, row := range byID(t, all, "canaries").within("tr") {
		name, _, _ := strings.Cut(row.children[0].content(), " ") // the machine follows
		for _, cell := range row.children[1:] {
			got[name] = append(got[name], strings.TrimSpace(cell.content()))
		}
	}
	for name, want := range map[string][]string{
		"caught": {"caught", "1 of 3", "1", "120"}, "missed": {"missed", "0 of 3", "0", "–"},
		"quiet": {"quiet, as it should be", "0 of 3", "0", "–"}, "loud": {"failed, though it cannot", "1 of 3", "0", "300"},
	} {
		if !slices.Equal(got[name][:4], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	for _, want := range []string{"1, a finding", "all runs done", "it only counts", "12.0 s"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// hostile are texts that look for a way out of where they are put.
var hostile = []string{
	"<script>alert(1)</script>", `"onmouseover="alert(1)`, "'onfocus='alert(1)", "</style><script>alert(1)</script>", "</title><img src=x onerror=alert(1)>",
	"{{.}}", "--><b>", "]]>", "javascript:alert(1)", "\x00\x07\x1b[31m", "\u202egnp.exe\u202c", "\u2066x\u2069\u200b\ufeff", "\xff\xfe", "a&b&amp;&lt;", strings.Repeat("long ", 60_000), "\r\n\u2028",
}

// TestHostile puts them everywhere that a campaign has text.
func TestHostile(t *testing.T) {
	for i, bad := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			quoted := strings.ReplaceAll(strings.ToValidUTF8(strings.Map(func(r rune) rune {
				if r < ' ' || r == 0x7f {
					return '?'
				}
				return r
			}, bad), "?"), "'", "''")
			file := fmt.Sprintf("name: bad\nsim: builtin\nconfigs:\n  - {name: a, runs: 9, protocol: mi}\n  - {name: b, runs: 9, bug: {about: '%s', known: '%s', equivalent: '%s'}}\n  - {name: c, runs: 9, bug: {about: '%s'}}\n",
				quoted, quoted, quoted, quoted)
			head := journal.Header{Command: []string{bad, "ordeal"}, Tools: map[string]string{bad: bad}}
			configs := [...]string{"a", "b", "c"}
			coverage := sim.Coverage{{Row: sim.Row{Machine: bad, State: bad, Event: bad}}, {Row: sim.Row{Machine: bad, State: "S", Event: bad}}, {Row: sim.Row{Machine: bad, State: bad, Event: "E"}}}
			a := fake(t, file, head, func(yield func(*journal.Entry)) {
				for n := range 9 {
					yield(entry(configs[n%3], n, func(e *journal.Entry) {
						fails(sim.Violation, bad)(e)
						e.Detail, e.Kept = bad, true
						if n < 3 {
							e.New = coverage
						}
						e.Counts = []uint64{5, 1}
						e.Covered = &run.Covered{}
						e.Answers = append(e.Answers, run.Answer{Model: bad, Answer: bad})
					}))
				}
			})
			put(t, a, "000000/run.json", `{"version":1,"config":{"expect":"tso"}}`)
			put(t, a, "000000/program.txt", bad)
			put(t, a, "000000/witness-tso.txt", bad)
			put(t, a, "000000/log.bin", bad)
			put(t, a, "000000/witness.svg", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script>"+bad+"</svg>")
			put(t, a, "000000/messages.svg", bad)
			page := reported(t, a, Options{})
			all := parsePage(t, page)
			checkSafe(t, page, all)
			checkAccess(t, all)
			if len(page) > 600_000 {
				t.Errorf("the page has %d bytes", len(page))
			}
			if i == 0 && !strings.Contains(byID(t, all, "finding-1").content(), bad) {
				t.Error("the title is not shown")
			}
		})
	}
}

// TestVisible shows characters that are hidden otherwise, and leaves others.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext – ✓ é": "plain\n\ttext – ✓ é", "a\u202eb": `a\u202eb`, "\x1b[1m": `\u001b[1m`, "\x00": `\u0000`, "\u200d\u2066": `\u200d\u2066`, "\xff": "\ufffd", "\u2028": `\u2028`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestEscape refuses files that a link leads to outside of the campaign, and
// does not wait for a pipe.
func TestEscape(t *testing.T) {
	a := fake(t, twoConfigs, journal.Header{}, func(yield func(*journal.Entry)) {
		yield(entry("a", 0, func(e *journal.Entry) { fails(sim.Crash, "crash")(e); e.Kept = true }))
		yield(entry("b", 1, func(e *journal.Entry) { fails(sim.Crash, "other")(e); e.Kept = true }))
	})
	secret := filepath.Join(t.TempDir(), "secret")
	must.Succeed(t, os.WriteFile(secret, []byte("the secret"), 0o644))
	put(t, a, "000000/run.json", "{}")
	must.Succeed(t, os.Symlink(secret, filepath.Join(a.Dir, "000000", "program.txt")))
	must.Succeed(t, os.Symlink(filepath.Dir(secret), filepath.Join(a.Dir, "000001")))
	must.Succeed(t, syscall.Mkfifo(filepath.Join(a.Dir, "000000", "result.json"), 0o644))
	must.Succeed(t, syscall.Mkfifo(filepath.Join(a.Dir, "000000", "witness.svg"), 0o644))
	if strings.Contains(reported(t, a, Options{}), "the secret") {
		t.Error("the page has a file from outside of the campaign")
	}
}

// TestBounds reports more than a page has room for.
func TestBounds(t *testing.T) {
	const runs, titles, kept = 2_000, 1_500, 220
	file := fmt.Sprintf("name: many\nsim: builtin\nconfigs:\n  - {name: a, runs: %d}\n", runs)
	a := fake(t, file, journal.Header{}, func(yield func(*journal.Entry)) {
		for n := range runs {
			yield(entry("a", n, func(e *journal.Entry) {
				fails(sim.Crash, fmt.Sprintf("title %d %s", n%titles, strings.Repeat("x", 500)))(e)
				e.Kept = n < kept
			}))
		}
	})
	picture := "<svg xmlns='http://www.w3.org/2000/svg'>" + strings.Repeat(" ", 40_000) + "</svg>"
	for n := range kept {
		dir := fmt.Sprintf("%06d/", n)
		put(t, a, dir+"run.json", "{}")
		dir += "reduced/"
		put(t, a, dir+"program.txt", strings.Repeat("store x 1\n", 40))
		put(t, a, dir+"witness.svg", picture)
		put(t, a, dir+"result.json", fmt.Sprintf(`{"detail":%q}`, strings.Repeat("a line\n", 10_000)))
	}
	page := reported(t, a, Options{})
	t.Logf("%d bytes", len(page))
	if len(page) > 5_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	all := parsePage(t, page)
	text := byID(t, all, "findings").content()
	for _, want := range []string{"500 further findings are in summary.json", "pictures left out", "Further findings"} {
		if !strings.Contains(text, want) {
			t.Errorf("the findings do not say %q", want)
		}
	}
	if n := len(byID(t, all, "findings").within("details")); n < findingsShown {
		t.Errorf("%d findings in full", n)
	}
}

// TestUnfinished reports a campaign that has only begun.
func TestUnfinished(t *testing.T) {
	a := fake(t, twoConfigs, journal.Header{}, func(func(*journal.Entry)) {})
	page := reported(t, a, Options{})
	all := parsePage(t, page)
	checkSafe(t, page, all)
	checkAccess(t, all)
	if h := named(all, "h1")[0].content(); h != "No run has ended." {
		t.Errorf("the verdict is %q", h)
	}
	must.Succeed(t, os.Remove(filepath.Join(a.Dir, "runs.jsonl")))
	reported(t, a, Options{})
	put(t, a, "runs.jsonl", "{}\n")
	if err := Write(context.Background(), new(bytes.Buffer), a, Options{}); err == nil || !strings.Contains(err.Error(), "runs.jsonl:1") {
		t.Errorf("a broken journal gives the error %v", err)
	}
}
