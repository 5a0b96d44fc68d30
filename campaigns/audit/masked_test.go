package audit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/gen"
)

// TestMasked requires the share of runs that end with what is known to be that of the runs
// with what it needs, and nothing to be left out for a finding that every run can show.
func TestMasked(t *testing.T) {
	var k masked
	devices := &Finding{Needs: []string{"devices"}}
	always := &Finding{}
	for i := range 10 {
		ended := devices
		if i%2 == 1 {
			ended = always
		}
		k.learn([]string{"locked pairs", "devices"}, ended) // 5 of 10 end with it
		k.learn([]string{"locked pairs"}, always)
	}
	rare := &Finding{Needs: []string{"flushes"}}
	k.learn([]string{"flushes"}, rare) // 1 of 1: too few for an estimate
	for _, c := range []struct {
		features []string
		want     float64
	}{
		{[]string{"devices"}, 0.5}, {[]string{"prefetches", "devices"}, 0.5}, {[]string{"locked pairs"}, 0}, {nil, 0}, {[]string{"flushes"}, 0},
	} {
		if got := k.share(c.features); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("share(%q) = %v, want %v", c.features, got, c.want)
		}
	}
	held := &Finding{Needs: []string{"locked pairs"}}
	for i := range 40 { // 10 more of 50 runs with them; the 10 runs with devices count, too
		ended := held
		if i%4 > 0 {
			ended = nil
		}
		k.learn([]string{"locked pairs"}, ended)
	}
	if got, want := k.share([]string{"locked pairs", "devices"}), 0.5+10./40; math.Abs(got-want) > 1e-9 {
		t.Errorf("share with two findings: %v, want %v", got, want)
	}
	for range 100 {
		k.learn([]string{"devices"}, devices) // 105 of 110
	}
	if got := k.share([]string{"devices"}); got != mostMasked {
		t.Errorf("share of a feature that nearly always ends runs: %v, want %v", got, mostMasked)
	}
}

// TestAvoids requires an audit to draw fewer machines with what a known finding needs.
func TestAvoids(t *testing.T) {
	s := &session{o: Options{Machine: config.Machine{Protocol: "mi"}, Seed: 1}, report: &Report{}}
	if err := s.load(); err != nil {
		t.Fatal(err)
	}
	count := func(x *simulation) (n int) {
		for range 100 {
			c, m, _, err := x.next()
			if err != nil {
				t.Fatal(err)
			}
			if subset([]string{needDevices}, x.features(c, &m)) {
				n++
			}
		}
		return n
	}
	before := count(newSimulation(s, Sample))
	for range 100 {
		s.masked.learn([]string{needDevices}, &Finding{Needs: []string{needDevices}})
	}
	after, guided := count(newSimulation(s, Sample)), count(newSimulation(s, Guided))
	// Half of all have devices; of these a tenth stays, and makes 1 of 11 of all.
	if before < 35 || after > 20 || guided < 35 {
		t.Errorf("%d of 100 with devices, %d when they end all runs, %d guided", before, after, guided)
	}
}

// TestWithoutAtomics requires a subject to go without exchanges and additions, and the values of
// the exchanges to be stored.
func TestWithoutAtomics(t *testing.T) {
	text := "ordeal-program 1\nlayout spread\nlocations a b\nthread 0\nexchange a 1\nload b\nthread 1\nadd a 3\nstore b 2\n"
	p, err := gen.Parse("p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := subject{program: p}
	if got := names(s.features()); !slices.Contains(got, needAtomics) {
		t.Errorf("features of a program with atomic operations: %q", got)
	}
	rest := s.only(nil)
	want := strings.NewReplacer("exchange a 1", "store a 1", "add a 3", "load a").Replace(text)
	if got := string(rest.program.Text()); got != want || string(p.Text()) != text {
		t.Errorf("without atomic operations:\n%s\nwant\n%s\nof\n%s", got, want, p.Text())
	}
	if got := names(rest.features()); slices.Contains(got, needAtomics) {
		t.Errorf("features of a program without atomic operations: %q", got)
	}
}
