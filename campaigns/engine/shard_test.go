package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
)

func TestParseShard(t *testing.T) {
	for _, text := range []string{"1/1", "2/4", "1000/1000"} {
		if s, err := config.ParseShard(text); err != nil || s.String() != text {
			t.Errorf("%s is read as %v: %v", text, s, err)
		}
	}
	for _, text := range []string{"", "0/4", "5/4", "4", "a/b", "1/", "/1", "1/2/3", "-1/2", "1/-2", "1/0", "+1/2", " 1/2", "1/99999999999"} {
		if s, err := config.ParseShard(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	var h journal.Header
	if err := json.Unmarshal([]byte(`{"shard":"7/3"}`), &h); err == nil {
		t.Error("campaign.json with shard 7/3 is read")
	}
	if text, err := json.Marshal(&journal.Header{}); err != nil || strings.Contains(string(text), "shard") {
		t.Errorf("%s: %v: the whole is no shard", text, err)
	}
}

// TestShardHas cuts random campaigns and wants every run in one shard, batches
// whole, and no shard with more than one launch more than another, of a
// configuration and in all.
func TestShardHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := &config.Campaign{}
		for i := range 1 + rng.IntN(5) {
			cfg := config.Config{Name: fmt.Sprint(i), Runs: 1 + rng.IntN(40)}
			cfg.Batch = rng.IntN(6)
			c.Configs = append(c.Configs, cfg)
		}
		n := 1 + rng.IntN(9)
		owner := make([]int, c.Runs())
		for i := 1; i <= n; i++ {
			for number, has := range (config.Shard{Index: i, Of: n}).Has(c) {
				if has && owner[number] != 0 {
					t.Fatalf("%v: run %d is in shards %d and %d of %d", c.Configs, number, owner[number], i, n)
				} else if has {
					owner[number] = i
				}
			}
		}
		// Launches by shard, in all and by configuration, found by walking over
		// the runs of each configuration.
		all := make([]int, n)
		for i := range c.Configs {
			var numbers []int
			for number, config := range c.Schedule() {
				if config == i {
					numbers = append(numbers, number)
				}
			}
			own := make([]int, n)
			for launch := range slices.Chunk(numbers, max(1, c.Configs[i].Batch)) {
				for _, number := range launch {
					if owner[number] == 0 || owner[number] != owner[launch[0]] {
						t.Fatalf("%v: launch %v is in shards %d and %d", c.Configs, launch, owner[launch[0]], owner[number])
					}
				}
				own[owner[launch[0]]-1]++
				all[owner[launch[0]]-1]++
			}
			if slices.Max(own)-slices.Min(own) > 1 {
				t.Errorf("%v: configuration %d: %v launches in the shards", c.Configs, i, own)
			}
		}
		if slices.Max(all)-slices.Min(all) > 1 {
			t.Errorf("%v: %v launches in the shards", c.Configs, all)
		}
		sum := 0
		for _, n := range all {
			sum += n
		}
		if sum != c.Launches() {
			t.Errorf("%v: %d launches, Launches says %d", c.Configs, sum, c.Launches())
		}
	}
	if has := (config.Shard{}).Has(&config.Campaign{Configs: []config.Config{{Runs: 3}}}); !slices.Equal(has, []bool{true, true, true}) {
		t.Errorf("the whole campaign has %v", has)
	}
}

// TestShardRun makes the runs of a shard, in two parts, and wants those runs,
// and the shard to be known wherever the directory is read.
func TestShardRun(t *testing.T) {
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), []string{"workers=1"})
	if err != nil {
		t.Fatal(err)
	}
	shard := config.Shard{Index: 2, Of: 3}
	var want []int
	for number, has := range shard.Has(c) {
		if has {
			want = append(want, number)
		}
	}
	dir := filepath.Join(t.TempDir(), "shard")
	l, ctx := stopAfter(t, dir, 3)
	l.Shard = shard
	if sum, err := l.Run(ctx, c); err != nil || !sum.Interrupted || sum.Planned != 8 {
		t.Fatalf("%v: interrupted %v, %d runs planned", err, sum.Interrupted, sum.Planned)
	}
	last := Engine{Dir: dir}
	sum, err := last.Resume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := summary.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*summary.Summary{sum, read} {
		if s.Shard != shard || s.Planned != 8 || s.Total().Runs != 8 || !strings.HasPrefix(s.Text(), "campaign parts, shard 2/3, seed 5\n") {
			t.Errorf("shard %v, %d of %d runs\n%s", s.Shard, s.Total().Runs, s.Planned, s.Text())
		}
	}
	var got []int
	for _, l := range readEntries(t, dir) {
		got = append(got, l.Number)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("runs %v are made, want %v", got, want)
	}
}
