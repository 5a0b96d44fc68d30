package witness

import "fmt"

// ruleTexts is how edges of each rule are named in machine-readable output,
// drawn, labelled in a picture, and explained; an empty reason names other
// operations, see explainer.reason.
var ruleTexts = [...]struct {
	name   string
	arc    arcKind
	label  string
	reason string
}{
	PPO:        {"ppo", programOrder, "po", "program order"},
	FenceOrder: {"fence", programOrder, "fence", ""},
	Dependency: {"dependency", programOrder, "dep", "dependency"},
	ReadsFrom:  {"reads-from", readsFrom, "rf", ""},
	OwnStore:   {"own-store", coherenceOrder, "co", ""},
	Coherence:  {"coherence", coherenceOrder, "co", "program order"},
	FromInit:   {"from-init", coherenceOrder, "co (initial)", "initially"},
	FromRead:   {"from-read", fromRead, "fr", ""},
	FinalWrite: {"final", coherenceOrder, "co (final)", ""},
	DerivedA:   {"A", derivedOrder, "co", ""},
	DerivedB:   {"B", fromRead, "fr", ""},
	Assumed:    {"assumed", assumedOrder, "assumed", "assumed"},
	StoreOrder: {"store-order", coherenceOrder, "co (known)", "known order of stores"},
	RealTime:   {"real-time", programOrder, "real time", ""},
	Pipeline:   {"pipeline", programOrder, "dep", "dependency of what stands between"},
}

// String is the rule's name in machine-readable output.
func (r Rule) String() string {
	if r == RuleUnknown || int(r) >= len(ruleTexts) {
		return fmt.Sprintf("rule %d", uint8(r))
	}
	return ruleTexts[r].name
}

// RuleByName is the rule of a name in machine-readable output.
func RuleByName(name string) (Rule, bool) {
	for r := PPO; int(r) < len(ruleTexts); r++ {
		if ruleTexts[r].name == name {
			return r, true
		}
	}
	return RuleUnknown, false
}
