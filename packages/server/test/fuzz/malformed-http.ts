/** Bytes that are no valid request, or several at once. */
import fc from 'fast-check'
import type { FuzzRequest } from './fuzz-request.js'
import { hostileText } from './hostile-texts.js'

const LINES = [
  'GET /v1/mx?domain=good.test HTTP/1.1',
  'GET / HTTP/1.0',
  'GET / HTTP/9.9',
  'GET /',
  'get / http/1.1',
  ' GET / HTTP/1.1',
  'GET  /  HTTP/1.1',
  'GET http://evil.example/v1/mx?domain=good.test HTTP/1.1',
  'GET http:// HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT evil.example:443 HTTP/1.1',
  'PRI * HTTP/2.0',
  '\x16\x03\x01\x02\x00',
  '\0',
  '',
]
const FIELDS = [
  'Host: localhost',
  'Host: evil.example',
  'Host: a\tb',
  'Host: [',
  'Host:',
  'Host: localhost:99999',
  'X-Forwarded-For: 1.2.3.4\r\n folded',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 1\r\nContent-Length: 2',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Transfer-Encoding: x',
  'no colon',
  ': no name',
  'X\0Y: z',
  'X-Fz: \xff\xfe',
  'Name With Space: x',
  'X: a\rb',
  'X-Request-Id: one\r\nX-Request-Id: two',
  'PAYMENT-SIGNATURE: a\r\nPAYMENT-SIGNATURE: b',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA',
]
const BODIES = [
  '',
  'hello',
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  'FFFFFFFFFFFFFFFFF\r\n',
]

const block = fc
  .tuple(
    fc.oneof(fc.constantFrom(...LINES), hostileText),
    fc.array(fc.oneof(fc.constantFrom(...FIELDS), hostileText), { maxLength: 5 }),
    fc.constantFrom(...BODIES),
    fc.constantFrom('\r\n\r\n', '\n\n', '\r\n', ''),
  )
  .map(([line, fields, body, end]) => [line, ...fields].join('\r\n') + end + body)

const many = fc.nat(3_000).map((count) => `GET / HTTP/1.1\r\n${'a:b\r\n'.repeat(count)}\r\n`)

/** `target` holds all bytes to send. */
export const malformedHttpRequest: fc.Arbitrary<FuzzRequest> = fc
  .oneof(
    { weight: 8, arbitrary: block },
    { weight: 1, arbitrary: many },
    { weight: 2, arbitrary: fc.tuple(block, block).map((blocks) => blocks.join('')) },
  )
  .map((target) => ({
    kind: 'raw',
    label: 'malformed HTTP',
    method: '',
    target,
    headers: [],
    payment: null,
    resource: null,
    body: null,
    copies: 1,
  }))
