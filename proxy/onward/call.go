package onward

import (
	"net/http"
	"time"
)

// call is one request to a target.
type call struct {
	method, url string
	header      http.Header
	body        []byte
}

// outcome is that of a delivery. If neither done nor refused it is tried again.
type outcome struct {
	done    bool
	refused bool          // the target will not accept it, however often it is sent
	after   time.Duration // that the target demands before the next call
	status  int           // of the response; 0 is none
	reason  string        // without a URL and what the target sent
}
