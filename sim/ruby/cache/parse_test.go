package cache

import "testing"

func TestParseGeometry(t *testing.T) {
	if g, err := ParseGeometry("2x4"); err != nil || g != (Geometry{Sets: 2, Ways: 4}) {
		t.Errorf("%+v, %v", g, err)
	}
	for _, text := range []string{"", "2", "x", "2x", "x4", "3x4", "2x3", "2x128", "-2x4", "2x4x8", "2 x 4"} {
		if g, err := ParseGeometry(text); err == nil {
			t.Errorf("%q is %+v", text, g)
		}
	}
}
