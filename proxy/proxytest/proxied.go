package proxytest

// Proxied are header fields of a browser's request that ingress-nginx or Envoy forwards,
// beside Host and X-Request-Id: the first nine are a browser's, then those of ingress-nginx
// (template/nginx.tmpl), then those of Envoy with tracing and no sample.
var Proxied = []string{
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Accept: application/json",
	"Accept-Language: en-GB,en;q=0.7,de;q=0.3",
	"Referer: https://www.example.org/calendar/",
	"Cookie: _ga=GA1.1.1094523861.1763800000; consent=necessary%2Cstatistics",
	"DNT: 1",
	"Sec-Fetch-Dest: empty",
	"Sec-Fetch-Mode: cors",
	"Sec-Fetch-Site: same-site",
	"X-Real-IP: 203.0.113.7",
	"X-Forwarded-For: 203.0.113.7",
	"X-Forwarded-Host: calendar.example.org",
	"X-Forwarded-Port: 443",
	"X-Forwarded-Proto: https",
	"X-Forwarded-Scheme: https",
	"X-Scheme: https",
	"X-Envoy-Expected-Rq-Timeout-Ms: 15000",
	"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
}
