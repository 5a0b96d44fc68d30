// Package must ends a test at an error that it does not expect.
package must

import "testing"

// Succeed ends the test unless err is nil.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
