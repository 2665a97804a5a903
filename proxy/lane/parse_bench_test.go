package lane

import "testing"

// BenchmarkParse is a head as a client sends it, and as proxies in front make it.
func BenchmarkParse(b *testing.B) {
	const browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: application/json," +
		" text/plain, */*\r\nAccept-Language: es-ES,es;q=0.9,en;q=0.8\r\n"
	for name, head := range map[string]string{
		"plain": plainGet + "\r\n",
		"behind proxies": plainGet + "X-Request-ID: 7f3a91c25d1e4b5e9f270c7f0e3d2a11\r\nX-Real-IP: 198.51.100.7\r\nX-Forwarded-For: " +
			"198.51.100.7\r\nX-Forwarded-Host: api.example.org\r\nX-Forwarded-Port: 443\r\n" +
			"X-Forwarded-Proto: https\r\nX-Forwarded-Scheme: https\r\nX-Scheme: https\r\n" + browser +
			"Sec-Fetch-Mode: cors\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: empty\r\nReferer: https://www.example.org/\r\n\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			var r Request
			head := []byte(head)
			b.ReportAllocs()
			for b.Loop() {
				if !r.readLine(head) || !r.ReadHeader() {
					b.Fatal("refused")
				}
			}
		})
	}
}
