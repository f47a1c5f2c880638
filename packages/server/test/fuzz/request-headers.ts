/** Random request headers: none, ordinary ones and malicious ones. */
import fc from 'fast-check'
import type { FuzzHeader } from './fuzz-request.js'
import { hostileText } from './hostile-texts.js'

const VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: ['*/*', 'application/json', 'text/html', 'text/html,*/*;q=0.8', 'image/png', ';q=9', '*'],
  'Accept-Encoding': [
    'gzip',
    'br',
    'gzip;q=0',
    'identity',
    'gzip, deflate, br',
    '*;q=0',
    'gzip;q=x',
  ],
  Origin: ['http://localhost', 'https://evil.example', 'null', 'http://127.0.0.1:1', 'file://'],
  'X-Forwarded-For': ['10.0.0.1', '::1, 2001:db8::1', '1.2.3.4, , x', 'unknown', '999.1.1.1'],
  'X-Forwarded-Host': ['evil.example'],
  'X-Forwarded-Proto': ['gopher'],
  Forwarded: ['for=evil;host=evil.example'],
  'X-Request-Id': ['fuzz-1', 'a'.repeat(64), 'a'.repeat(65), '<fz>', 'a b', 'x\ty'],
  'If-None-Match': ['*', 'W/"x"', '"', ',,,'],
  'Content-Length': ['0'],
  Expect: ['100-continue'],
  Range: ['bytes=0-1', 'bytes=9-1'],
  'X-HTTP-Method-Override': ['DELETE'],
  Cookie: ['a=b', '__proto__=1'],
  'Accept-Language': ['de', '*'],
  Upgrade: ['websocket', 'h2c'],
  'Access-Control-Request-Method': ['GET', 'PURGE'],
}

const hostileValue = hostileText.map(toSingleLine)

const header: fc.Arbitrary<FuzzHeader> = fc
  .constantFrom(...Object.keys(VALUES))
  .chain((name) =>
    fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom(...(VALUES[name] ?? [''])) },
        { weight: 1, arbitrary: hostileValue },
      )
      .map((value): FuzzHeader => [name, name === 'Content-Length' ? '0' : value]),
  )

export const requestHeaders: fc.Arbitrary<FuzzHeader[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<FuzzHeader[]>([]) },
  { weight: 3, arbitrary: fc.array(header, { maxLength: 4 }) },
)

/** Line breaks are left to malformed-http.ts. */
export function toSingleLine(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ').trim()
}
