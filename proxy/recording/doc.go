// Package recording records the calls to backends as files, and replays them.
//
// A [Recorder] and a [Replay] each wrap the transport of the calls, see [upstream.Options].
// A Recorder passes calls on and stores the responses to anonymous reads. A Replay responds from
// the files and makes no call.
//
// A recording is a directory: recording.json, which describes the backends, and one file for
// each call. Read in this order:
//
//	site.go      recording.json: the backends and their REST roots; JSON of all files
//	call.go      the identity of a call, without hosts and secrets
//	exchange.go  the file of a call and its response
//	recorder.go  writes responses
//	replay.go    checks a recording, and responds from the files
package recording
