package main

import (
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestFewFiles(t *testing.T) {
	const limits = "Limit                     Soft Limit           Hard Limit           Units\n" +
		"Max processes             7823                 7823                 processes\n" +
		"Max open files            1024                 524288               files\n"
	for text, few := range map[string]bool{
		limits: true, strings.Replace(limits, "1024", "524288", 1): false, strings.Replace(limits, "1024", "unlimited",
			1): false, "": false,
	} {
		core, logged := observer.New(zap.WarnLevel)
		warnOfFewFiles(minimalConfig(t), text, zap.New(core))
		if got := logged.FilterMessageSnippet("few file descriptors").Len() == 1; got != few {
			t.Errorf("logged: %t, limits: %s", got, text)
		}
	}
}
