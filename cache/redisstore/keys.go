package redisstore

import (
	"crypto/sha256"
	"encoding/hex"
)

// digest is the name of a key in Redis: keys may be long and contain any bytes.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// The keys of an entry and of its lease are in one slot of a cluster.
func (r *Store) entryKey(key string) string   { return r.options.Prefix + ":e2:{" + digest(key) + "}" }
func (r *Store) leaseKey(key string) string   { return r.options.Prefix + ":l:{" + digest(key) + "}" }
func (r *Store) failureKey(key string) string { return r.leaseKey(key) + ":failure" }

func (r *Store) logKey() string { return r.options.Prefix + ":log" }

// Keys that the scripts use together are in the slot of the log, of which they have the whole
// key as their hash tag.
func (r *Store) decisionsKey() string { return r.besideLog("decisions") }
func (r *Store) auditKey() string     { return r.besideLog("audit") }
func (r *Store) numbersKey() string   { return r.besideLog("numbers") }

func (r *Store) besideLog(name string) string {
	return r.options.Prefix + ":" + name + ":{" + r.logKey() + "}"
}

func (r *Store) quotaKey(key string) string { return r.options.Prefix + ":q:" + digest(key) }
