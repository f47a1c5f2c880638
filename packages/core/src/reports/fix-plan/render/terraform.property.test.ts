/** Whatever a value says, Terraform reads that value and nothing else. */

import { parse } from '@cdktf/hcl2json'
import { tokenizeZone, unescapeOctets } from '@mailgrade/doh/zone'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  PLAN_ZONE,
  panelRecords,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { formatTerraform } from './terraform.js'

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\r', '\t', '\0', '$', '%', '{', '}', '%{if}', '#'),
    fc.constantFrom(
      `$${'{x}'}`,
      'a',
      ' ',
      ';',
      'ü',
      '€',
      '😀',
      '\u2028',
      '\u202e',
      '\u{e0041}',
      '\u007f',
      '\u0085',
      '0',
      '1',
    ),
  ),
  maxLength: 300,
})

/** The octets of strings as a zone file has them. */
function unquoted(text: string): string {
  const strings = tokenizeZone(text).flatMap(({ tokens }) => tokens)
  return strings.map((string) => unescapeOctets(string)?.toString('utf8')).join('')
}

/** Route 53: the outer quotes are not there, octets are in base 8. */
function fromRoute53(text: string): string {
  const inDecimals = text.replace(/\\\\|\\"|\\([0-3][0-7]{2})/g, (whole, octal?: string) =>
    octal ? `\\${Number.parseInt(octal, 8).toString().padStart(3, '0')}` : whole,
  )
  return unquoted(`"${inDecimals}"`)
}

type Body = Readonly<Record<string, unknown>>

/** What a resource has under a key: one text, several, or objects with a text each. */
const textsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .flatMap((item) => (typeof item === 'string' ? item : Object.values(item as Body))) as string[]

const READ: [string, (body: Body) => string[]][] = [
  ['cloudflare', ({ content }) => textsOf(content).map(unquoted)],
  ['ovh', ({ target }) => textsOf(target).map(unquoted)],
  ['digitalocean', ({ value }) => textsOf(value)],
  ['route53', ({ records }) => textsOf(records).map(fromRoute53)],
  ['gcloud', ({ rrdatas }) => textsOf(rrdatas).map(unquoted)],
  ['azure', ({ record }) => textsOf(record)],
  ['hetzner', ({ records }) => textsOf(records).map(unquoted)],
  ['ns1', ({ answers }) => textsOf(answers)],
]

/** In the parser's JSON, as in Terraform's, a sign that begins no expression is doubled. */
const undoubled = (text: string) => text.replace(/([$%])\1\{/g, '$1{')

test.each(READ)('%s', async (hostId, valuesIn) => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (value, other) => {
      const records = panelRecords(
        plannedTxt('acme.test', value, {
          action: 'replace',
          replaces: [`${other}!`],
          otherValues: [other],
        }),
        plannedTxt('b.acme.test', value, { action: 'delete' }),
        plannedTxt('c.acme.test', value, { placeholders: [{ token: other, whereToFind: value }] }),
      )
      const { resource } = await parse('plan.tf', formatTerraform(records, PLAN_ZONE, hostId) ?? '')
      const bodies = Object.values<Record<string, Body[]>>(resource).flatMap((named) =>
        Object.values(named).flat(),
      )
      const isSet = !['cloudflare', 'ovh', 'digitalocean'].includes(hostId)
      const expected = isSet ? [...new Set([other, value])] : [value]
      expect(bodies.map(valuesIn).map((values) => values.map(undoubled))).toEqual([expected])
    }),
    { numRuns: propertyRuns(60) },
  )
})
