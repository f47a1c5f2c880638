import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mtaSts } from './txt-record-formats.js'

/** The ABNF of RFC 8461 §3.1 as a regular expression. */
const DELIMITER = String.raw`[ \t]*;[ \t]*`
const FIELD = '[A-Za-z0-9][A-Za-z0-9_.-]{0,31}=[!-:<>-~]+'
const RECORD = new RegExp(`^v=STSv1(?:${DELIMITER}${FIELD})+(?:${DELIMITER})?$`)

/** The grammar also allows these as extensions, where they contradict the fields of the same name. */
function hasOneIdAndVersion(text: string): boolean {
  const fields = text.split(/[ \t]*;[ \t]*/)
  const ids = fields.filter((field) => field.startsWith('id='))
  const versions = fields.filter((field) => field.startsWith('v='))
  return ids.length === 1 && versions.length === 1 && /^id=[A-Za-z0-9]{1,32}$/.test(ids[0] ?? '')
}

const head = fc.constantFrom(
  ...['v=STSv1; id=1', 'v=STSv1;id=1 ;', 'v=STSv1; x=1; id=1', 'v=STSv1;id=1; x=1'],
  ...['v=STSv1', 'v=STSv1;', 'v=STSv1 ; ', 'v=stsv1; id=1', ' v=STSv1; id=1'],
)
const piece = fc.constantFrom(
  ...['id=1', ';id=2', '; x=1', ' ;y.z=a', ';', '; ', ' ', '\t', '=', ' = ', 'x', 'x=', '-y=1'],
  ...['z=a=b', 'é', '\n', 'id=', 'id=a-b', `id=${'9'.repeat(33)}`, 'ID=1', 'v=STSv1', 'v=STSv2'],
)

test('an MTA-STS record is valid exactly if its ABNF allows it', () => {
  const numRuns = propertyRuns(9_000)
  const seen = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(head, fc.array(piece, { maxLength: 5 }), (start, pieces) => {
      const text = start + pieces.join('')
      const expected = RECORD.test(text) && hasOneIdAndVersion(text)
      seen[expected ? 'valid' : 'invalid'] += 1
      expect(mtaSts.findProblem(text) === null, JSON.stringify(text)).toBe(expected)
    }),
    { numRuns },
  )
  expect(seen.valid).toBeGreaterThan(numRuns * 0.05)
})
