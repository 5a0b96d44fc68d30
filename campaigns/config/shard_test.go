package config

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShardText(t *testing.T) {
	var s Shard
	for _, text := range []string{"1/1", "2/4", "1000/1000"} {
		if err := s.UnmarshalText([]byte(text)); err != nil || s.String() != text {
			t.Errorf("%s is read as %v: %v", text, s, err)
		}
	}
	for _, text := range []string{"0/4", "5/4", "4", "a/b", "1/", "/1", "1/2/3", "-1/2", "1/-2", "1/0", "+1/2", " 1/2", "1/99999999999"} {
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	var header struct {
		Shard Shard `json:"shard,omitzero"`
	}
	if text, err := json.Marshal(&header); err != nil || string(text) != "{}" {
		t.Errorf("%s: %v: the whole campaign is no shard", text, err)
	}
	if err := json.Unmarshal([]byte(`{"shard":"7/3"}`), &header); err == nil {
		t.Error("shard 7/3 is read")
	}
}

// TestShardHas divides random campaigns and requires that every run is in one
// shard, that batches are whole, and that two shards differ by at most one
// launch, of each configuration and in all.
func TestShardHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := &Campaign{}
		for i := range 1 + rng.IntN(5) {
			cfg := Config{Name: fmt.Sprint(i), Runs: 1 + rng.IntN(40)}
			cfg.Batch = rng.IntN(6)
			c.Configs = append(c.Configs, cfg)
		}
		n := 1 + rng.IntN(9)
		owner := make([]int, c.Runs())
		for i := 1; i <= n; i++ {
			for number, has := range (Shard{Index: i, Of: n}).Has(c) {
				if has && owner[number] != 0 {
					t.Fatalf("%v: run %d is in shards %d and %d of %d", c.Configs, number, owner[number], i, n)
				} else if has {
					owner[number] = i
				}
			}
		}
		// Launches by shard, in all and by configuration.
		all := make([]int, n)
		for i := range c.Configs {
			var numbers []int
			for number, k := range c.Schedule() {
				if k == i {
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
			t.Errorf("%v: %d launches, Launches returns %d", c.Configs, sum, c.Launches())
		}
	}
	if has := (Shard{}).Has(&Campaign{Configs: []Config{{Runs: 3}}}); !slices.Equal(has, []bool{true, true, true}) {
		t.Errorf("the whole campaign has %v", has)
	}
}
