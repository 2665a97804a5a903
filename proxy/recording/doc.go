// Package recording records the calls to backends as files, and replays them.
//
// A [Recorder] and a [Replay] each wrap the transport of the calls, see [upstream.Options].
// A Recorder passes calls on and stores the responses. A Replay responds from the files and
// makes no call.
//
// A recording is a directory: recording.json, which describes the backends, and one file for
// each call. Read in this order:
//
//	site.go       recording.json: the backends and their REST roots
//	call.go       what identifies a call, without hosts and secrets
//	file.go       the file of a call and its response
//	transport.go  captures responses while the proxy reads them
//	queue.go      holds them until recorder.go has written them, within limits;
//	              dir.go prepares the directory
//	load.go       checks a recording, file by file, mostly by head.go
//	replay.go     responds from the files
package recording
