package tec

import (
	"fmt"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// termsOf makes the terms of a list of ids, without those that the client may not read.
func termsOf(resource string) maker {
	return func(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
		var terms []string
		ids, _ := jsonscan.Elements(v)
		for _, one := range ids {
			if term, ok := m.beside[resource][string(one)]; ok {
				made, err := m.shaped(resource, shapes[embeddedTerm], term)
				if err == nil {
					terms = append(terms, string(made))
				}
			}
		}
		return jsontext.Value("[" + strings.Join(terms, ",") + "]")
	}
}

// several makes a list of items.
func several(resource string) maker {
	return func(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
		items, _ := jsonscan.Elements(v)
		made := make([]string, 0, len(items))
		for _, item := range items {
			if one, err := m.item(resource, item); err == nil {
				made = append(made, string(one))
			}
		}
		return jsontext.Value("[" + strings.Join(made, ",") + "]")
	}
}

// oneOrSeveral makes a list of venues, or a single venue without a list.
func oneOrSeveral(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	list := several("venues")(m, "", nil, v)
	if items, _ := jsonscan.Elements(list); len(items) == 1 {
		return items[0]
	}
	return list
}

// image makes the image of an item; false if there is none, or the client may not read it.
func image(m *converter, _ string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	media := m.beside[""][string(v)]
	file, about := jsonscan.Get(media, "source_url"), jsonscan.Get(media, "media_details")
	if file == nil {
		return jsontext.Value("false")
	}
	extension := strings.TrimPrefix(path.Ext(jsonscan.Text(file)), ".")
	out := fmt.Sprintf(`"url":%s,"id":%s,"extension":%s`, file, v, jsonscan.Quote(extension))
	for _, name := range []string{"width", "height", "filesize"} {
		if n := jsonscan.Get(about, name); n != nil {
			out += "," + jsonscan.Quote(name) + ":" + string(n)
		}
	}
	return jsontext.Value("{" + out + `,"sizes":` + imageSizes(jsonscan.Get(about, "sizes")) + "}")
}

// someImage leaves the attribute out if there is no image.
func someImage(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	if made := image(m, resource, item, v); made.Kind() == jsontext.KindBeginObject {
		return made
	}
	return nil
}

// imageSizes returns the smaller versions of an image; "full" is the image itself.
func imageSizes(v jsontext.Value) string {
	sizes := []string{}
	_ = jsonscan.EachMember(v, func(name string, size jsontext.Value) error { // a list has none
		width, height := jsonscan.Get(size, "width"), jsonscan.Get(size, "height")
		if name == "full" || width == nil || height == nil {
			return nil
		}
		out := fmt.Sprintf(`"width":%s,"height":%s`, width, height)
		for _, pair := range [][2]string{{"mime-type", "mime_type"}, {"filesize", "filesize"}, {"url", "source_url"}} {
			if value := jsonscan.Get(size, pair[1]); value != nil {
				out += "," + jsonscan.Quote(pair[0]) + ":" + string(value)
			}
		}
		sizes = append(sizes, jsonscan.Quote(name)+":{"+out+"}")
		return nil
	})
	return "{" + strings.Join(sizes, ",") + "}"
}
