package rewrite

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// renameParam renames a parameter whose name may be a word of some language, such as
// lang, where an error of WordPress is about it:
//
//	{"message":"Invalid parameter(s): lang","data":{
//	  "params":{"lang":"lang is not one of en and es."},
//	  "details":{"lang":{"message":"lang is not one of en and es.","data":{"param":"lang"}}}}}
//
// All other text stays: in German a title is "zu lang", and some messages quote what a
// client sent.
func renameParam(body []byte, from, to string) []byte {
	if !bytes.Contains(body, []byte(from)) || !aboutParam(body, from) {
		return body
	}
	var out []byte
	copied := 0
	for d := jsonscan.NewDecoder(body); ; {
		if kind := d.PeekKind(); kind != '"' {
			if _, err := d.ReadToken(); err != nil { // the end, for what is no JSON has been refused
				return append(out, body[copied:]...)
			}
			continue
		}
		text, err := d.ReadValue()
		if err != nil {
			return body
		}
		if at := paramIn(string(d.StackPointer()), text, from); at >= 0 {
			at += int(d.InputOffset()) - len(text)
			out = append(append(out, body[copied:at]...), to...)
			copied = at + len(from)
		}
	}
}

// aboutParam reports whether an error has a parameter among those at fault, by name or
// in the list of those that are missing.
func aboutParam(body []byte, name string) bool {
	data := jsonscan.Get(body, "data")
	params := jsonscan.Get(data, "params")
	if params.Kind() == '{' {
		return jsonscan.Get(params, name) != nil
	}
	return slices.ContainsFunc(jsonscan.AsList(params), func(v jsontext.Value) bool { return jsonscan.Text(v) == name })
}

// paramIn returns where the string at a place of an error about a parameter names that;
// -1 if it does not.
func paramIn(place string, text []byte, name string) int {
	found := wordsIn(text, name)
	if len(found) == 0 {
		return -1
	}
	missing, isMissing := strings.CutPrefix(place, "/data/params/")
	_, err := strconv.Atoi(missing)
	switch {
	case place == "/message": // ends with the names
		return found[len(found)-1]
	case isMissing && err == nil,
		place == "/data/params/"+name,
		place == "/data/details/"+name,
		place == "/data/details/"+name+"/message",
		place == "/data/details/"+name+"/data/param":
		return found[0]
	}
	return -1
}
