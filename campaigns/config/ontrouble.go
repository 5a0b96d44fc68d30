package config

// OnTrouble says what a campaign does when a run could not be made or judged:
// its simulator is gone, its directory cannot be written, a checker fails. In
// either case the run is set aside in quarantine, and told of.
type OnInfraError string

// What to do.
const (
	// TroubleContinue goes on with the next run, and gives up after a number
	// of such runs in a row.
	InfraContinue OnInfraError = "continue"
	// TroubleStop ends the campaign at the first such run.
	InfraStop OnInfraError = "stop"
)
