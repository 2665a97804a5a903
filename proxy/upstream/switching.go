package upstream

import "net/http"

// finalResponses makes a final response of a 101, which no call requests. The body of a 101 is
// the connection, which net/http neither closes nor limits by the context of the request.
type finalResponses struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t finalResponses) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		return response, err
	}
	_ = response.Body.Close() // it is not used
	response.Body, response.ContentLength = http.NoBody, 0
	return response, nil
}
