package gem5

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/gem5/agent"
	"ordeal/sim/trace"
)

// onAgents has jobs run on the tester, with a device and a fetch in each.
func onAgents(t *testing.T, settings string, n int) (*Runner, []sim.Job) {
	t.Helper()
	r := newRunner(t, settings, func(o *Options) { o.Agent = agent.Options{Model: "ooo"} })
	jobs := newJobs(t, n, 2)
	for i := range jobs {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations, o.DMA, o.Fetch = 2, 30, 4, 1, 1
		var err error
		if jobs[i].Program, err = gen.Random(rand.New(rand.NewPCG(1, uint64(i))), o); err != nil {
			t.Fatal(err)
		}
	}
	return r, jobs
}

// frames counts the values of the threads of a log, and reports whether there are final values.
func frames(t *testing.T, log sim.Log) (values int, final bool) {
	t.Helper()
	for len(log) > 0 {
		f, err := wire.Next(log)
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind == wire.Final {
			final = true
		} else {
			values += f.Payload.Len()
		}
		log = log[f.Size():]
	}
	return values, final
}

// TestAgents runs a batch with agents other than cores on the tester.
func TestAgents(t *testing.T) {
	r, jobs := onAgents(t, "agent=on,isa=null", 3)
	results, err := r.RunBatch(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		want := 0
		for thread := range jobs[i].Program.Threads {
			want += jobs[i].Rounds * jobs[i].Program.Reads(gen.ThreadID(thread))
		}
		if values, final := frames(t, result.Log); result.Outcome != sim.Passed || values != want || !final {
			t.Errorf("job %d: %v, %s, %d values of %d, final %v", i, result.Outcome, result.Detail, values, want, final)
		}
		if _, err := os.Stat(filepath.Join(jobs[i].Dir, AgentFile)); !os.IsNotExist(err) {
			t.Errorf("job %d: the file of the tester stays: %v", i, err)
		}
	}
	if version := r.Version(t.Context()); !strings.Contains(version, "with the tester, ooo cores of the tester") {
		t.Errorf("version %q", version)
	}
}

// TestAgentCrash has what was read before a crash, of the program that crashed, and runs those
// after it in another launch.
func TestAgentCrash(t *testing.T) {
	r, jobs := onAgents(t, "agent=on,fault=transition,at=1,times=1,state="+filepath.Join(t.TempDir(), "state"), 3)
	results, err := r.RunBatch(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []sim.Outcome{sim.Passed, sim.Crash, sim.Passed} {
		values, final := frames(t, results[i].Log)
		if results[i].Outcome != want || values == 0 || final != (i != 1) {
			t.Errorf("job %d: %v %q, %d values, final %v", i, results[i].Outcome, results[i].Title, values, final)
		}
	}
	if want := "invalid transition (IS_I, Inv) of L1Cache"; results[1].Title != want {
		t.Errorf("title %q, want %q", results[1].Title, want)
	}
}

// TestAgentFunctional has the end that the tester itself gives a run.
func TestAgentFunctional(t *testing.T) {
	r, jobs := onAgents(t, "agent=on,fault=old value", 1)
	result, err := r.Run(t.Context(), jobs[0])
	if err != nil || result.Outcome != sim.Crash || result.Title != sim.KindOldData || !strings.Contains(result.Detail, "location 0") {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestAgentUnfit names what keeps a binary or a program from the tester.
func TestAgentUnfit(t *testing.T) {
	for _, test := range []struct {
		settings string
		change   func(o *Options)
		want     string
	}{
		{"", nil, "gem5 does not fit: the binary has no tester: ordeal gem5 agent DIR"},
		{"agent=on,protocol=CHI", func(o *Options) { o.Agent.RMW = "locked" }, "gem5 does not fit: protocol CHI blocks no lines"},
		{"agent=on,protocol=CHI+MI_example", nil, "gem5 does not fit: the binary has several protocols"},
		{"agent=on", func(o *Options) { o.Protocol = "MI_example" }, "gem5 does not fit: the binary has protocol MESI_Two_Level: want MI_example"},
	} {
		r, jobs := onAgents(t, test.settings, 1)
		if test.change != nil {
			test.change(&r.options)
		}
		result, err := r.Run(t.Context(), jobs[0])
		if err != nil || result.Outcome != sim.Infra || !strings.HasPrefix(result.Title, test.want) {
			t.Errorf("%s: %v %q, %v; want %q", test.settings, result.Outcome, result.Title, err, test.want)
		}
	}
	r, jobs := onAgents(t, "", 1)
	r.options.Agent = agent.Options{}
	if _, err := r.Run(t.Context(), jobs[0]); err == nil || !strings.Contains(err.Error(), "gem5 with the tester (--agent)") {
		t.Errorf("a device on CPUs: %v", err)
	}
	r, jobs = onAgents(t, "agent=on", 1)
	jobs[0].Program = &gen.Program{ISA: gen.AArch64, Layout: gen.Spread, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Load}}}}
	if _, err := r.Run(t.Context(), jobs[0]); err == nil || !strings.Contains(err.Error(), "aarch64") {
		t.Errorf("a program of Arm: %v", err)
	}
}

// TestAgentOptions refuses options of CPUs.
func TestAgentOptions(t *testing.T) {
	o := Options{Binary: "b", Tree: "t", Agent: agent.Options{Model: "rmo", RMW: "no", Window: 300, Buffer: -1}, StoreOrder: true, Lfence: 3, Log: LogPseudo}
	o.Background.Length = 3
	err := o.Validate()
	for _, want := range []string{"--agent: unknown kind of core", "--rmw: unknown value", "--window 300", "--store-buffer -1", "--store-order with agent", "--lfence with agent", "--background with agent", "--log with agent"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

// TestAgentTrace has the events of a line without pages: the tester has physical addresses.
func TestAgentTrace(t *testing.T) {
	_, jobs := onAgents(t, "", 1)
	var got []trace.Event
	p := newProtocolTrace(jobs[0].Program, nil, agent.Base, []gen.LocID{0}, func(e trace.Event) { got = append(got, e) })
	for _, line := range []string{
		"          70600   1    L1Cache                Load     NP>IS     [0x100000, line 0x100000] ",
		"          70700   1    L1Cache                Load     NP>IS     [0x900000, line 0x900000] ",
		"          80000   1        Seq                Done       >       [0x100000, line 0x100000] 120 cycles",
		"  80000: system.ruby.l1_cntrl1.sequencer: read data " + blockText(7),
		"  80100: system.cpu1: 0x400100 no line of a CPU",
	} {
		if err := p.line([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.finish(); err != nil || len(got) != 2 || got[0].Line != agent.Base || got[0].Name != "Load" || got[1].Kind != trace.Access || got[1].Read != 7 || got[1].Thread != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAgentDiagnosis says what the requests of agents wait for, without flags of CPUs.
func TestAgentDiagnosis(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	text := "          80300   0        Seq               Begin       >       [0x100008, line 0x100000] LD\n" +
		"          80310   0    L1Cache                Load      I>IS     [0x100008, line 0x100000] \n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r, jobs := onAgents(t, "agent=on,tracing=on,fault=deadlock,trace="+file, 1)
	result, err := r.Run(t.Context(), jobs[0])
	want := "core 0: runs a thread of the tester, commits instructions\n        waits since tick 80300 for line 0x100000, L1Cache 0 in IS\n"
	if err != nil || result.Outcome != sim.Deadlock || !strings.Contains(result.Detail, want) {
		t.Errorf("no %q in %+v, %v", want, result, err)
	}
	if flags := r.flags(recordFlags); slices.Contains(flags, execFlags[0]) {
		t.Errorf("flags %q", flags)
	}
}
