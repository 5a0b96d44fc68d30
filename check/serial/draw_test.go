package serial

import (
	"strings"
	"testing"

	"ordeal/check/picture"
)

func TestDraw(t *testing.T) {
	s := sequence(t, taskPool)
	v := execution(t, TSO, s)
	drawn, err := Draw(s, &v)
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := drawn.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"not serializable under tso": 2, "read task (b.2)": 1, "commit task (a.2)": 1, "commit task (b.2)": 1,
		">thread a<": 1, ">thread b<": 1, ">co<": 1, ">fr<": 1,
	} {
		if got := strings.Count(svg.String(), text); got != want {
			t.Errorf("%q stands %d times in the picture, want %d", text, got, want)
		}
	}
	if t.Failed() {
		t.Log(svg.String())
	}
	for name, arc := range map[string]picture.Arc{
		"kind": {Kind: "fence"}, "column": {From: [2]int{1, 0}, Kind: "po"}, "row": {To: [2]int{0, 1}, Kind: "po"},
	} {
		columns := []picture.Column{{Head: "h", Nodes: []picture.Node{{Name: "a", Text: "t"}}}}
		if _, err := picture.Compose("t", columns, []picture.Arc{arc}); err == nil {
			t.Errorf("an arc without a %s is accepted", name)
		}
	}
	robust := scEquivalent(t, s)
	for v, want := range map[*Verdict]bool{&robust: true, {Serializable: true}: false} {
		drawn, err := Draw(s, v)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawn != nil; got != want {
			t.Errorf("a picture of %+v: %v, want %v", v, got, want)
		}
	}
}
