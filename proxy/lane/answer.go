package lane

import (
	"net/http"
	"time"
)

// remainder has the bytes that were read and are left.
type remainder int

const (
	anything remainder = iota
	partial            // the beginning of a request that the lane may answer
	framed             // one request and nothing else
)

// answerAll answers requests from the beginning of b, and returns the unanswered bytes: all
// after the request at which the connection was closed, too.
func (c *conn) answerAll(b []byte) (unanswered []byte, kind remainder, err error) {
	for len(b) > 0 && c.state.Load() == answering {
		n, incomplete := c.request.parse(b)
		if incomplete {
			return b, partial, nil
		}
		if n == 0 {
			return b, anything, nil
		}
		if answered, err := c.answer(&c.request); err != nil || !answered {
			if n < len(b) {
				return b, anything, err
			}
			return b, framed, err
		}
		b = b[n:]
	}
	return b, anything, nil
}

// answer answers a request, if the Answerer has the response.
func (c *conn) answer(r *Request) (answered bool, err error) {
	if r.beyond {
		return false, nil
	}
	if c.answerer == nil {
		c.answerer = c.lane.answerer(c.RemoteAddr())
	}
	response, ok := c.answerer.Lookup(r)
	if !ok {
		return false, nil
	}
	c.answered = true
	body := 0
	defer func() {
		c.answerer.Done(body, err)
	}()
	body, err = c.write(r.Method, &response)
	return true, err
}

// write sends a response in one system call, and returns the number of bytes of the body that were sent.
func (c *conn) write(method string, r *Response) (body int, err error) {
	now := time.Now()
	c.boundWrite(now)
	c.held = r.Head.append(c.held[:0], r, c.dateAt(now))
	if len(r.Body) > 0 && method != http.MethodHead {
		return c.writeBoth(r.Body)
	}
	_, err = c.raw.Write(c.held)
	c.held = c.held[:0]
	return 0, err
}

// dateAt returns the value of Date, which changes with the second.
func (c *conn) dateAt(now time.Time) []byte {
	if s := now.Unix(); s != c.dateSecond {
		c.dateSecond = s
		c.date = now.UTC().AppendFormat(c.date[:0], http.TimeFormat)
	}
	return c.date
}

func (c *conn) boundWrite(now time.Time) {
	if until, due := renew(c.writeUntil, now, c.lane.server.WriteTimeout); due {
		c.writeUntil = until
		_ = c.SetWriteDeadline(until)
	}
}
