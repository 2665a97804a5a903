package statuspage

import "github.com/calfacade/calfacade/proxy/admin"

// action is what a button of the page does after confirmation.
type action struct {
	Do   string // one of the words below
	Soft bool
	Tags []string

	Form     string // of the session
	Question string
	Hint     string
	Back     string // the page that the form is on

	change admin.StagingChange
	Split  string   // why the change needs force; "" if it does not
	Lines  []string // one line for each cell that changes
	Fields []field  // hidden, they repeat the change
}

// field is a hidden field of a form.
type field struct{ Name, Value string }

// The actions, as forms name them.
const (
	purgeAll  = "purge-all"
	purgeTags = "purge-tags"
	readOnly  = "read-only"
	readWrite = "read-write"
	setStage  = "stage"
)

// doneTexts are the notices after an action.
var doneTexts = map[string]string{
	purgeAll:  "Everything was purged.",
	purgeTags: "The tags were purged.",
	readOnly:  "Writes are refused now.",
	readWrite: "Writes are accepted again.",
	setStage:  "Staging was changed.",
}
