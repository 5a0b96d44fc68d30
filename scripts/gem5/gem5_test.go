package gem5_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	script "ordeal/scripts/gem5"
)

// run runs se.py on the stand-in for gem5's Python and returns what it prints.
func run(t *testing.T, fake string, args ...string) string {
	t.Helper()
	python, err := exec.LookPath("/usr/bin/python3") // others may be slow wrappers
	if err != nil {
		python, err = exec.LookPath("python3")
	}
	if err != nil {
		t.Skip("python3 is not installed: gem5 brings its own, without it nothing can run se.py")
	}
	library, err := filepath.Abs("testdata/m5")
	if err != nil {
		t.Fatal(err)
	}
	se := filepath.Join(t.TempDir(), "se.py")
	if err := os.WriteFile(se, script.Script, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, append([]string{"-B", se}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+library, "FAKE="+fake)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !strings.Contains(string(out), "ORDEAL") {
		t.Fatalf("%v %v: %s", exit, err, out)
	}
	return string(out)
}

func TestInfo(t *testing.T) {
	for fake, want := range map[string]string{
		"":                            `{"version":"24.0.0.1","protocols":["MESI_Two_Level"],"isas":["x86"],"agent":false}`,
		"agent":                       `{"version":"24.0.0.1","protocols":["MESI_Two_Level"],"isas":["x86"],"agent":true}`,
		"v22,protocols=MI_example":    `{"version":"24.0.0.1","protocols":["MI_example"],"isas":["x86"],"agent":false}`,
		"protocols=MI_example+CHI+XX": `{"version":"24.0.0.1","protocols":["CHI","MI_example","XX"],"isas":["x86"],"agent":false}`,
	} {
		var got struct {
			Version   string   `json:"version"`
			Protocols []string `json:"protocols"`
			ISAs      []string `json:"isas"`
			Agent     bool     `json:"agent"`
		}
		text, ok := strings.CutPrefix(run(t, fake, "--info"), "ORDEAL info ")
		if err := json.Unmarshal([]byte(text), &got); !ok || err != nil {
			t.Fatalf("%s: %s (%v)", fake, text, err)
		}
		if data, _ := json.Marshal(got); string(data) != want {
			t.Errorf("%s: %s, want %s", fake, data, want)
		}
	}
}

// TestSE builds machines of several versions and runs them to the end.
func TestSE(t *testing.T) {
	const machine = "--tree testdata/tree --binary p.elf "
	for _, test := range []struct {
		name, fake, args string
		want             []string
	}{
		{"v24", "", machine + "--cores 4 --cpu o3 --seed 7 --randomization --deadlock-threshold 99 --l1d-size 1kB --link-latency 3 --l2-banks 2", []string{
			"isa x86\n", "ruby ruby.MESI_Two_Level l1d 1kB link 3 banks 2\n", "seeded 7\n",
			"instantiated 4 cpus ready=True output=guest.out threshold=99 randomization=True directory=True evictions=0\n",
			"ORDEAL start\n", "ORDEAL exit 0 1000 44 exiting with last active thread context\n",
		}},
		{"RISC-V", "isa=riscv", machine + "--isa riscv --cpu o3", []string{"isa riscv\n", "instantiated 4 cpus ready=True", "ORDEAL exit 0 1000 44 "}},
		{"evictions", "isa=riscv", machine + "--isa riscv --cpu o3 --evictions", []string{"evictions=4\n", "ORDEAL exit 0 1000 44 "}},
		{"v22", "v22", machine + "--randomization", []string{
			"ORDEAL note this version cannot randomize Ruby's messages\n", "4 cpus ready=True", "threshold=500000", "ORDEAL exit 0 1000 44 ",
		}},
		{"exit code", "code=102", machine, []string{"ORDEAL exit 102 1000 44 "}},
		{"progress", "", machine + "--cores 2 --slice 400", []string{
			"ORDEAL progress 400 11,800,400 11,800,400\nORDEAL progress 800 11,1600,800 11,1600,800\n",
			"ORDEAL progress 1000 11,2000,1000 11,2000,1000\nORDEAL exit 0 1000 22 ",
		}},
		{"limit", "", machine + "--slice 400 --max-ticks 700", []string{"ORDEAL progress 400 ", "ORDEAL progress 700 ", "\nORDEAL limit 700 44\n"}},
		{"stop", "", machine + "--slice 400 --stop-at 500", []string{"ORDEAL progress 400 ", "\nORDEAL stop 500 44\n"}},
		// 16 requests of 4 sequencers, each 224 cycles of 500 ticks, 16 times over.
		{"bounds", "", machine, []string{"ORDEAL bounds 114688000 8000000000\n"}},
		{"idle", "", machine + "--idle 1000 --quiet 5000", []string{"ORDEAL bounds 115188000 8002500000\n"}},
		{"deadlock", "stuck=100", machine + "--slice 100 --ruby-clock 1000GHz --deadlock-threshold 250", []string{"ORDEAL bounds 250 ", "ORDEAL progress 400 ", "\nORDEAL stuck deadlock 400 44\n"}},
		{"livelock", "spin=100", machine + "--slice 100 --ruby-clock 1000GHz --livelock-threshold 500", []string{"\nORDEAL stuck livelock 600 44\n"}},
		{"neither", "spin=100", machine + "--slice 100 --ruby-clock 1000GHz --livelock-threshold 1000", []string{"ORDEAL exit 0 1000 44 "}},
		{"no statistics", "nostats", machine + "--cores 1 --slice 600", []string{
			"ORDEAL note this version counts no stores of cores: instructions stand for them\n", "ORDEAL progress 600 11,11,11\n", "ORDEAL exit 0",
		}},
		{"traces", "", machine + "--slice 400 --trace ProtocolTrace+RubySequencer:0:500 --trace ProtocolTrace:700:800", []string{
			"ORDEAL start\nenabled ProtocolTrace\nenabled RubySequencer\nORDEAL progress 400 ",
			"disabled ProtocolTrace\ndisabled RubySequencer\nenabled ProtocolTrace\nORDEAL progress 800 ", "disabled ProtocolTrace\nORDEAL progress 1000 ",
		}},
		{"no such flag", "", machine + "--trace Exec:0:500", []string{"ORDEAL refused the binary has no debug flag Exec: want gem5.opt or gem5.debug\n"}},
		{"items", "work=7+-2147483648", machine + "--items /dev/stdout", []string{"ORDEAL start\nitem 7\nitem 2147483648\n", "ORDEAL exit 0 1000 44 "}},
		{"no items", "work=7", machine, []string{"ORDEAL exit 0 1000 44 "}},
		{"no seed", "noseed", machine + "--seed 7", []string{"ORDEAL note this version cannot be seeded\n", "ORDEAL exit 0"}},
		{"AMD", "protocols=MOESI_AMD_Base", machine + "--cores 3", []string{
			"ORDEAL note MOESI_AMD_Base pairs its cores: 4 instead of 3\n", "4 cpus ready=True", "directory=True", "ORDEAL exit 0",
		}},
		{"several", "protocols=MESI_Two_Level+MI_example", machine + "--protocol MESI_Two_Level", []string{"ruby ruby.MESI_Two_Level ", "ORDEAL exit 0"}},
		{"tree option", "", machine + "--tree-option=--recycle-latency=3", []string{"ORDEAL exit 0"}},

		{"tester", "agent,isa=null", "--tree testdata/tree --image a.bin --cores 3 --devices 2", []string{
			"no isa\n", "instantiated tester image=a.bin cores=3 devices=2 wired=True evictions=3\n",
			"ORDEAL progress 1000 1000,2000,1000 1000,2000,1000 1000,2000,1000 1000,2000,1000 1000,2000,1000\nORDEAL exit 0 1000 5000 ordeal: done\n",
		}},
		{"tester stuck", "agent,isa=null,stuck=100", "--tree testdata/tree --image a.bin --slice 100 --ruby-clock 1000GHz --deadlock-threshold 250", []string{"\nORDEAL stuck deadlock 400 400\n"}},
		{"tester flushes", "agent,protocols=MOESI_hammer", "--tree testdata/tree --image a.bin --flush", []string{"ORDEAL refused the tree cannot configure protocol MOESI_hammer"}},
		{"no tester", "", "--tree testdata/tree --image a.bin", []string{"ORDEAL refused the binary has no tester: build it with scons … EXTRAS=DIR/ordeal after ordeal gem5 agent DIR\n"}},
		{"no flushes", "agent", "--tree testdata/tree --image a.bin --flush", []string{"ORDEAL refused protocol MESI_Two_Level has no flushes in this version: want MOESI_hammer, or no flush\n"}},
		{"no devices", "agent,protocols=MOESI_AMD_Base", "--tree testdata/tree --image a.bin --devices 1", []string{"ORDEAL refused protocol MOESI_AMD_Base has no machine for devices: want a program without threads of agent dma\n"}},
		{"no image", "agent", "--tree testdata/tree", []string{"ORDEAL refused --binary is missing\n"}},

		{"mismatch", "", machine + "--protocol MI_example", []string{"ORDEAL refused the binary has protocol MESI_Two_Level: want MI_example, as scons build/X86_MI_example/gem5.opt builds it (--gem5)\n"}},
		{"none named", "protocols=MESI_Two_Level+MI_example", machine, []string{"ORDEAL refused the binary has several protocols (MESI_Two_Level, MI_example): name one (--protocol)\n"}},
		{"no CPU", "nocpu", machine + "--cpu o3", []string{"ORDEAL refused the binary has no o3 CPU (X86O3CPU or DerivO3CPU)\n"}},
		{"no RISC-V CPU", "isa=riscv", machine + "--isa riscv", []string{"ORDEAL refused the binary has no timing CPU (RiscvTimingSimpleCPU or TimingSimpleCPU)\n"}},
		{"another instruction set", "", machine + "--isa riscv", []string{"ORDEAL refused the binary simulates x86: want riscv, as scons build/RISCV_MESI_Two_Level/gem5.opt builds it\n"}},
		{"no minor CPU", "", machine + "--cpu minor", []string{"ORDEAL refused the binary has no minor CPU"}},
		{"no tree", "", "--tree testdata/none --binary p.elf", []string{"ORDEAL refused tree testdata/none: no folder configs/ruby\n"}},
		{"another tree", "", "--tree testdata/older --binary p.elf", []string{
			"ORDEAL refused the binary is gem5 24.0.0.1, tree testdata/older is 23.1.0.0: want the tree that the binary was built from (--gem5-tree)\n",
		}},
		{"same sources", "sources=testdata/tree", machine, []string{"ORDEAL exit 0"}},
		{"other sources", "sources=testdata/older", machine, []string{
			"ORDEAL refused the binary was built from tree testdata/older, whose src/mem/ruby/system/RubySystem.py is not that of tree testdata/tree: want the tree that the binary was built from (--gem5-tree), or build this one\n",
		}},
		{"missing source", "sources=testdata/tree", "--tree testdata/unversioned --binary p.elf", []string{"ORDEAL refused the binary was built from tree testdata/tree, whose src/mem/ruby/system/RubySystem.py is not that of"}},
		{"no configuration", "protocols=MI_example", machine, []string{"ORDEAL refused the tree cannot configure protocol MI_example: "}},
		{"no binary", "", "--tree testdata/tree", []string{"ORDEAL refused --binary is missing\n"}},
		{"no such option", "", machine + "--tree-option=--nonsense=3", []string{"ORDEAL refused the tree knows no option --nonsense=3\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, test.fake, strings.Fields(test.args)...)
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
			if refused := strings.Contains(test.want[0], "refused"); refused && strings.Contains(out, "instantiated") {
				t.Errorf("refused and built:\n%s", out)
			}
		})
	}
}

// TestTwoVersions refuses a tree whose configs/ruby is not of the version of its src.
func TestTwoVersions(t *testing.T) {
	for version, later := range map[string]string{"24.0.0.1": "24.1 or later", "24.1.0.1": "24.0 or earlier", "25.1": "24.0 or earlier", "[develop]": "", "": ""} {
		tree := t.TempDir()
		if err := os.CopyFS(tree, os.DirFS("testdata/tree")); err != nil {
			t.Fatal(err)
		}
		file := func(name, text string) {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o755), os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		file("src/base/version.cc", `const char *gem5Version = "`+version+`";`)
		if strings.HasSuffix(later, "later") {
			file("configs/ruby/MULTIPLE.py", "")
		}
		want := "ORDEAL exit 0"
		if later != "" {
			want = "ORDEAL refused tree " + tree + ": src is gem5 " + version + ", configs/ruby that of gem5 " + later + ": want both of one version\n"
		}
		if out := run(t, "version="+version, "--tree", tree, "--binary", "p.elf"); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in:\n%s", version, want, out)
		}
	}
}

// TestCopiedTree accepts a copy of the tree that the binary was built from, in
// whatever folder, and no other, even if only an operator differs.
func TestCopiedTree(t *testing.T) {
	original, copied := t.TempDir(), t.TempDir()
	const file = "src/mem/ruby/system/RubySystem.py"
	for _, dir := range []string{original, copied} {
		if err := os.CopyFS(dir, os.DirFS("testdata/tree")); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ code, want string }{
		{"a + b", "ORDEAL exit 0"}, {"a - b", "ORDEAL refused the binary was built from tree " + original + ", whose " + file},
	} {
		for dir, code := range map[string]string{original: "a + b", copied: test.code} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("def latency(a, b):\n    return "+code+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if out := run(t, "sources="+original, "--tree", copied, "--binary", "p.elf"); !strings.Contains(out, test.want) {
			t.Errorf("%s: no %q in:\n%s", test.code, test.want, out)
		}
	}
}
