// Package lane answers plain requests on a connection before net/http sees them, and
// writes the responses of net/http in one system call. The package knows HTTP/1.1 and connections;
// the responses come from an [Answerer].
//
// Start reading at [Lane] in lane.go: a connection and the connection's states. The files, from the top:
//
//   - cork.go accepts connections.
//   - read.go reads a connection, in the lane or for net/http.
//   - answer.go answers the requests that request.go finds plain.
//   - hold.go changes how net/http writes connections, in the lane or not.
//   - deadline.go keeps the server's timeouts, and ends waits like reads.
//   - lane.go has connections and their states, and response.go the responses.
//
// # Dependencies on net/http
//
// net/http does not document all of this behaviour. Each item has a test that fails when a release of
// Go changes the behaviour:
//
//   - A head is read into a buffer of 4,096 bytes (readBuffer), and a read leaves out what the
//     buffer holds. An idle connection's first bytes are read until there are 4 (minHead): TestNetHTTP,
//     and TestLaneTimeouts of package proxy for the client's side.
//   - ConnState gets StateIdle after the response is written, with the connection that Accept
//     returned; a read deadline is set then, another one once the first bytes of a request are there, and
//     ConnState gets StateActive before the handler runs (phase): TestNetHTTP, TestLaneComesBack. If a
//     release changes the order, the lane takes the rest of a request for another one: TestLaneIsAtRequestsAlone.
//   - While a handler runs, one byte of the rest is read, without a deadline; that read
//     ends by a deadline in the past, before the state changes to idle, and no further read begins before
//     that: TestNetHTTP. TestHalfClosed and TestLaneServesEarlyRequests hold the two
//     uses of the read.
//   - The deadlines of the head and of the request count from the start of a connection,
//     and for further requests from their first bytes: TestNetHTTP, TestLaneLeavesTime,
//     TestLaneSlowHead. IdleTimeout and ReadHeaderTimeout are ReadTimeout by default:
//     TestLaneTimeouts.
//   - A response of known length is written in two pieces, the first of 4,096 bytes
//     (bufferSize): TestNetHTTP.
//   - The header is written sorted, in the spelling of the map, and Date after it:
//     TestLaneIsLikeNetHTTP.
//   - net/http reads a request as Request does: FuzzParse, TestLaneIsLikeNetHTTP.
//   - A connection is closed in two steps, by CloseWrite and Close: TestLaneHalfClosed.
//   - Nothing is sent to a connection whose first read returns io.EOF:
//     TestLaneKeepsAnswersOnClose.
//   - Requests have the TLS state of a connection with a method ConnectionState:
//     TestLaneIsLikeServeTLS.
package lane
