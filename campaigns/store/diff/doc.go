// Package diff compares two campaigns, as two nights of the same: what is new,
// what is gone, what comes and goes, what is missed, covered, slower. It reads
// their directories, and compares rates, not counts, so that nights of
// different length can be compared.
//
// # What is said
//
// A finding is an outcome and a title of runs on one system under test, as in
// campaigns.Finding; canaries are told apart. It is new if only the new campaign has it, gone if only the old one
// has. It is flaky if both have it, and either at rates that differ (Fisher's
// exact test, configuration by configuration: see Exact; p < Significant), or if
// of the runs that both campaigns made — same settings, seed, number and program
// — one showed it and the other did not.
//
// The embedded simulator is a function of program and seed: where both campaigns
// made the same run on it and it went otherwise, the run is not flaky but
// changed, and told apart.
//
// A canary that the old campaign caught is newly missed if no run shows its fault
// although the new campaign spent as many operations on it as the old one needed
// to catch it; with less, it is only open. One that the old campaign did not
// catch is newly missed if the new campaign calls it missed and the old one does
// not, or does not have it.
//
// Transitions that one campaign took and the other did not are counted with the
// probability of chance, by the same test on the runs that took them.
//
// Speed is compared by the median of the runs that passed, of configurations
// with the same settings: see Slower.
package diff
