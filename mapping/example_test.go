package mapping_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// A request is parsed to its canonical form, from which the key of its response in the cache is made: requests that mean the
// same have the same key.
func ExampleParse() {
	list := mapping.RowOf("events", mapping.List, false)
	for _, query := range []string{
		"categories=12,9&per_page=5&start_date=2027-03-01",
		"start_date=2027-03-01&per_page=05&categories[]=9&categories[]=12&utm_source=mail",
	} {
		values, err := mapping.DecodeForm(query)
		if err != nil {
			fmt.Println(err)
			return
		}
		call, err := mapping.Parse(list, http.MethodGet, mapping.Input{Query: values}, mapping.Drop)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(call.Key("v1", "en"))
	}
	// Output:
	// v1:events.list:en::categories=9%2C12&page=1&per_page=5&start_date=2027-03-01&strict_dates=false
	// v1:events.list:en::categories=9%2C12&page=1&per_page=5&start_date=2027-03-01&strict_dates=false
}

// All faults of a request are reported at once.
func ExampleFaults() {
	values, err := mapping.DecodeForm("per_page=many&start_date=someday")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = mapping.Parse(mapping.RowOf("events", mapping.List, false), http.MethodGet, mapping.Input{Query: values}, mapping.Drop)
	var faults mapping.Faults
	if errors.As(err, &faults) {
		for _, fault := range faults {
			fmt.Println(fault.Param, fault.Code)
		}
	}
	// Output:
	// per_page rest_invalid_param
	// start_date rest_invalid_date
}
