package search_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"ordeal/sim/explore"
	"ordeal/sim/explore/search"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// BenchmarkSearch visits all states of MESI_Two_Level with two cores and two lines, and of
// the two protocols that have Murphi models, with one worker and with one for each
// processor.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		slicc              string
		cores, lines, ages int
	}{{"MESI_Two_Level.slicc", 2, 2, 2}, {"MI_example.slicc", 3, 2, 1}, {"msi.slicc", 5, 1, 1}} {
		for name, workers := range map[string]int{"1 worker": 1, "all": runtime.GOMAXPROCS(0)} {
			b.Run(strings.TrimSuffix(c.slicc, ".slicc")+"/"+name, func(b *testing.B) {
				one := cache.Geometry{Sets: 1, Ways: 1}
				p := compile(b, c.slicc)
				var orbits, steps uint64
				began := cpuTime(b)
				for b.Loop() {
					m, err := explore.New(explore.Config{
						Protocol: p, System: ruby.Options{Cores: c.cores, Hardware: ruby.Hardware{Private: one, Shared: one}}, Lines: c.lines, Values: c.ages, Symmetry: true,
					})
					if err != nil {
						b.Fatal(err)
					}
					s, err := search.New(m, search.Options{Workers: workers})
					if err != nil {
						b.Fatal(err)
					}
					r, err := s.Run(context.Background())
					if err != nil || r.Limit != search.NoLimit {
						b.Fatal(err, r.Limit)
					}
					orbits, steps = orbits+r.Orbits, steps+r.Steps
					b.ReportMetric(r.BytesPerState(), "B/orbit")
				}
				spent := cpuTime(b) - began
				b.ReportMetric(float64(orbits)/spent, "orbits/cpu-s")
				b.ReportMetric(float64(steps)/spent, "steps/cpu-s")
			})
		}
	}
}

// cpuTime is the time of processors that the process has had, in seconds.
func cpuTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// BenchmarkMurphi has other model checkers visit the models of the protocols that
// BenchmarkSearch visits: Rumur, if it is installed, and the CMurphi whose folder
// ORDEAL_CMURPHI names, built there.
func BenchmarkMurphi(b *testing.B) {
	const rumur = "rumur model.m -o model.c --deadlock-detection off --threads 1 --symmetry-reduction SYMMETRY && cc -O2 -w -mcx16 model.c -o model -lpthread"
	const cmurphi = `"$ORDEAL_CMURPHI/src/mu" -b -c model.m && c++ -O2 -w -fpermissive -fno-strict-aliasing -I "$ORDEAL_CMURPHI/include" model.cpp -o model`
	for _, m := range []struct {
		model         string
		caches, lines int
	}{{"mi.m", 3, 2}, {"msi.m", 5, 1}} {
		for _, checker := range []struct {
			name, build string
			run         []string
		}{
			{"rumur exhaustive", strings.Replace(rumur, "SYMMETRY", "exhaustive", 1), nil},
			{"rumur heuristic", strings.Replace(rumur, "SYMMETRY", "heuristic", 1), nil},
			{"cmurphi", cmurphi, []string{"-ndl", "-m", "150"}},
		} {
			b.Run(m.model+"/"+checker.name, func(b *testing.B) {
				if _, err := exec.LookPath("rumur"); checker.run == nil && err != nil || checker.run != nil && os.Getenv("ORDEAL_CMURPHI") == "" {
					b.Skip("not installed")
				}
				dir := b.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "model.m"), []byte(model(b, m.model, m.caches, m.lines)), 0o666); err != nil {
					b.Fatal(err)
				}
				build := exec.Command("sh", "-c", checker.build)
				build.Dir = dir
				if out, err := build.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				cpu := 0.0
				for b.Loop() {
					run := exec.Command("./model", checker.run...)
					run.Dir = dir
					if out, err := run.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					cpu += (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds()
				}
				b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
			})
		}
	}
}
