package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/spf13/cobra"
)

// JSONVersion is the version of what --json prints, of all commands. Fields keep their
// names and meanings as long as it stays the same; there may be new ones.
const JSONVersion = 1

// JSONFlag declares --json.
func JSONFlag(cmd *cobra.Command, set *bool) {
	cmd.Flags().BoolVar(set, "json", false, "print JSON")
}

// Print prints a value on standard output: as PrintJSON does, or as the text that is written of it.
func (e *Env) Print(asJSON bool, v any, text func(w io.Writer) error) error {
	if asJSON {
		return e.PrintJSON(v)
	}
	return text(e.Stdout)
}

// PrintJSON prints a value that is an object as indented JSON. The version is its first
// field, unless the value has one already.
func (e *Env) PrintJSON(v any) error {
	text, err := versioned(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = e.Stdout.Write(b.Bytes())
	return err
}

// PrintJSONLine prints a value likewise, on one line.
func (e *Env) PrintJSONLine(v any) error {
	text, err := versioned(v)
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(append(text, '\n'))
	return err
}

// versioned is an object as JSON, with the version. That of a form which is recorded
// in files, too, is its own.
func versioned(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields, ok := bytes.CutPrefix(text, []byte("{"))
	if !ok {
		panic(fmt.Sprintf("a %T is printed as JSON that is not an object", v)) // commands print structs and maps
	}
	if hasVersion(reflect.TypeOf(v)) {
		return text, nil
	}
	head := fmt.Sprintf(`{"version":%d`, JSONVersion)
	if string(fields) != "}" {
		head += ","
	}
	return append([]byte(head), fields...), nil
}

// hasVersion reports whether a type has a field for the version.
func hasVersion(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") == "version" {
			return true
		}
	}
	return false
}
