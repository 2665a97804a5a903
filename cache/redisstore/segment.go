package redisstore

import "fmt"

// parseSegment reads the result of holdCursor.
func parseSegment(got []any, limit int) (s Segment, err error) {
	if len(got) != 3 && len(got) != 8 {
		return Segment{}, fmt.Errorf("%d values in the answer", len(got))
	}
	if text, _ := got[1].(string); text != "" {
		if s.at, err = parseStreamID(text); err != nil {
			return Segment{}, err
		}
	}
	s.At, s.Held, s.Rejected = s.at.position(), got[0] == int64(1), int(parseCount(got[2]))
	if len(got) == 3 {
		return s, nil // another instance holds it, or there is no log until its follower begins one
	}
	s.added, s.total = parseCount(got[3]), parseCount(got[6])
	var first streamID
	if text, _ := got[4].(string); text != "" {
		if first, err = parseStreamID(text); err != nil {
			return Segment{}, err
		}
	}
	last, _ := got[5].(string)
	if s.end, err = parseStreamID(last); err != nil {
		return Segment{}, err
	}
	if s.Items, err = parseItems(got[7]); err != nil {
		return Segment{}, err
	}
	s.End, s.More = s.end.position(), len(s.Items) == limit
	if s.missed(first) {
		s.Missed, s.Items, s.More = true, nil, false
	}
	return s, nil
}

// missed reports whether records after the cursor may be gone. first is the oldest item that the
// log still has. The rules are those of [tail], but for the epoch: the follower of an instance
// begins each epoch with a mark.
func (s *Segment) missed(first streamID) bool {
	switch {
	case s.at == streamID{}:
		return true // nobody knows what was before
	case s.end.less(s.at), s.at.less(first):
		return true
	case s.More || s.added == 0 || s.total == 0:
		return false // not at the end yet; or Redis 6, which does not count
	}
	return s.total != s.added+int64(len(s.Items))
}

func parseItems(v any) (items []Item, err error) {
	list, _ := v.([]any)
	for _, entry := range list {
		pair, _ := entry.([]any)
		if len(pair) != 2 {
			return nil, fmt.Errorf("an item has %d parts", len(pair))
		}
		text, _ := pair[0].(string)
		id, err := parseStreamID(text)
		if err != nil {
			return nil, err
		}
		items = append(items, newItem(id, pair[1]))
	}
	return items, nil
}

func newItem(id streamID, fields any) Item {
	i := Item{At: id.position(), Mark: true, id: id}
	list, _ := fields.([]any)
	for j := 0; j+1 < len(list); j += 2 {
		value, _ := list[j+1].(string)
		switch list[j] {
		case fieldRecord:
			i.Record, i.Mark = []byte(value), false
		case fieldDecisions:
			i.Mark = false
		}
	}
	return i
}
