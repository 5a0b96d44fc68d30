// Package store keeps an index of campaigns: a SQLite database, made of the
// directories of campaigns, that people ask with SQL. The directories are the
// truth. Reindex brings an index up to date, Schema documents what is in it.
//
// An index is written by one transaction, in SQLite's rollback mode: it is the
// old one or the new one, whenever the process is killed, and who reads it sees
// one of them. WAL would let readers go on during the moment of committing, but
// needs memory shared by all processes, which the network file systems of
// clusters do not have. A second Reindex waits for the first.
package store
