package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// writeBill writes the software bill of materials of a program, in CycloneDX 1.6.
func (r *release) writeBill(_ context.Context, p program) error {
	data, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	main := object{
		"type": "application", "name": "calfacade", "version": p.info.Main.Version,
		"bom-ref": "calfacade", "purl": "pkg:golang/" + p.info.Main.Path + "@" + p.info.Main.Version + "?goarch=" + p.arch + "&goos=" + p.os + "&type=module",
		"hashes":   sha256Hash(sum[:]),
		"licenses": []object{{"license": object{"id": "MIT"}}},
	}
	var components []object
	var refs []string
	for _, m := range p.modules {
		c, err := m.component()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		components = append(components, c)
		refs = append(refs, c["bom-ref"].(string))
	}
	bill := object{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":     object{"timestamp": r.time.Format(time.RFC3339), "component": main},
		"components":   components,
		"dependencies": []object{{"ref": "calfacade", "dependsOn": refs}},
	}
	return r.create(r.name(p)+".cdx.json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(bill)
	})
}

// component describes a module. Its hash is that of go.sum: of the list of its files and
// their hashes.
func (m module) component() (object, error) {
	purl := m.purl()
	c := object{"type": "library", "name": m.name, "version": m.version, "bom-ref": purl, "purl": purl}
	if sum, ok := strings.CutPrefix(m.sum, "h1:"); ok {
		raw, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return nil, err
		}
		c["hashes"] = sha256Hash(raw)
	}
	var ids []string
	for _, l := range m.texts {
		ids = append(ids, l.identify()...)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("unknown license in %s", m.texts[0].file)
	}
	slices.Sort(ids)
	var licenses []object
	for _, id := range slices.Compact(ids) {
		licenses = append(licenses, object{"license": object{"id": id}})
	}
	c["licenses"] = licenses
	return c, nil
}

func (m module) purl() string {
	switch m.name {
	case "std":
		return "pkg:golang/std@" + m.version
	case "swagger-ui":
		return "pkg:npm/swagger-ui-dist@" + m.version
	}
	return "pkg:golang/" + m.name + "@" + m.version
}

func sha256Hash(sum []byte) []object {
	return []object{{"alg": "SHA-256", "content": hex.EncodeToString(sum)}}
}
