package problem

import (
	"mime"
	"strconv"
	"strings"
)

// IsPreferred reports whether a client prefers problem details to the envelope.
func IsPreferred(accept []string) bool { return Prefers(accept, MediaType) }

// Prefers reports whether a client names a media type and gives it more weight than JSON
// (RFC 9110, 12.5.1). A range such as */* is not enough: a client that does not name the type
// may not know it.
func Prefers(accept []string, mediaType string) bool {
	weights := map[string]float64{}
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			if media, params, err := mime.ParseMediaType(item); err == nil {
				weights[media] = weight(params)
			}
		}
	}
	for _, json := range []string{"application/json", "application/*", "*/*"} {
		if other, ok := weights[json]; ok {
			return weights[mediaType] > other
		}
	}
	return weights[mediaType] > 0
}

// weight returns the q of a media range: 1 if it is absent, 0 if it is invalid.
func weight(params map[string]string) float64 {
	text, ok := params["q"]
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}
