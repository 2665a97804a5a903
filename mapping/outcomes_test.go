package mapping

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingDone tests the errors of the recordings odd-create-title--*, odd-create-name-*
// and odd-update-08-slug. After any other error the outcome of a write is not known.
func TestNothingDone(t *testing.T) {
	for body, want := range map[string]int{
		`{"code":"db_insert_error","message":"x"}`:     http.StatusBadRequest,
		`{"message":"x","code":"duplicate_term_slug"}`: http.StatusConflict,
		`{"code":"empty_content"}`:                     http.StatusBadRequest,
		`{"code":"empty_term_name"}`:                   http.StatusBadRequest,
		`{"code":"internal_server_error"}`:             0,
		`{"data":{"code":"empty_content"}}`:            0,
		`{"code":500}`:                                 0,
		`<html>empty_content</html>`:                   0,
		``:                                             0,
	} {
		if got := NothingDone([]byte(body)); got != want {
			t.Errorf("%s: got %d, want %d", body, got, want)
		}
	}
}

// TestCreatedBefore: a write that fails at an inline item may have created those before
// it. An id creates nothing.
func TestCreatedBefore(t *testing.T) {
	const body = `{"title":"T","start_date":"2027-03-01","end_date":"2027-03-01","venue":{"venue":"Hall"},"organizer":[{"organizer":"A ` +
		`\"B\""},7]}`
	call, err := parseBody(t, "events.create", "", "", body)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`venue "Hall"`, `organizer "A \"B\""`}
	if diff := cmp.Diff(want, call.Inline()); diff != "" {
		t.Errorf("inline (-want +got):\n%s", diff)
	}
	for refusal, want := range map[string][]string{
		`{"code":"could-not-create-organizer"}`: want,
		`{"code":"rest_forbidden"}`:             nil,
		`not could-not-create-organizer`:        nil,
	} {
		if diff := cmp.Diff(want, call.CreatedBefore([]byte(refusal))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", refusal, diff)
		}
	}
}

func TestAddToMessage(t *testing.T) {
	for body, want := range map[string]string{
		`{"code":"c","message":"One.","data":{"status":400}}`: `{"code":"c","message":"One. Two \"2\".","data":{"status":400}}`,
		`{"code":"c"}`: `{"code":"c"}`,
		`<html>`:       `<html>`,
	} {
		if got := string(AddToMessage([]byte(body), `Two "2".`)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// keys returns keys instead of texts, with their arguments.
type keys struct{}

func (keys) Text(key string, args map[string]string) string {
	var filled []string
	for _, name := range []string{"Param", "Params", "Min", "Max", "List"} {
		if args[name] != "" {
			filled = append(filled, args[name])
		}
	}
	return strings.TrimSpace(key + " " + strings.Join(filled, " "))
}

func (keys) Join(items []string) string { return strings.Join(items, "+") }

// TestFaultsBody: WordPress's envelope, with every fault. A missing parameter
// determines the code, and the invalid ones are in the details.
func TestFaultsBody(t *testing.T) {
	for _, test := range []struct{ endpoint, query, body, code, want string }{
		{"events.list", "page=0", "", "rest_invalid_param",
			`{"code":"rest_invalid_param","message":"error.rest_invalid_param ` +
				`page","data":{"status":400,"params":{"page":"error.invalid_parameter"},` +
				`"details":{"page":{"code":"rest_out_of_bounds","message":"fault.min page 1","data":{"param":"page"}}}}}`},
		{"events.list", "i18n_language=xx&featured=maybe", "", "rest_invalid_param",
			`{"code":"rest_invalid_param","message":"error.rest_invalid_param featured, i18n_language","data":{"status":400,` +
				`"params":{"featured":"fault.type featured","i18n_language":"fault.enum i18n_language en+fr+de+es"},` +
				`"details":{"featured":{"code":"rest_invalid_type","message":"fault.type featured","data":{"param":"featured"}},` +
				`"i18n_language":{"code":"rest_not_in_enum","message":"fault.enum i18n_language en+fr+de+es","data":null}}}}`},
		{"categories.create", "", `{"slug":"a"}`, "rest_missing_callback_param",
			`{"code":"rest_missing_callback_param","message":"error.rest_missing_callback_param name","data":{"status":400,` +
				`"params":["name"]}}`},
		{"categories.create", "", `{"parent":"x"}`, "rest_missing_callback_param",
			`{"code":"rest_missing_callback_param","message":"error.rest_missing_callback_param name","data":{"status":400,` +
				`"params":["name"],` +
				`"details":{"parent":{"code":"rest_invalid_param","message":"fault.integer parent","data":{"param":"parent"}}}}}`},
	} {
		var err error
		if test.body == "" {
			_, err = parseQuery(t, test.endpoint, test.query)
		} else {
			_, err = parseBody(t, test.endpoint, "", test.query, test.body)
		}
		faults, _ := err.(Faults)
		code, body := faults.Body(keys{})
		if diff := cmp.Diff(test.want, string(body)); diff != "" || code != test.code {
			t.Errorf("%s?%s %s: %s (-want +got):\n%s", test.endpoint, test.query, test.body, code, diff)
		}
	}
}
