/** The texts of the pages that explain: complete, short and easy to read. */
import { FINDINGS } from '@mailgrade/core'
import { readingGrade } from '@mailgrade/testing/readability'
import { describe, expect, test } from 'vitest'
import { MECHANISM_NAMES, MECHANISMS } from '../../src/web/learn/mechanisms.js'
import { FINDING_IDS } from '../../src/web/page-paths.js'
import { splitSentences, splitWords } from '../support/split-sentences.js'

const MAX_GRADE = 9
const MAX_WORDS = 26

const GUIDES = FINDING_IDS.map((id) => {
  const { title, meaning, steps, check, note = '' } = FINDINGS[id]
  return { id, title, steps, texts: [meaning, ...steps, check, note].filter((text) => text !== '') }
})

const EXPLANATIONS = MECHANISM_NAMES.map((id) => {
  const { what, why, example, otherParts = [], steps } = MECHANISMS[id]
  const meanings = [...example.parts, ...otherParts].map(([, meaning]) => meaning)
  return { id, texts: [...what, ...why, ...meanings, ...steps] }
})

describe.each([...GUIDES, ...EXPLANATIONS])('$id', ({ texts }) => {
  test('is easy to read', () => {
    expect(readingGrade(texts.flatMap(splitSentences))).toBeLessThanOrEqual(MAX_GRADE)
  })

  test('has short sentences', () => {
    const long = texts
      .flatMap(splitSentences)
      .filter((sentence) => splitWords(sentence).length > MAX_WORDS)
    expect(long).toEqual([])
  })

  test('has whole sentences without placeholders', () => {
    // A record to publish ends a sentence without a period, which would be copied with it.
    expect(texts.filter((text) => !/^[`A-Z].*(?:[.?]|: `[^`]+`|: ".+")$/s.test(text))).toEqual([])
    const prose = texts.map((text) => text.replace(/`[^`]*`/g, 'code'))
    expect(prose.filter((text) => /TODO|TBD|XXX|lorem|[{}<>]|\.\.|\s\s/i.test(text))).toEqual([])
    expect(texts.filter((text) => text.split('`').length % 2 === 0)).toEqual([])
  })
})

describe.each(GUIDES)('$id', ({ title, steps }) => {
  test('has a short title of its own', () => {
    expect(title).toMatch(/^[A-Z][^`]{5,70}[^.]$/)
    expect(GUIDES.filter((other) => other.title === title)).toHaveLength(1)
  })

  test('is fixed in two to six steps, the check included', () => {
    expect(steps.length + 1).toBeGreaterThanOrEqual(2)
    expect(steps.length + 1).toBeLessThanOrEqual(6)
  })
})

describe('advice that could stop mail', () => {
  const REMOVES_TEST = /remove `(?:t=y|pct=)`/i
  const removing = GUIDES.filter(
    ({ id, steps }) => id.startsWith('dmarc.') && steps.some((step) => REMOVES_TEST.test(step)),
  )

  test('is to end test mode and pct in two guides', () => {
    expect(removing.map(({ id }) => id)).toEqual(['dmarc.testing', 'dmarc.partial'])
  })

  test.each(removing)('$id needs a month of reports in which DKIM passes first', ({ steps }) => {
    expect(steps.slice(0, 2)).toEqual([
      'Make sure that the record has a `rua=` address and that you read what arrives there. If it has none, add one first.',
      'Read the reports for at least a month. Make sure that all your services pass with DKIM and that none of your mail gets lost.',
    ])
    expect(steps.at(-1)).toMatch(REMOVES_TEST)
  })

  test.each([
    [
      'spf.allows-everyone',
      0,
      'If your DMARC policy is quarantine or reject, set it to `p=none` first. Keep the `rua=` address, or add one.',
    ],
    [
      'spf.allows-everyone',
      3,
      'Once the reports show that all your services pass, restore the DMARC policy.',
    ],
    ['spf.near-miss', 1, 'End it in `~all` for now'],
    ['transport.mta-sts-invalid', 0, 'If there’s no file, delete the record and stop here.'],
    [
      'transport.mta-sts-invalid',
      1,
      'Make sure that the file lists every mail server in your MX records, and set `mode: testing` in it.',
    ],
    ['transport.mta-sts-invalid', 2, 'with a new id'],
    ['plan.domain-is-alias', 0, 'Look up the MX and TXT records of the other name.'],
    [
      'plan.domain-is-alias',
      2,
      'In the same change, publish copies of the MX and TXT records at your domain.',
    ],
    ['dkim.private-key', 1, 'Switch signing to the new selector.'],
    [
      'dkim.private-key',
      2,
      'Delete the record at the selector with the private key, and every record with the public half of the leaked key.',
    ],
    ['dmarc.bad-tags', 1, 'Remove the errors'],
    ['dmarc.bad-tags', 3, 'back only after you’ve checked in the reports that your mail passes'],
    ['dmarc.unknown-tags', 1, 'Otherwise, remove it'],
    [
      'dmarc.unknown-tags',
      2,
      'back only after you’ve checked in the reports that your mail passes',
    ],
    ['mx.missing', 1, 'If the domain neither sends nor receives mail, publish a null MX'],
    [
      'mx.implicit',
      1,
      'If mail arrives at the domain’s own server today, name that server in an MX record',
    ],
  ] as const)('%s, step %i: %s', (id, at, text) => {
    expect(FINDINGS[id].steps[at]).toContain(text)
  })

  test('never promises that "~all" refuses nothing', () => {
    const promises = GUIDES.filter(({ texts }) => /isn’t refused/.test(texts.join(' ')))
    expect(promises).toEqual([])
  })

  test('warns to remove the DS record a day before the DNS host changes', () => {
    expect(MECHANISMS.dnssec.steps.at(-1)).toContain('remove the DS record')
    expect(MECHANISMS.dnssec.steps.at(-1)).toContain('wait a day')
    expect(MECHANISMS.dnssec.why.join(' ')).toContain('If it’s wrong, no one can reach your domain')
    expect(FINDINGS['plan.txt-too-long'].steps.join(' ')).toContain(
      'remove the DS record and wait a day before you change the host',
    )
  })
})

test('no step makes a policy stricter without the reports', () => {
  const stricter = FINDING_IDS.flatMap((id) => {
    const { steps, note = '' } = FINDINGS[id]
    return [...steps, note]
      .filter((text) => /(?:change|move|go back|set).*(?:quarantine|reject)/i.test(text))
      .map((text) => ({ id, text, all: [...steps, note].join(' ') }))
  })
  expect(stricter.length).toBeGreaterThan(8)
  expect(stricter.filter(({ all }) => !/reports|mail passes|without lost mail/.test(all))).toEqual(
    [],
  )
})
