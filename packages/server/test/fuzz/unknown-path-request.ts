/** Addresses where nothing is, and some that look like another. */
import fc from 'fast-check'
import type { FuzzRequest } from './fuzz-request.js'
import { hostileText } from './hostile-texts.js'
import { percentEncode } from './query-strings.js'
import { requestHeaders, toSingleLine } from './request-headers.js'

export const unknownPathRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    target: fc.oneof(
      hostileText.map((text) => `/${toSingleLine(text)}`),
      hostileText.map((text) => `/${percentEncode(text)}`),
      hostileText.map((text) => `/problems/${percentEncode(text)}`),
      hostileText.map((text) => `/assets/${percentEncode(text)}/style.css`),
      fc.constantFrom(
        '//evil.example/v1/check',
        '/v1/../v1/check?domain=good.test',
        '/V1/CHECK?domain=good.test',
        '/%76%31/check?domain=good.test',
        '/v1/check/?domain=good.test',
        '/v1/check%2f?domain=good.test',
        '/docs/..%2f..%2fpackage.json',
        '/assets/x/..%2f..%2f..%2fpackage.json',
        '//evil.example/',
        '/\\evil.example/',
        '/metrics',
        '/.env',
        '/.git/config',
        '/sandbox/chain',
      ),
    ),
    headers: requestHeaders,
  })
  .map((rest) => ({
    method: 'GET',
    payment: null,
    resource: null,
    body: null,
    copies: 1,
    kind: 'elsewhere',
    label: 'other addresses',
    ...rest,
  }))
