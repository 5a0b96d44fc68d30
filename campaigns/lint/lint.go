// Package lint holds the rules of this repository that the compiler does not
// know, as a test: one subtest a rule.
package lint
