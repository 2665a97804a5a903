// Package tester makes and checks the tokens with which testers reach the candidate of a
// migration before clients do. A token is signed with a key that all instances share, so that
// each instance can check it without asking another.
//
// Start with [Pass] in pass.go, which is what a token permits. token.go signs and opens tokens;
// testers.go finds the token of a request; page.go is the page on which a browser gets its
// cookie.
package tester
