package caching_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// missPeer is the process that is backend and client of the proxies.
type missPeer struct {
	backend string // URL
	orders  io.Writer
	results *bufio.Reader
}

// missesPerTurn is the number of requests in one turn of a proxy.
const missesPerTurn = 25

// missVariable names the environment variable with the file that a peer has to send.
const missVariable = "CALFACADE_BENCHMARK_RESPONSE"

func newMissPeer(b *testing.B, response []byte) *missPeer {
	name := filepath.Join(b.TempDir(), "response")
	if err := os.WriteFile(name, response, 0o600); err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), missVariable+"="+name)
	command.Stderr = os.Stderr
	orders, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = orders.Close() // ends the peer
		_ = command.Wait()
	})
	p := &missPeer{orders: orders, results: bufio.NewReader(output)}
	p.backend = "http://" + p.result(b)
	return p
}

// request lets the client make the requests of a turn, and waits for their end.
func (p *missPeer) request(b *testing.B, address, target string, number int) {
	if _, err := fmt.Fprintf(p.orders, "%s %s %d\n", address, target, number); err != nil {
		b.Fatal(err)
	}
	if result := p.result(b); result != "done" {
		b.Fatal(result)
	}
}

func (p *missPeer) result(b *testing.B) string {
	line, err := p.results.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// runMissPeer is the peer: it prints the address of the backend, and executes the orders of its input.
func runMissPeer(responseFile string) {
	response, err := os.ReadFile(responseFile)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go serveReady(listener, response)
	fmt.Println(listener.Addr())
	clients := map[string]*missClient{}
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		var address, target string
		var number int
		if _, err := fmt.Sscan(orders.Text(), &address, &target, &number); err != nil {
			log.Fatal(err)
		}
		if clients[address] == nil {
			clients[address] = dialMisses(address)
		}
		for i := range missesPerTurn {
			clients[address].get(fmt.Sprintf("%s&search=%d", target, number+i))
		}
		fmt.Println("done")
	}
}

// serveReady answers every request with the same bytes.
func serveReady(listener net.Listener, response []byte) {
	for {
		c, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			for reader := bufio.NewReader(c); ; {
				line, err := reader.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(line) <= len("\r\n") {
					_, _ = c.Write(response)
				}
			}
		}()
	}
}

// missClient is one connection to a proxy.
type missClient struct {
	net.Conn
	reader *bufio.Reader
}

func dialMisses(address string) *missClient {
	c, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	return &missClient{Conn: c, reader: bufio.NewReaderSize(c, 64<<10)}
}

func (c *missClient) get(target string) {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n", target); err != nil {
		log.Fatal(err)
	}
	res, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	if hit := strings.Contains(res.Header.Get("Cache-Status"), "hit"); err != nil || hit || res.StatusCode != http.StatusOK ||
		res.Header.Get("Content-Encoding") != "gzip" {
		log.Fatalf("%s: %s %v %v", target, res.Status, res.Header, err)
	}
}
