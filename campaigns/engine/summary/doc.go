// Package summary counts the recorded runs of a campaign: journal entries go
// in; rows by configuration, findings, canaries and the closing text come out.
//
// # Findings
//
// Failures are one finding if outcome, title and system under test are the same
// (FindingKey): the simulator, the protocol, and the configuration where a bug is
// injected.
//
// A configuration with bug: is a canary: a failing run that bug.by lists, or any
// if it lists none, catches the injected bug and is no finding. When all its runs
// have ended, with at least bug.budget operations, and none caught it, the finding
// is "canary NAME is no longer caught", of outcome missed. With bug.equivalent the
// configuration is a negative control, whose failing runs are findings, called
// "negative control NAME fails: TITLE".
package summary
