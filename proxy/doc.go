// Package proxy is the HTTP side of the facade.
//
// The life of a request, and the files that it passes:
//
//  1. server.go     [Facade.ServeHTTP] gives it an id and a log record
//  2. router.go     language root and path give an endpoint of the table
//  3. request.go    query and body are read within limits, and parsed by the table
//  4. local.go      index, documentation and OPTIONS are answered from the table
//  5. upstream.go   the legacy answers a request made from the call alone
//  6. answer.go     its answer is checked and rewritten
//  7. respond.go    the answer is written; errors.go does so for errors
//
// identity.go says who asks, accesslog.go what is logged, admin.go what an
// operator reaches, explain.go and probe.go what the commands of that name show.
package proxy
