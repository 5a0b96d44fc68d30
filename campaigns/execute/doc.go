// Package execute executes one run: a rundir.Spec and its program go in, the
// simulator runs, the log is parsed and the history checked, and a
// rundir.Result comes out.
package execute
