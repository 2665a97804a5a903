package sim

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// oddPrices are recordings whose price is not imitated, with the reason.
var oddPrices = map[string]string{
	"events/en/update-costs-21-pay-what-you-can": "the currency is before and behind the number, in no position",
}

// TestPrices: prices are shown as by the real site after they were written.
func TestPrices(t *testing.T) {
	compared := 0
	for _, file := range recordedtest.Files(t, "events/en/price-*", "events/en/update-costs-*", "events/en/odd-create-cost-*") {
		x := recordedtest.Read(t, file)
		var written struct{ Cost any }
		var shown struct {
			Cost    string
			Details struct {
				Symbol   string `json:"currency_symbol"`
				Position string `json:"currency_position"`
				Values   []string
			} `json:"cost_details"`
			Linked struct{ Offers struct{ Price string } } `json:"json_ld"`
		}
		request := json.NewDecoder(bytes.NewReader(recordedtest.Text(x.Request.Body)))
		request.UseNumber()
		err := request.Decode(&written)
		if err != nil || written.Cost == nil || x.Response.Status >= 300 || oddPrices[recordedtest.Name(file)] != "" {
			continue
		}
		if err := json.Unmarshal(x.Response.Body, &shown); err != nil {
			t.Fatal(err)
		}
		compared++
		lang := &language{}
		lang.Symbol = "£"
		if strings.Contains(file, "price-") {
			lang.Symbol = "$"
		}
		e := &eventData{}
		e.cost, e.symbol, e.symbolAfter = writtenCost(written.Cost, x.Request.Method == http.MethodPost)
		got := shown
		got.Cost = costText(e, lang)
		if shown.Linked.Offers.Price != "" {
			got.Linked.Offers.Price = offeredPrice(e)
		}
		got.Details.Values = nil
		if err := json.Unmarshal([]byte(encodeJSON(costDetails(e), false)), &got.Details); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shown, got); diff != "" {
			t.Errorf("%s: %v is stored as %q (-want +got):\n%s", file, written.Cost, e.cost, diff)
		}
	}
	if compared < 200 {
		t.Errorf("%d prices compared", compared)
	}
}
