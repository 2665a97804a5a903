// Package redistest runs real Redis servers for tests, in every topology that package
// redisstore supports, with what may happen to them: they are killed, suspended, slow or
// unreachable. Start reading at server.go.
package redistest
