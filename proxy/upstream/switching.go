package upstream

import "net/http"

// finalAnswers makes an answer of a 101, which nobody asked for. Its body is the
// connection, which net/http neither closes nor bounds by the context of the request.
type finalAnswers struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t finalAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		return response, err
	}
	_ = response.Body.Close() // nothing of it is of use
	response.Body, response.ContentLength = http.NoBody, 0
	return response, nil
}
