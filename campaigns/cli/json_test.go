package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/report/progress"
)

// jsonCommand runs a command that prints JSON: json STATUS ordeal …. What campaign status
// prints must be of its form; that of other commands is checked by package schema,
// whose library would make every start of the command here 4 ms longer.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	status(ts, neg, args)
	text := ts.Value(output{}).(*strings.Builder).String()
	ts.Check(versioned(text))
	if strings.Contains(strings.Join(args, " "), "campaign status ") && is[cluster.Status](text) != nil {
		ts.Check(is[progress.Status](text))
	}
}

// versioned demands one object, or one on each line, of this version.
func versioned(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var object struct{ Version *int }
		err := dec.Decode(&object)
		switch {
		case err == io.EOF && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("object %d: %w", n+1, err)
		case object.Version == nil || *object.Version != command.JSONVersion:
			return fmt.Errorf("object %d has no version %d", n+1, command.JSONVersion)
		}
	}
}

// is demands the fields of a type, all that it always writes and no other ones.
func is[T any](text string) error {
	var object struct {
		Version int `json:"version"`
	}
	var body T
	var all, again map[string]any
	if err := errors.Join(json.Unmarshal([]byte(text), &object), json.Unmarshal([]byte(text), &body), json.Unmarshal([]byte(text), &all)); err != nil {
		return err
	}
	rewritten, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(rewritten, &again); err != nil {
		return err
	}
	delete(all, "version")
	delete(again, "version")
	if !reflect.DeepEqual(all, again) {
		return fmt.Errorf("%s\nis not a %T:\n%s", text, body, rewritten)
	}
	return nil
}
