package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentify(t *testing.T) {
	const bsd = "Redistribution and use in source and\nbinary forms, with or without"
	for text, want := range map[string][]string{
		"                         Apache License\n                       Version 2.0, January 2004": {"Apache-2.0"},
		bsd: {"BSD-2-Clause"},
		bsd + " ... may be used to endorse or promote products":          {"BSD-3-Clause"},
		bsd + "\n---\nPermission is hereby granted, free of\ncharge, to": {"BSD-2-Clause", "MIT"},
		"This product includes software developed by":                    nil,
	} {
		if diff := cmp.Diff(want, license{text: text}.identify()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
