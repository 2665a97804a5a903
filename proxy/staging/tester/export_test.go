package tester

// HashOf is hashOf, for tests.
var HashOf = hashOf
