// Package jsonscan reads JSON in place: it neither decodes nor reformats what it does not
// have to. The package knows nothing of calendars.
//
// Start with [Scanner], which reads the bytes of a response in one pass. [Get], [Members]
// and [Elements] read single values. [Document] finds the JSON among other text in a response.
package jsonscan
