package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// A question may come from others, in a script or a page. It reads the index and
// nothing else: the connection is of mode ro, SQLite's authorizer refuses all
// that is not reading as it compiles the statement, and there is one statement.

// questions are the words that one begins with.
var questions = []string{"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"}

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

// checkQuestion refuses what is not one statement that asks.
func checkQuestion(query string) error {
	bare := withoutTexts(query)
	first, rest, _ := strings.Cut(bare, ";")
	if strings.Trim(rest, "; \t\r\n\f") != "" {
		return errors.New("want one statement, not several")
	}
	word, _, _ := strings.Cut(strings.TrimSpace(strings.NewReplacer("(", " ", "\t", " ", "\n", " ", "\r", " ", "\f", " ").Replace(first)), " ")
	if word != "" && isStatement(word) {
		return fmt.Errorf("%s does not ask: want %s", strings.ToUpper(word), strings.Join(questions, ", "))
	}
	return nil
}

// isStatement reports whether a word begins a statement that does not ask. Words
// that begin none are for SQLite to refuse.
func isStatement(word string) bool {
	return slices.Contains([]string{
		"ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END", "INSERT", "REINDEX", "RELEASE", "REPLACE",
		"ROLLBACK", "SAVEPOINT", "UPDATE", "VACUUM",
	}, strings.ToUpper(word))
}

// withoutTexts is a query with a space for each comment, quoted name and text.
func withoutTexts(query string) string {
	var b strings.Builder
	for query != "" {
		end := ""
		switch {
		case strings.HasPrefix(query, "--"):
			end = "\n"
		case strings.HasPrefix(query, "/*"):
			end = "*/"
		case query[0] == '[':
			end = "]"
		case strings.IndexByte("'\"`", query[0]) >= 0:
			end = query[:1] // a quote that is doubled ends a text and begins one
		}
		if end == "" {
			b.WriteByte(query[0])
			query = query[1:]
			continue
		}
		b.WriteByte(' ')
		skip := len(end)
		if end == "\n" {
			skip = 2
		}
		_, query, _ = strings.Cut(query[skip:], end)
	}
	return b.String()
}
