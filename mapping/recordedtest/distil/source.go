package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// recordedHost is the host of all sites in recordings.
const recordedHost = "legacy.example"

// source is a recording that is not distilled.
type source struct {
	name     string // "events/en/list-3.json"
	data     []byte
	exchange recordedtest.Exchange
}

// readSources reads a directory, sorted by name.
func readSources(dir string) ([]source, error) {
	if data, err := os.ReadFile(filepath.Join(dir, "recording.json")); err == nil {
		return readRecorded(dir, data)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no recordings in %s", dir)
	}
	var sources []source
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s := source{name: recordedtest.Name(file) + ".json", data: data}
		if err := json.Unmarshal(data, &s.exchange); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// recordedSite is the part of recording.json that names the roots.
type recordedSite struct {
	Backends []struct {
		Name  string
		Roots []recordedRoot
	}
}

type recordedRoot struct{ Language, URL string }

// recordedCall is a file of "calfacade record".
type recordedCall struct {
	Root, Method, Path, Query string
	Status                    int
	Header                    map[string][]string
	Body                      json.RawMessage
	BodyText                  string `json:"body_text"`
}

// readRecorded reads a directory of "calfacade record". The host of the site becomes legacy.example.
func readRecorded(dir string, description []byte) ([]source, error) {
	var site recordedSite
	if err := json.Unmarshal(description, &site); err != nil {
		return nil, err
	}
	roots := map[string]recordedRoot{}
	for i, backend := range site.Backends {
		for _, root := range backend.Roots {
			roots[backend.Name+"."+root.Language] = root
			if i == 0 { // the legacy
				roots[root.Language] = root
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var call recordedCall
		if err := json.Unmarshal(data, &call); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		address, err := url.Parse(roots[call.Root].URL)
		if err != nil || address.Host == "" {
			return nil, fmt.Errorf("%s: no root %q", file, call.Root)
		}
		parts := strings.Split(strings.TrimPrefix(filepath.Base(file), call.Root+"."), ".") // method, resource, hash, json
		sources = append(sources, call.source(fmt.Sprintf("%s/%s/%.16s.json", parts[1], roots[call.Root].Language, parts[2]), address))
	}
	return sources, nil
}

// source returns a call below a root in the form of the recordings.
func (c *recordedCall) source(name string, root *url.URL) source {
	s := source{name: name}
	s.exchange.Request.Method = c.Method
	s.exchange.Request.Path = strings.TrimSuffix(root.RequestURI()+c.Path+"?"+c.Query, "?")
	s.exchange.Response.Status = c.Status
	s.exchange.Response.Headers = map[string]any{}
	for field, values := range c.Header {
		s.exchange.Response.Headers[field] = strings.Join(values, ", ")
	}
	s.exchange.Request.Headers = map[string]string{}
	if c.Body != nil {
		var raw bytes.Buffer
		if err := json.Compact(&raw, c.Body); err != nil {
			panic("BUG: " + err.Error())
		}
		s.exchange.Response.Body = c.Body
		s.exchange.Response.BodyRaw = raw.String()
		s.exchange.Response.Headers["Content-Type"] = "application/json; charset=UTF-8" // the form of the file implies the type
	} else {
		s.exchange.Response.Body = json.RawMessage(plainQuote(c.BodyText))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(s.exchange); err != nil {
		panic("BUG: " + err.Error())
	}
	s.data = bytes.ReplaceAll(out.Bytes(), []byte(root.Host), []byte(recordedHost))
	return s
}
