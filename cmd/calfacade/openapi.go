package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// documentsFor maps the readers of the document to the function that makes the document for them.
var documentsFor = map[string]func(base, language string, catalog mapping.Texts, extensions bool) []byte{
	"people": func(base, language string, catalog mapping.Texts, _ bool) []byte {
		return openapi.Document(base, language, catalog)
	},
	"client": openapi.ClientDocument,
}

func openAPICommand(p process) *cobra.Command {
	var file, language, reader string
	c := &cobra.Command{
		Use:     "openapi",
		Short:   "Print the OpenAPI document",
		GroupID: groupProgram,
		Long: `Needs no running instance. With --config the document has the public URL of the configuration.

Exit status: 0 on success; 1 if the configuration is wrong; 2 if the arguments are wrong.`,
		Example: `calfacade openapi --config config.yaml > openapi.json
calfacade openapi --lang de
calfacade openapi --for client > openapi.json`,
		Args: exactly(0),
		RunE: func(*cobra.Command, []string) error { return openAPI(p, file, language, reader) },
	}
	configFlag(p, c, &file, ", for the public URL; without it the server is \"/"+mapping.Namespace+"\"")
	c.Flags().StringVar(&language, "lang", i18n.Codes[0], "`CODE` of the language: "+strings.Join(i18n.Codes, ", "))
	c.Flags().StringVar(&reader, "for", "people",
		"`READER` of the document: people (all of it) or client (what generators of clients need)")
	return c
}

// openAPI prints the OpenAPI document, without a running instance.
func openAPI(p process, file, language, reader string) error {
	if !slices.Contains(i18n.Codes, language) {
		return usageError(fmt.Errorf("--lang must be one of %s", strings.Join(i18n.Codes, ", ")))
	}
	write := documentsFor[reader]
	if write == nil {
		return usageError(errors.New("--for must be one of people, client"))
	}
	base := "/" + mapping.Namespace
	extensions := true
	if file != "" {
		cfg, err := p.config(file)
		if err != nil {
			return err
		}
		base = publicBase(cfg, language)
		extensions = cfg.Extensions
	}
	_, err := fmt.Fprintf(p.stdout, "%s\n", write(base, language, i18n.Catalog(language), extensions))
	return err
}

// publicBase returns the URL of the namespace in a language: below its root, or below
// the root of the default language if the language is not configured.
func publicBase(c config.Config, language string) string {
	i := slices.IndexFunc(c.Languages, func(l i18n.Language) bool { return l.Code == language })
	return c.PublicURL + c.Languages[max(i, 0)].Root + "/" + mapping.Namespace
}
