package main

import (
	"crypto/sha256"
	"os"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
)

// content returns a hash of the file of a configuration and of the files that its keys name; standard input has the
// zero hash. The call must precede the loading of the configuration, so that a change in between is noticed. A file
// that cannot be read counts as empty: the reload reports the error.
func (p process) content(file string) (hash service.Content) {
	if file == standardInput {
		return hash // never changes
	}
	sum := sha256.New()
	add := func(name string) []byte {
		data, _ := os.ReadFile(name)
		fileHash := sha256.Sum256(data)
		_, _ = sum.Write(fileHash[:]) // never fails
		return data
	}
	for _, name := range config.Files(add(file), p.env) {
		add(name)
	}
	return service.Content(sum.Sum(nil))
}
