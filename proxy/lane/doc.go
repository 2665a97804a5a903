// Package lane answers plain requests on a connection before net/http sees them, and
// writes the responses of net/http in one system call. It knows HTTP/1.1 and connections;
// what to answer comes from an [Answerer].
//
// Start reading at [Lane] in lane.go: a connection, and its states. The files, from the top:
//
//   - cork.go accepts connections.
//   - read.go reads a connection, within the server's timeouts, and hands it over to net/http.
//   - answer.go answers the requests that request.go finds plain.
//   - hold.go changes how net/http writes connections, in the lane or not.
//   - lane.go has connections and their states, deadline.go what bounds them, and response.go the
//     responses.
//
// # What it relies on
//
// Some of this is not documented by net/http. Each has a test that fails when a release of
// Go changes it:
//
//   - A first head is read into a buffer of 4,096 bytes, and the rest of an idle
//     connection's first bytes until there are 4 (minHead): TestNetHTTP, and TestLaneTimeouts
//     of package proxy for what a client gets.
//   - While a handler runs, one byte of the rest is read, without a deadline; that read
//     ends by a deadline in the past, before the state changes to idle, and no further read begins before
//     that: TestNetHTTP. TestHalfClosed and TestLaneServesEarlyRequests hold the two
//     uses of it.
//   - ConnState gets StateIdle after the response is written, with the connection that Accept
//     returned: TestNetHTTP, TestLaneComesBack.
//   - The deadlines of the head and of the request count from the start of a connection,
//     and for further requests from their first bytes: TestNetHTTP, TestLaneLeavesTime,
//     TestLaneSlowHead. IdleTimeout and ReadHeaderTimeout are ReadTimeout by default:
//     TestLaneTimeouts.
//   - A response of known length is written in two pieces, the first of 4,096 bytes
//     (bufferSize): TestNetHTTP.
//   - The header is written sorted, in the spelling of the map, and Date after it:
//     TestLaneIsLikeNetHTTP.
//   - A request is read as parse reads it: FuzzParse, TestLaneIsLikeNetHTTP.
//   - A connection is closed in two steps, by CloseWrite and Close: TestLaneHalfClosed.
//   - Nothing is sent to a connection whose first read returns io.EOF:
//     TestLaneKeepsAnswersOnClose.
//   - The TLS state of a connection with a method ConnectionState is its requests':
//     TestLaneIsLikeServeTLS.
package lane
