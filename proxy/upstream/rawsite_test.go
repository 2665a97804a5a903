package upstream_test

import (
	"io"
	"net"

	"github.com/calfacade/calfacade/proxy/facadetest"
)

// hangs writes text and then nothing.
func hangs(text string) facadetest.Script {
	return func(s *facadetest.RawSite, c net.Conn, _ int) bool {
		_, _ = io.WriteString(c, text)
		<-s.Ended
		return false
	}
}

var fine = facadetest.Says(facadetest.Response(200, "", facadetest.AnItem), true)
