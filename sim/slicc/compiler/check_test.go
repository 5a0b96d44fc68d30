package compiler

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cockroachdb/datadriven"

	"ordeal/sim/slicc/syntax"
)

// tree is a protocol around a test's input: the sampler's native types and
// messages, and a machine from the skeleton.
func tree(t testing.TB) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, path := range map[string]string{
		"native.sm":   "../testdata/sampler/sampler-native.sm",
		"messages.sm": "../testdata/sampler/sampler-messages.sm",
		"skeleton.sm": "testdata/skeleton.sm",
	} {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: src}
	}
	fsys["global.slicc"] = &fstest.MapFile{Data: []byte(`
		protocol "Test";
		include "native.sm";
		include "messages.sm";
		include "in.sm";`)}
	fsys["machine.slicc"] = &fstest.MapFile{Data: []byte(`
		protocol "Test";
		include "native.sm";
		include "messages.sm";
		machine(MachineType:L1Cache) :
			Sequencer * sequencer;
			CacheMemory * cacheMemory;
			Cycles latency := 2;
			MessageBuffer * requestOut, network="To", virtual_network="0";
			MessageBuffer * responseIn, network="From", virtual_network="1";
		{
			include "skeleton.sm";
			include "in.sm";
		}`)}
	return fsys
}

// The commands of testdata/faults check their input, the file in.sm: "global"
// as what follows the native types and messages, "machine" as the end of a
// machine's body. Both print the faults, or the warnings, or ok.
func TestFaults(t *testing.T) {
	datadriven.Walk(t, "testdata/faults", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			fsys := tree(t)
			fsys["in.sm"] = &fstest.MapFile{Data: []byte(d.Input)}
			file, err := syntax.Load(fsys, d.Cmd+".slicc")
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			protocol, err := Check(file)
			switch {
			case err != nil:
				return err.Error()
			case len(protocol.Warnings) > 0:
				return "ok with warnings\n" + protocol.Warnings.Error()
			}
			return "ok"
		})
	})
}

// faultsOf takes an error of Check apart.
func faultsOf(t *testing.T, err error) syntax.Faults {
	t.Helper()
	var faults syntax.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("error is no list of faults: %v", err)
	}
	return faults
}

// TestMissingBasics takes a type that every machine needs out of the protocol.
func TestMissingBasics(t *testing.T) {
	for _, name := range []string{"Addr", "AccessPermission"} {
		fsys := tree(t)
		fsys["in.sm"] = &fstest.MapFile{}
		native := string(fsys["native.sm"].Data)
		other := regexp.MustCompile(`\((`+name+`)\b`).ReplaceAllString(native, "(Other")
		if other == native {
			t.Fatalf("native.sm declares no %s", name)
		}
		fsys["native.sm"] = &fstest.MapFile{Data: []byte(other)}
		file, err := syntax.Load(fsys, "machine.slicc")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Check(file); err == nil || !strings.Contains(err.Error(), name+" is not declared") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
