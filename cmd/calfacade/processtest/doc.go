// Package processtest has what tests of several subjects need to run calfacade: the program, built once for each test
// binary (process.go), instances that serve (serving.go), sites (sites.go, versions.go), servers beside them (redis.go, fronts.go),
// clients (client.go), a walk over the table (walk.go), documents and files of the repository (documents.go, files.go), and
// metrics (watching.go).
package processtest
