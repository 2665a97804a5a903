package contract_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestRecordings sends every recorded request under the namespace, translated,
// through a facade before a legacy that answers with the recording.
func TestRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	var current facadetest.RecordedExchange
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Reply(w, r) }))
	defer legacy.Close()
	facade := httptest.NewServer(proxy.New(facadetest.RecordingOptions(legacy.URL)))
	defer facade.Close()

	compared := 0
	differences := facadetest.ReadDifferences(t, "testdata/recordings_differ.txt")
	for _, file := range facadetest.RecordedFiles(t) {
		current = facadetest.ReadRecording(t, file)
		target, ok := current.Target()
		expected := facadetest.DifferenceOf(differences, current.File)
		if expected != nil && expected.Skipped {
			expected.Used = true
			continue
		}
		if !ok {
			continue
		}
		compared++
		t.Run(current.File, func(t *testing.T) {
			res, body := send(t, facade.URL, target, current)
			facadetest.CheckLeaks(t, res.Header, body)
			facadetest.CheckContract(t, facadetest.Full, current.Method(), target, res, body)
			current.Compare(t, res, body, expected)
		})
	}
	for _, d := range differences {
		if !d.Used {
			t.Errorf("testdata/recordings_differ.txt: nothing differs as %s", d.Pattern)
		}
	}
	t.Logf("%d recordings compared", compared)
	if compared < 2200 {
		t.Errorf("only %d recordings compared", compared)
	}
}

func send(t *testing.T, base, target string, rec facadetest.RecordedExchange) (*http.Response, []byte) {
	t.Helper()
	return facadetest.SendBody(t, base, target, rec, bytes.ReplaceAll(recordedtest.Text(rec.Request.Body), []byte("wpml_language"),
		[]byte("i18n_language")))
}
