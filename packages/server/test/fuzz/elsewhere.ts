/** Addresses where nothing is, and some that look like another. */
import fc from 'fast-check'
import { headers, inOneLine } from './headers.js'
import type { Plan } from './plan.js'
import { properly } from './queries.js'
import { nasty } from './texts.js'

export const elsewhere: fc.Arbitrary<Plan> = fc
  .record({
    target: fc.oneof(
      nasty.map((text) => `/${inOneLine(text)}`),
      nasty.map((text) => `/${properly(text)}`),
      nasty.map((text) => `/problems/${properly(text)}`),
      nasty.map((text) => `/assets/${properly(text)}/style.css`),
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
    headers,
  })
  .map((rest) => ({
    method: 'GET',
    pay: null,
    asks: null,
    body: null,
    copies: 1,
    kind: 'elsewhere',
    label: 'other addresses',
    ...rest,
  }))
