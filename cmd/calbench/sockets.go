package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"strconv"
)

// serveSockets is what a hit costs any program that leaves its sockets to Go's runtime: a
// goroutine for each connection reads until a blank line and writes a whole response, of the
// list if the target has a query. It parses nothing, and has no deadlines. The files are those
// of bare.
func serveSockets(ctx context.Context, p process) error {
	var list, single string
	if err := p.flags(func(f *flag.FlagSet) {
		f.StringVar(&list, "list", "", "")
		f.StringVar(&single, "single", "", "")
	}); err != nil {
		return err
	}
	var s sockets
	var problems [2]error
	s.list, problems[0] = messagesIn(list)
	s.single, problems[1] = messagesIn(single)
	if err := errors.Join(problems[:]...); err != nil {
		return err
	}
	return listen(ctx, p, s.accept)
}

// messages are a response, plain and compressed, with its head.
type messages struct{ plain, gzip []byte }

func messagesIn(file string) (m messages, err error) {
	h, body, err := answerIn(file)
	if err != nil {
		return m, err
	}
	m.plain = message(h, body)
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	_, err = z.Write(body)
	h.Set("Content-Encoding", "gzip")
	err = errors.Join(err, z.Close())
	m.gzip = message(h, compressed.Bytes())
	return m, err
}

func message(h http.Header, body []byte) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_ = h.Write(&b)
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

type sockets struct{ list, single messages }

func (s sockets) accept(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.answer(c)
	}
}

func (s sockets) answer(c net.Conn) {
	defer func() { _ = c.Close() }()
	buffer := make([]byte, 4096)
	for n := 0; n < len(buffer); {
		m, err := c.Read(buffer[n:])
		if n += m; err != nil {
			return
		}
		request := buffer[:n]
		if !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
			continue
		}
		if _, err := c.Write(s.of(request)); err != nil {
			return
		}
		n = 0
	}
}

func (s sockets) of(request []byte) []byte {
	target, fields, _ := bytes.Cut(request, []byte("\r\n"))
	m := s.single
	if bytes.IndexByte(target, '?') >= 0 {
		m = s.list
	}
	if bytes.Contains(fields, []byte("Accept-Encoding: gzip\r\n")) {
		return m.gzip
	}
	return m.plain
}
