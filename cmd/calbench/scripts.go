package main

import (
	"fmt"
	"time"
)

// countUp returns a script that numbers the requests: %d of the path grows from the
// number on the command line, modulo limit (0 is none), with a pause before each request.
func countUp(path string, limit int, pause time.Duration) string {
	next := "n = n + 1"
	if limit > 0 {
		next = fmt.Sprintf("n = (n + 1) %% %d", limit)
	}
	script := fmt.Sprintf(`local n = 0
function init(args) n = tonumber(args[1]) end
function request()
  %s
  return wrk.format(nil, string.format(%q, n))
end
`, next, path)
	if pause > 0 {
		script += fmt.Sprintf("function delay() return %d end\n", pause/time.Millisecond)
	}
	return script
}

// mix returns a script that draws the number of the path from zipfKeys by Zipf's law, and
// instead a new number for a share of the requests. They are those of 256 clients, as a
// proxy forwards them: no client may have all the calls to the site. Most are made before
// they are sent, since the client shares its core with the server.
func mix(path string, misses float64) string {
	return fmt.Sprintf(`local path, misses, keys = %q, %g, %d
local n, at, drawn = 0, 0, {}
local function get(number)
  wrk.headers["X-Forwarded-For"] = "198.18.0." .. math.random(0, 255)
  return wrk.format(nil, string.format(path, number))
end
function init(args)
  n = tonumber(args[1])
  math.randomseed(n)
  local sum, upTo = 0, {}
  for i = 1, keys do
    sum = sum + 1 / i
    upTo[i] = sum
  end
  for i = 1, 20000 do
    if math.random() < misses then
      drawn[i] = false
    else
      local want, low, high = math.random() * sum, 1, keys
      while low < high do
        local middle = math.floor((low + high) / 2)
        if upTo[middle] < want then low = middle + 1 else high = middle end
      end
      drawn[i] = get(low - 1)
    end
  end
end
function request()
  at = at %% #drawn + 1
  if drawn[at] then return drawn[at] end
  n = n + 1
  return get(n)
end
`, path, misses, zipfKeys)
}

// zipfKeys is the number of keys that mix draws from.
const zipfKeys = 1000

// identified returns a script whose requests have an X-Request-Id each, as proxies add it.
func identified(path string) string {
	return fmt.Sprintf(`local at, made = 0, {}
function init(args)
  math.randomseed(tonumber(args[1]))
  local function part() return math.random(0, 65535) end
  for i = 1, 1024 do
    wrk.headers["X-Request-Id"] = string.format("%%04x%%04x-%%04x-%%04x-%%04x-%%04x%%04x%%04x", part(), part(), part(), part(), part(), part(), part(), part())
    made[i] = wrk.format(nil, %q)
  end
end
function request()
  at = at %% #made + 1
  return made[at]
end
`, path)
}
