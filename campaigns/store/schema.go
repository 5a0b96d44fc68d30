package store

import (
	"context"
	_ "embed" // the schema
	"errors"
	"fmt"
	"strings"
)

// Version is the version of the schema, as in PRAGMA user_version. An index of
// an older version is made anew, one of a newer version refused.
const Version = 1

// applicationID tells an index from other SQLite databases, as in PRAGMA
// application_id: "Ordl".
const applicationID = 0x4f72646c

//go:embed schema.sql
var schema string

// Schema is the definition of the tables and views of an index, in SQL, with
// comments.
func Schema() string { return schema }

// state is what a file holds before anything is done to it.
type state int

const (
	empty  state = iota // nothing yet
	older               // an index of an older version
	ours                // an index of this version
	damage              // none of these: there is an error
)

// inspect tells what the database of a connection is. It refuses what is no
// index, and what is one of a newer version.
func (ix *index) inspect(ctx context.Context) (state, error) {
	var id, version, objects int
	for query, to := range map[string]*int{
		"PRAGMA application_id": &id, "PRAGMA user_version": &version, "SELECT COUNT(*) FROM sqlite_master": &objects,
	} {
		if err := ix.conn.QueryRowContext(ctx, query).Scan(to); err != nil {
			return damage, err
		}
	}
	switch {
	case id == 0 && version == 0 && objects == 0:
		return empty, nil
	case id != applicationID:
		return damage, errors.New("it is a SQLite database, but no index of campaigns; name another file with --db")
	case version > Version:
		return damage, fmt.Errorf("it is an index of version %d, made by a newer ordeal; this one knows version %d", version, Version)
	}
	if version < Version {
		return older, nil
	}
	return ours, nil
}

// soundSize is how many bytes of an index are looked over for damage before it
// is written, at 0.1 s for 30 MB. Of a larger one, damage shows where SQLite
// comes upon it.
const soundSize = 1 << 30

// sound has SQLite look for damage.
func (ix *index) sound(ctx context.Context) error {
	var size int64
	if err := ix.conn.QueryRowContext(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&size); err != nil || size > soundSize {
		return err
	}
	var first string
	if err := ix.conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&first); err != nil {
		return err
	}
	if first != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, strings.ReplaceAll(first, "\n", ": "))
	}
	return nil
}

// create makes the tables and views, in place of all that there are.
func (ix *index) create(ctx context.Context) error {
	for _, kind := range []string{"view", "table"} {
		names, err := ix.strings(ctx, "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name", kind)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := ix.exec(ctx, fmt.Sprintf(`DROP %s "%s"`, kind, strings.ReplaceAll(name, `"`, `""`))); err != nil {
				return err
			}
		}
	}
	return errors.Join(
		ix.exec(ctx, schema),
		ix.exec(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)),
		ix.exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", Version)),
	)
}
