package cache_test

import (
	"context"
	"fmt"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// A purge of a tag ends all entries that show it.
func ExampleCache_Purge() {
	c := cache.New(cache.Options{})
	defer c.Close()
	ctx := context.Background()

	title := "Old title"
	fetch := func(context.Context, cache.Reason) (cache.Fetched, error) {
		entry := &cache.Entry{Status: 200, Body: []byte(title), Tags: []string{"events:5"}, Life: cache.Life{Fresh: time.Minute}}
		return cache.Fetched{Entry: entry, Store: true}, nil
	}
	serve := func() {
		result, err := c.Serve(ctx, c.ReadLog(), "events/5", fetch)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", result.How, result.Entry.Body)
	}

	serve()
	title = "New title"
	serve()
	c.Purge(ctx, cache.Purge{Tags: []string{"events:5"}})
	serve()
	// Output:
	// uri-miss: Old title
	// hit: Old title
	// uri-miss: New title
}
