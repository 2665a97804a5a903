package lane

import (
	"net"
	"net/http"
	"time"
)

// answerAll answers requests from the beginning of b, and returns the unanswered bytes: all
// after the request at which the connection was closed, too.
func (c *conn) answerAll(b []byte) (unanswered []byte, err error) {
	for len(b) > 0 && !c.closing.Load() {
		n, err := c.answer(b)
		if n == 0 || err != nil {
			return b, err
		}
		b = b[n:]
	}
	return b, nil
}

// answer answers the request at the beginning of b, if the Answerer has the response, and returns the length of the
// request; else 0.
func (c *conn) answer(b []byte) (n int, err error) {
	if !c.request.readLine(b) {
		return 0, nil
	}
	if c.answerer == nil {
		c.answerer = c.lane.answerer(c.RemoteAddr())
	}
	response, ok := c.answerer.Lookup(&c.request)
	if !ok {
		return 0, nil
	}
	body := 0
	defer func() {
		c.answerer.Done(body, err)
	}()
	if !c.enter() {
		return 0, net.ErrClosed
	}
	body, err = c.write(c.request.Method, &response)
	return c.request.length, err
}

// write sends a response in one system call, and returns the number of bytes of the body that were sent.
func (c *conn) write(method string, r *Response) (body int, err error) {
	now := time.Now()
	c.boundWrite(now)
	c.held = r.Head.append(c.held[:0], r, c.dateAt(now))
	if len(r.Body) > 0 && method != http.MethodHead {
		return c.writeBoth(r.Body)
	}
	_, err = c.halfCloser.Write(c.held)
	c.held = c.held[:0]
	return 0, err
}

// dateAt returns the value of Date, which changes with the second.
func (c *conn) dateAt(now time.Time) []byte {
	s := now.Unix()
	if s != c.dateSecond {
		c.dateSecond = s
		c.date = now.UTC().AppendFormat(c.date[:0], http.TimeFormat)
	}
	return c.date
}

func (c *conn) boundWrite(now time.Time) {
	if until, ok := renew(c.writeUntil, now, c.lane.server.WriteTimeout); ok {
		c.writeUntil = until
		_ = c.SetWriteDeadline(until)
	}
}
