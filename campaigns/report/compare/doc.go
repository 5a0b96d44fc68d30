// Package compare compares two campaigns of the same kind, an old and a new one,
// from their directories: which findings are new, gone or flaky, which canaries
// are missed, what is covered, and what is slower. It compares rates, not
// counts, so that campaigns of different length can be compared.
//
// # Rules
//
// A finding is an outcome and a title of runs on one system under test, as in
// summary.Finding; canaries are listed apart. It is new if only the new campaign
// has it, gone if only the old one has. It is flaky if both have it and either
// the rates differ (Fisher's exact test by configuration, see Exact; p <
// Significant), or of the runs that both campaigns made, with the same settings,
// seed, number and program, one shows it and the other does not.
//
// The embedded simulator is a function of program and seed: where both campaigns
// executed the same run on it and the results differ, the run is not flaky but
// changed.
//
// A canary that the old campaign caught is newly missed if no run shows its bug
// although the new campaign spent as many operations on it as the old one needed
// to catch it; with fewer, it is open. One that the old campaign did not catch is
// newly missed if the new campaign reports it as missed and the old one does not,
// or does not have it.
//
// Transitions that only one campaign took are counted with the probability of
// chance, by the same test on the runs that took them. Speed is compared by the
// median of the runs that passed, of configurations with the same settings: see
// Slower.
package compare
