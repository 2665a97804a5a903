#!/usr/bin/env node
// Runs the public test suite for HTTP caches against calfacade, and prints the tables of docs/conformance.md. It needs Go,
// Node.js from version 20 and a clone of https://github.com/http-tests/cache-tests:
//
//	.ci/conformance.mjs CLONE
//
// The exit status is 1 if a test fails that the deviations in the document do not name. Two shims translate: front makes the
// URL of a test an event (with a query: a search for venues), and a write its update; site answers as the legacy does, with
// status, fields and body of the suite's server. Body and fields travel in the title, as hexadecimal digits, which no
// rewriting changes.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
const suite = file => import(path.resolve(process.argv[2], file))
const root = path.join(import.meta.dirname, '..')
const work = fs.mkdtempSync('/tmp/conformance-')
execFileSync('go', ['build', '-o', work, './cmd/calfacade'], { cwd: root })

// serve resolves to the address of a server; without a handler, to an address that is free.
const serve = handler => new Promise(resolve => {
  const server = http.createServer((request, response) => handler(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1', () => {
    resolve(`127.0.0.1:${server.address().port}`)
    if (!handler) server.close()
  })
})

// call resolves to the response of a server, with its body as text.
const call = (address, method, target, headers, body) => new Promise((resolve, reject) => {
  const [host, port] = address.split(':')
  const r = http.request({ host, port, path: target, method, headers, agent: false }, async res => {
    const chunks = await res.toArray().catch(reject)
    resolve({ status: res.statusCode, fields: res.headersDistinct, text: Buffer.concat(chunks ?? []).toString() })
  })
  r.on('error', reject).end(body)
})

const only = (fields, names) => Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
const without = (fields, names) => Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
// Fields that no proxy forwards, that describe one connection or body, and that a cache sets.
const hop = ['connection', 'content-length', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']
const local = ['accept-encoding', 'connection', 'content-length', 'content-type', 'host']
const framing = [...hop, 'content-encoding', 'content-range', 'content-type']
const cached = ['age', 'cache-status', 'date', 'warning']
const targets = [] // URL, responses by the facade's ETag, and the latest request; the number of its item is the index + 1

// front handles a request of the suite's client. All but tests are for the suite's server.
const front = (facade, server) => async (request, response) => {
  const { method, url, headersDistinct: fields } = request
  if (!url.startsWith('/test/')) {
    const got = await call(server, method, url, without(fields, hop), (await request.toArray()).join(''))
    return response.writeHead(got.status, without(got.fields, hop)).end(got.text)
  }
  const target = targets.find(t => t.url === url) ?? { id: targets.length + 1, url, sent: {}, calls: 0 }
  targets[target.id - 1] = Object.assign(target, { method, notes: only(fields, ['req-num', 'test-id', 'test-name']) })
  const body = ['POST', 'PUT'].includes(method) ? '{"title":"cache test"}' : ''
  const headers = { ...without(fields, local), ...body && { 'content-type': 'application/json', 'content-length': body.length } }
  for (const [tag, of] of Object.entries(target.sent)) {
    const opaque = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/.exec(of.fields.etag)?.[1]
    if (opaque && headers['if-none-match']) headers['if-none-match'] = headers['if-none-match'].map(v => v.replaceAll(opaque, tag))
  }
  const item = url.includes('?') ? `venues?search=${encodeURIComponent(url)}` : `events/${target.id}`
  let got, calls
  do { // again while the circuit breaker is open, since tests make the site fail
    if (got) await new Promise(resolve => setTimeout(resolve, 200))
    calls = target.calls
    got = await call(facade, method, `/wp-json/calendar/events/v1/${item}`, headers, body)
  } while (got.status === 503 && target.calls === calls)
  const sealed = /cache-test:([0-9a-f]+):/.exec(got.text)
  if (sealed) target.sent[got.fields.etag] = JSON.parse(Buffer.from(sealed[1], 'hex'))
  let sent = sealed ? target.sent[got.fields.etag] : { fields: without(got.fields, hop), text: got.text }
  const validator = ['cache-control', 'content-location', 'etag', 'expires', 'vary']
  if (got.status === 304) sent = { fields: only(target.sent[got.fields.etag]?.fields ?? {}, validator) }
  response.writeHead(got.status, { ...without(sent.fields, cached), ...only(got.fields, cached) }).end(sent.text)
}

// site handles a call of the facade. It drops the connection if the suite's server does.
const site = server => async (request, response) => {
  const url = new URL(request.url, 'http://site')
  const listed = url.searchParams.get('search')
  const target = targets.find(t => listed ? t.url === listed : t.id === Number(path.basename(url.pathname)))
  const reply = (status, value, fields) => {
    response.writeHead(status, { ...fields, 'content-type': 'application/json; charset=UTF-8' })
    response.end([204, 304].includes(status) ? '' : JSON.stringify(value))
  }
  if (!target) return reply(404, { code: 'rest_no_route', message: 'Text of the site.', data: null })
  target.calls++
  const { id, method } = target
  const first = request.method === 'GET' && !['GET', 'HEAD'].includes(method) // calfacade reads what it is to change
  if (first) return reply(200, { id, title: 'cache test' })
  const got = await call(server, request.method, target.url, { ...without(request.headersDistinct, local), ...target.notes })
  const sent = JSON.stringify({ fields: without(got.fields, hop), text: got.text })
  const title = `cache-test:${Buffer.from(sent).toString('hex')}:`
  const value = listed ? { venues: [{ id, venue: title }], total: 1, total_pages: 1 } : { id, title }
  reply(got.status, got.status < 400 ? value : { code: 'cache-test', message: title }, without(got.fields, framing))
}

console.log = console.error // the suite's server writes to it
const server = await serve()
Object.assign(process.env, { npm_config_protocol: 'http', npm_config_port: server.split(':')[1], npm_config_pidfile: '/dev/null' })
await suite('test-engine/server/server.mjs')
const { runTests } = await suite('test-engine/client/runner.mjs')
const { testResults } = await suite('test-engine/client/test.mjs')
const { default: sections } = await suite('tests/index.mjs')
const columns = [
  { name: 'defaults', without: ['freshness-none'], cache: '{}' },
  { name: 'site_headers', without: [], cache: '{site_headers: obey, ttl: {events: 1s}, stale_while_revalidate: 0s}' }
]
for (const column of columns) {
  const facade = await serve()
  fs.writeFileSync(`${work}/config.yaml`, `{listen: "${facade}", admin_listen: "", public_url: "http://${facade}",
    cache: ${column.cache}, log: {level: error, requests: none},
    languages: [{code: en, root: /wp-json, upstream: "http://${await serve(site(server))}/wp-json"}]}`)
  const program = spawn(`${work}/calfacade`, ['serve', '--config', `${work}/config.yaml`], { stdio: 'inherit' })
  while (!await call(facade, 'GET', '/').catch(() => null)) await new Promise(resolve => setTimeout(resolve, 50))
  const cache = `http://${await serve(front(facade, server))}`
  for (const section of sections) {
    await runTests([structuredClone(section)], false, cache) // apart, since a write of one test purges responses of others
  }
  program.kill()
  column.results = { ...testResults }
  for (const id in testResults) delete testResults[id]
}
fs.rmSync(work, { recursive: true })
for (const { type, file, name, version } of (await suite('results/index.mjs')).default) {
  const results = JSON.parse(fs.readFileSync(path.resolve(process.argv[2], 'results', file)))
  if (type !== 'browser') columns.push({ name: `${name} ${version}`, without: [], results })
}
const tests = sections.flatMap(section => section.tests).filter(t => !t.browser_only)
const passes = (column, id) => column.results[id] === true && (tests.find(t => t.id === id).depends_on ?? [])
  .every(needed => column.without.includes(needed) || passes(column, needed))
// A row of the deviations has patterns, a run or "both", and "no" if the tests do not apply to calfacade, whatever their result.
const table = fs.readFileSync(path.join(root, 'docs/conformance.md'), 'utf8').matchAll(/^\| (`.*`) \| (\w+) \| (yes|no) \|/gm)
const deviations = Array.from(table, ([, names, run, apply]) => ({
  run, apply, pattern: new RegExp(`^(${names.replace(/[` ]/g, '').replaceAll('?', '.').replaceAll('*', '.*').replaceAll(',', '|')})$`)
}))
const byDesign = (column, { id }) => column.cache && deviations.some(d => d.pattern.test(id) &&
  [column.name, 'both'].includes(d.run) && (d.apply === 'no' || !passes(column, id)))
const cell = (column, some) => {
  const design = some.filter(t => byDesign(column, t))
  const passed = some.filter(t => !design.includes(t) && passes(column, t.id))
  const open = some.filter(t => !design.includes(t) && !passed.includes(t))
  for (const { id } of column.cache ? open : []) process.exitCode = console.error(column.name, id, column.results[id]) ?? 1
  return `${passed.length}/${some.length}${design.length ? ` (${design.length})` : ''}`
}
for (const kind of ['required', 'optimal']) {
  const row = cells => process.stdout.write(`| ${cells.join(' | ')} |\n`)
  row([kind, ...columns.map(column => column.name)])
  row(['---', ...columns.map(() => '---')])
  for (const section of [...sections, { name: '**All**', tests }]) {
    const some = section.tests.filter(t => tests.includes(t) && (t.kind ?? 'required') === kind)
    if (some.length) row([section.name, ...columns.map(column => cell(column, some))])
  }
}
process.exit() // the servers
