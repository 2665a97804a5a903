package main

// roleOf returns the role that the first argument names; nil if it names none.
func roleOf(args []string) role {
	if len(args) == 0 {
		return nil
	}
	switch args[0] {
	case "origin":
		return serveOrigin
	case "legacy":
		return serveLegacy
	case "bare":
		return serveBare
	case "sockets":
		return serveSockets
	case "minimal":
		return serveMinimal
	case "reverse":
		return serveReverse
	case "facade":
		return serveFacade
	case "fill":
		return measureMemory
	case "follow":
		return followPurges
	case "micro":
		return measureParts
	}
	return nil
}
