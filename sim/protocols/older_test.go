package protocols

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
)

// older writes a file as gem5 had it until 2015.
func older(text string) string {
	// The buffers of a machine are objects in its body.
	machine := regexp.MustCompile(`(?s)machine\(MachineType:(\w+)([^)]*)\)\s*:(.*?)\n\{`)
	text = machine.ReplaceAllStringFunc(text, func(head string) string {
		m := machine.FindStringSubmatch(head)
		var params, body []string
		for _, p := range regexp.MustCompile(`(?s)[^;]+;`).FindAllString(m[3], -1) {
			p = strings.TrimSpace(p)
			if strings.HasPrefix(p, "MessageBuffer") {
				body = append(body, strings.Replace(p, " *", "", 1))
			} else {
				params = append(params, strings.TrimSuffix(strings.Replace(p, ":=", "=", 1), ";"))
			}
		}
		return "machine(" + m[1] + m[2] + ")\n: " + strings.Join(params, ",\n  ") + "\n{\n" + strings.Join(body, "\n") + "\n"
	})
	for _, r := range []struct{ from, to string }{
		{`(\w+)\.(isReady|dequeue)\(clockEdge\(\)\)`, "$1.$2()"},
		{`enqueue\((\w+), (\w+), (\w+)\)`, "enqueue($1, $2, latency=$3)"},
		{`\baddr\b`, "Addr0"}, {`\bAddr\b`, "Address"}, {`\bAddr0\b`, "Addr"},
		{`mapAddressToMachine\((\w+(?:\.\w+)?), MachineType:Directory\)`, "map_Address_to_Directory($1)"},
		{`(?s)enumeration\(MachineType,.*?\n\}\n`, ""},
		{`bool isReady\(Tick now\);`, "bool isReady();"}, {`Tick dequeue\(Tick now\);`, "Cycles dequeue();"},
		{`interface="Message"`, `interface="NetworkMessage"`},
	} {
		text = regexp.MustCompile(r.from).ReplaceAllString(text, r.to)
	}
	return text
}

// TestOlder writes protocols as gem5 had them until 2015, and wants them to be read as the
// same actions, ports and transitions.
func TestOlder(t *testing.T) {
	for _, name := range []string{"mi", "mesi-two-level", "moesi-hammer"} {
		old := fstest.MapFS{}
		root, err := Root(name)
		if err != nil {
			t.Fatal(err)
		}
		names, err := fs.Glob(Files(), "*.s*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(Files(), name)
			if err != nil {
				t.Fatal(err)
			}
			old[name] = &fstest.MapFile{Data: []byte(older(string(data)))}
		}
		read, err := syntax.Load(old, root)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !read.Older {
			t.Errorf("%s: the older text is not known as such", name)
		}
		if _, err := compiler.Check(read); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		now, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		got, want := rules(read), rules(now)
		if got != want {
			t.Errorf("%s: the older text is read as\n%s\nwant\n%s", name, got, want)
		}
		// What convert prints is read as the same, and is in today's language.
		printed := syntax.PrintOne(read)
		again, err := syntax.Load(fstest.MapFS{root: {Data: []byte(printed)}}, root)
		if err != nil {
			t.Fatal(err)
		}
		if again.Older || syntax.PrintOne(again) != printed {
			t.Errorf("%s: what is printed is not in today's language, or is read as something else", name)
		}
	}
}

// rules prints the actions, ports and transitions of a protocol.
func rules(file *syntax.File) string {
	var b strings.Builder
	var look func(list []syntax.Decl)
	look = func(list []syntax.Decl) {
		for _, d := range list {
			switch d := d.(type) {
			case *syntax.Include:
				look(d.File.Decls)
			case *syntax.Machine:
				b.WriteString(d.Name.Type.Name + ":" + d.Name.Value.Name + "\n")
				look(d.Body)
			case *syntax.Action, *syntax.InPort, *syntax.OutPort, *syntax.Transition:
				b.WriteString(syntax.PrintDecl(d))
			}
		}
	}
	look(file.Decls)
	return b.String()
}
