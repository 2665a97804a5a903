package sim

import (
	"fmt"
	"net/http"
	"strings"
)

// webserver answers what the web server before PHP refuses by itself, and reports
// whether it has.
func webserver(w http.ResponseWriter, r *http.Request) bool {
	status, title := 0, ""
	switch {
	case r.Method == http.MethodTrace:
		status, title = http.StatusMethodNotAllowed, "405 Not Allowed"
	case strings.Contains(r.URL.Path, "\x00"):
		status, title = http.StatusBadRequest, "400 Bad Request"
	default:
		return false
	}
	set(w.Header(), "Content-Type", "text/html")
	w.WriteHeader(status)
	page := "<html>\r\n<head><title>%[1]s</title></head>\r\n<body>\r\n<center><h1>%[1]s</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
	_, _ = fmt.Fprintf(w, page, title)
	return true
}
