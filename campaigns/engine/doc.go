// Package engine runs campaigns: a config.Campaign goes in, runs are launched
// and recorded, and a summary.Summary comes out. It schedules launches, applies
// budget, stop conditions and the policy for infrastructure errors, and reduces
// findings; package journal commits the runs in order.
//
// # Infrastructure errors
//
// A run that cannot be executed, checked or written (the simulator is missing,
// the disk is full, memory or log-size is exceeded, a simulator or checker of this
// project panics) has outcome infra. It is logged, moved to quarantine and
// counted, and says nothing about the system under test. With on-infra-error:
// continue, the default, the campaign goes on, and gives up after ten such runs in
// a row; with on-infra-error: stop it ends at the first. Where not even the journal
// can be written it ends at once. Resume repeats runs in quarantine, and those
// whose line in the journal, or whose directory, is corrupt; with on-infra-error:
// stop it refuses a corrupt journal. Nothing is ever removed from quarantine.
//
// # Reductions
//
// With reduce: TIME the first run of each finding is reduced, one at a time
// beside the runs; the campaign ends when the reductions have. One that is
// interrupted or killed begins anew when the campaign is resumed.
//
// # Shards
//
// The runs of shard i of n are a function of the campaign alone (config.Shard).
// Stop conditions and budget hold for each shard.
package engine
