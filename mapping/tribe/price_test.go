package tribe

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/recordedtest"

	"github.com/calfacade/calfacade/mapping"
)

// recordedPrices are the forms of prices that were recorded, price-FORM-1-read: the value in an update that does not
// name cost, and whether it says that the price may not stay.
var recordedPrices = []struct{ forms, currencies, value, result string }{
	// One amount: the text as it is shown, with the event's own currency and without the calendar's.
	{"plain code symbol-before symbol-behind", "pound-prefix", `"£12"`, "kept"},
	{"plain code symbol-before symbol-behind", "euro-suffix", `"12€"`, "kept"},
	{"plain code symbol-before symbol-behind", "no-symbol", `"12"`, "kept"},
	{"decimal", "pound-prefix", `"£12.50"`, "kept"},
	{"decimal", "euro-suffix", `"12.50€"`, "kept"},
	{"decimal", "no-symbol", `"12.50"`, "kept"},
	{"words-and-number", "pound-prefix", `"£10"`, "kept"}, // "From 10", which is not shown
	{"words-and-number", "euro-suffix", `"10€"`, "kept"},
	{"words-and-number", "no-symbol", `"10"`, "kept"},
	// Beside a comma no currency is read.
	{"comma", "pound-prefix", `"£12.50"`, "lossy"},
	{"comma", "euro-suffix", `"12.50€"`, "lossy"},
	{"comma", "no-symbol", `"12,50"`, "kept"},
	{"thousands", "pound-prefix", `"£1200"`, "lossy"},
	{"thousands", "euro-suffix", `"1200€"`, "lossy"},
	{"thousands", "no-symbol", `"1,200"`, "kept"},
	// Nothing, zero, words.
	{"empty none", "pound-prefix euro-suffix no-symbol", ``, "kept"},
	{"zero", "pound-prefix", `"£0"`, "kept"},
	{"zero", "euro-suffix", `"0€"`, "kept"},
	{"zero", "no-symbol", `"0"`, "kept"},
	{"free-word", "pound-prefix euro-suffix", `"Free"`, "lossy"},
	{"free-word", "no-symbol", `"Free"`, "kept"},
	{"words", "pound-prefix euro-suffix", `"Donation"`, "lossy"},
	{"words", "no-symbol", `"Donation"`, "kept"},
	// A text and two rows are shown alike.
	{"range range-tight range-en-dash range-symbols two-rows two-rows-symbols", "pound-prefix", `["£5","£25"]`, "lossy"},
	{"range range-tight range-en-dash range-symbols two-rows two-rows-symbols", "euro-suffix", `["5€","25€"]`, "lossy"},
	{"range range-tight range-en-dash range-symbols two-rows two-rows-symbols", "no-symbol", `"5 - 25"`, "kept"},
	{"three-rows", "pound-prefix", `["£5","£10","£25"]`, "kept"},
	{"three-rows", "euro-suffix", `["5€","10€","25€"]`, "kept"},
	{"three-rows", "no-symbol", `["5","10","25"]`, "kept"},
	{"mixed", "pound-prefix", `"£10"`, "lossy"},
	{"mixed", "euro-suffix", `"10€"`, "lossy"},
	{"mixed", "no-symbol", `["free","10"]`, "kept"},
	{"list-text list-text-blank", "pound-prefix", `"£5,£25"`, "kept"},
	{"list-text list-text-blank", "euro-suffix", `"25€"`, "lossy"},
	{"list-text list-text-blank", "no-symbol", `"5, 25"`, "kept"},
}

// priceOf returns the price that a recorded response shows, with ¤ for the currency of the recorded calendar.
func priceOf(t *testing.T, x recordedtest.Exchange, calendar string) (cost string, details jsontext.Value) {
	t.Helper()
	body := x.Sent()
	details = jsonscan.Get(body, "cost_details")
	cost = jsonscan.Text(jsonscan.Get(body, "cost"))
	if jsonscan.Text(jsonscan.Get(details, mapping.CostSymbolName)) == "" {
		cost = strings.ReplaceAll(cost, calendar, "¤")
	}
	return cost, details
}

// TestRecordedPrices checks for each recorded form the value that an update sends for a price that it does not name, and with the
// recorded responses to the same text that a price which counts as kept is shown as before.
func TestRecordedPrices(t *testing.T) {
	responses := priceResponses(t)
	forms := recordedtest.Files(t, "events/en/price-*-1-read")
	checked := 0
	for _, test := range recordedPrices {
		for _, form := range strings.Fields(test.forms) {
			for _, currency := range strings.Fields(test.currencies) {
				name := "price-" + form + "-" + currency
				i := slices.IndexFunc(forms, func(file string) bool { return filepath.Base(file) == name+"-1-read.json" })
				if i < 0 {
					t.Fatalf("no recording of %s", name)
				}
				checked++
				t.Run(name, func(t *testing.T) {
					cost, details := priceOf(t, recordedtest.Read(t, forms[i]), "$")
					v := preservedPrice(cost, details)
					got := v.json
					result := "kept"
					if v.text == "" {
						got = ""
					}
					if v.lossy {
						result = "lossy"
					}
					if got != test.value || result != test.result {
						t.Fatalf("sends %s, %s; want %s, %s", got, result, test.value, test.result)
					}
					response, recorded := responses[got]
					switch {
					case result == "lossy":
					case unrecorded[got] != "" && !recorded, got == "":
					case !recorded:
						t.Errorf("no recorded response to %s", got)
					case response[0] != cost || !samePriceDetails(cost, details, jsontext.Value(response[1])):
						t.Errorf("%s %s becomes %s %s", cost, details, response[0], response[1])
					}
				})
			}
		}
	}
	if len(forms) != 69 || checked != len(forms) {
		t.Errorf("%d of %d forms", checked, len(forms))
	}
}

// unrecorded are prices that were not sent in a recording, with the recorded sibling.
var unrecorded = map[string]string{
	`"0€"`:               "update-costs-12-pound-0",
	`["£5","£10","£25"]`: "price-keep-pound-prefix-list-symbols-1",
	`["5€","10€","25€"]`: "price-keep-euro-suffix-list-symbols-1",
}

// storedRow is the note of a price that is stored as one row, without a currency.
var storedRow = regexp.MustCompile(`^stored: _EventCost=\["([^"\\]*)"\]; _EventCurrencySymbol=\[(?:"")?\]`)

// priceResponses returns the prices that the site shows after an update, by the JSON of the cost that was sent. A text without
// a currency is stored as it is sent, so an event that has it stored shows the same.
func priceResponses(t *testing.T) map[string][2]string {
	t.Helper()
	responses := map[string][2]string{}
	for _, file := range recordedtest.Files(t, "events/en/price-*", "events/en/update-costs-*") {
		x := recordedtest.Read(t, file)
		calendar := "$"
		if strings.Contains(file, "update-costs-") {
			calendar = "£"
		}
		key := ""
		if cost := jsonscan.Get(recordedtest.Text(x.Request.Body), "cost"); cost != nil && x.Request.Method != http.MethodPost {
			if err := cost.Compact(); err != nil {
				t.Fatal(err)
			}
			key = string(cost)
		} else if row := storedRow.FindStringSubmatch(x.Note); row != nil {
			key = jsonscan.Quote(row[1])
		}
		price, details := priceOf(t, x, calendar)
		responses[key] = [2]string{price, string(details)}
	}
	return responses
}

// TestLossyPrice: a price that may not stay is drift though it is shown as before, unless the client names it.
func TestLossyPrice(t *testing.T) {
	const item = `{"id":5,"title":"T","status":"publish","cost":"£5 – £25","cost_details":{"currency_symbol":"£","currency_code":"GBP",` +
		`"currency_position":"suffix","values":["5","25"]}}`
	for body, want := range map[string]string{`{"title":"T"}`: "[{cost changed}]", `{"title":"T","cost":"£5 – £25"}`: "[]"} {
		call := parseBody(t, "events.update", "5", "", body)
		done, err := send(legacy, call, nil, respondWith(item))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(Drift(legacy, call, done.call, []byte(strings.Replace(item, "suffix", "postfix", 1)))); got != want {
			t.Errorf("%s: drift %s, want %s", body, got, want)
		}
		if got := done.call.Losses() != nil; got != (want != "[]") {
			t.Errorf("%s: losses %v", body, done.call.Losses())
		}
	}
}
