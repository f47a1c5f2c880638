import { expect, test } from 'vitest'
import { compileFindings } from './compile-findings.js'

const ENTRY = `# mx.lost

- severity: high
- reference: RFC 5321 §5.1
- points: 5

## {hosts|A server} {hosts:is|are} lost

Mail to {domain|your domain}
is lost.

### What to do

1. Find it.
2. Publish \`{domain|example.com} MX 10 mx\`

### How to check

It is back.
`

test('an entry has facts and words, with the values that they need', () => {
  const { entries, values } = compileFindings({ mx: ENTRY })
  expect(entries).toEqual({
    'mx.lost': {
      severity: 'high',
      reference: 'RFC 5321 §5.1',
      mechanism: 'mx',
      points: 5,
      title: '{hosts|A server} {hosts:is|are} lost',
      meaning: 'Mail to {domain|your domain} is lost.',
      steps: ['Find it.', 'Publish `{domain|example.com} MX 10 mx`'],
      check: 'It is back.',
    },
  })
  expect(values).toEqual({ 'mx.lost': ['hosts', 'domain'] })
})

test('a case replaces words of its entry, and may need other values', () => {
  const { cases, values } = compileFindings({
    mx: `${ENTRY}\n# mx.lost (hosted)\n\n### What to do\n\n1. Ask {provider}.\n`,
  })
  expect(cases).toEqual({ 'mx.lost (hosted)': { steps: ['Ask {provider}.'] } })
  expect(values['mx.lost (hosted)']).toEqual(['hosts', 'domain', 'provider'])
})

test.each([
  ['an unknown fact', ENTRY.replace('- points', '- point'), /mx\.lost .*"point"/],
  ['an unknown part', ENTRY.replace('How to check', 'How it works'), /unknown part How it works/],
  ['no check', ENTRY.replace(/### How to check[\s\S]*/, ''), /mx\.lost check: /],
  ['a wrong number', ENTRY.replace('2. ', '3. '), /should be number 2/],
  ['a place without words', ENTRY.replace('{domain|your domain}', '{domain}'), /\{domain\}/],
  ['an id of another area', ENTRY.replace('mx.lost', 'spf.lost'), /spf\.lost does not belong/],
  ['an id that is there already', `${ENTRY}\n${ENTRY}`, /mx\.lost is defined twice/],
  ['a case of no entry', ENTRY.replace('mx.lost', 'mx.lost (hosted)'), /case of no entry/],
])('an entry with %s is rejected', (_, text, fault) => {
  expect(() => compileFindings({ mx: text })).toThrow(fault)
})
