package index

import (
	"context"
	"errors"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// A question may be untrusted, in a script or a page. It reads the index and
// nothing else: the connection is of mode ro, and SQLite's authorizer refuses all
// that is not reading as it compiles a statement.

// schemaPragmas describe tables. readPragmas describe the index, but change it if
// they are given a value. All others read or change settings.
var (
	schemaPragmas = []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"}
	readPragmas   = []string{"user_version", "integrity_check", "foreign_key_check"}
)

// effects are the functions that do more than compute.
var effects = []string{"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "sqlite_rename_table"}

// authorize allows what only reads.
func authorize(action sqlite.AuthorizerActionCode, first, second, _, _ string) sqlite.AuthorizerReturnCode {
	allowed := false
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		allowed = true
	case sqlite.AuthFunction:
		allowed = !slices.Contains(effects, strings.ToLower(second))
	case sqlite.AuthPragma:
		name := strings.ToLower(first)
		allowed = slices.Contains(schemaPragmas, name) || second == "" && slices.Contains(readPragmas, name)
	}
	if allowed {
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}

// restrict has a connection read only, for good.
func (ix *index) restrict(ctx context.Context) error {
	if err := ix.exec(ctx, "PRAGMA query_only = on"); err != nil {
		return err
	}
	return ix.conn.Raw(func(c any) error {
		r, ok := c.(sqlite.AuthorizerRegisterer)
		if !ok {
			return errors.New("the driver of SQLite has no authorizer")
		}
		return r.RegisterAuthorizer(authorize)
	})
}
