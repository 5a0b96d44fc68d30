package enum_test

import (
	"testing"

	"ordeal/check/search/enum"
	"ordeal/check/search/proctest"
)

func TestSmall(t *testing.T) { proctest.Small(t, enum.Procedure, enum.CCM) }

func TestHard(t *testing.T) { proctest.Hard(t, enum.Procedure, enum.CCM) }

func TestLarge(t *testing.T) { proctest.Large(t, 40, 60, enum.Procedure, enum.CCM) }

func BenchmarkEnum(b *testing.B) {
	for _, m := range proctest.Totals[:2] {
		for _, ops := range []int{100, 200, 400} {
			proctest.Bench(b, enum.Procedure, m, 4, ops, 16)
			proctest.Bench(b, enum.CCM, m, 4, ops, 16)
		}
	}
}
