/** The records in the catalog are valid, and a check attributes each to its service. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { parseKeyRecord } from '../checks/dkim/key-record.js'
import { isDirective, parseSpf } from '../checks/spf/spf-record.js'
import { findServiceByDkimTarget, findServiceBySpfHost, SENDERS } from './mail-services.js'
import { findProviderByMx, MAILBOX_PROVIDERS } from './mailbox-providers.js'
import type { DkimRecordTemplate, RecordTemplate } from './service-setup.js'

const SERVICES = [...MAILBOX_PROVIDERS, ...SENDERS]

/** A service that sends through another one publishes the records of that other one. */
const SENDS_THROUGH: Readonly<Record<string, string>> = {
  workmail: 'ses',
  gorgias: 'mailgun',
}

const HOST = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/
const TOKEN = /\{([^{}]*)\}/g
const COMPUTABLE = ['d', 'dd']

const MX = MAILBOX_PROVIDERS.flatMap(({ id, setup }) => setup.mx.map((mx) => ({ id, mx })))
const SPF = SERVICES.flatMap(({ id, setup }) => setup.spf.map((spf) => ({ id, ...spf })))
const CNAMES = recordsOf('CNAME')
const KEYS = recordsOf('TXT')

describe('mail servers of a provider', () => {
  test.each(MX)('$id: $mx', ({ id, mx }) => {
    const [, host = ''] = /^(?:0|[1-9]\d*) (\S+)$/.exec(filled(mx)) ?? []
    expect(host).toMatch(HOST)
    expect(findProviderByMx(host)?.id).toBe(id)
  })

  test('are in order of preference', () => {
    const isSorted = (numbers: number[]) => numbers.every((n, i) => n >= (numbers[i - 1] ?? 0))
    const preferences = ({ setup }: (typeof MAILBOX_PROVIDERS)[number]) =>
      setup.mx.map((mx) => Number.parseInt(mx, 10))
    expect(MAILBOX_PROVIDERS.filter((row) => !isSorted(preferences(row)))).toEqual([])
  })

  test('are empty for senders', () => {
    expect(SENDERS.filter(({ setup }) => setup.mx.length > 0)).toEqual([])
  })
})

describe('SPF term', () => {
  test.each(SPF)('$id: $term', ({ id, term }) => {
    const { terms } = parseSpf(`v=spf1 ${filled(term)}`)
    const [only] = terms
    if (!only || terms.length > 1 || !isDirective(only)) throw new Error(`not one term: ${term}`)
    const host = only.target?.text ?? ''
    expect(host).toMatch(HOST)
    expect(findServiceBySpfHost(host)?.id).toBe(SENDS_THROUGH[id] ?? id)
  })

  test.each(SPF.filter(({ forMx }) => forMx !== undefined))(
    '$id: for those with mail servers at $forMx, which are its own',
    ({ id, forMx = '' }) => {
      expect(findProviderByMx(forMx.replaceAll('*', 'any'))?.id).toBe(id)
    },
  )

  test('without a region comes last, at most once', () => {
    const rows = SERVICES.filter(({ setup }) =>
      setup.spf.slice(0, -1).some(({ forMx }) => forMx === undefined),
    )
    expect(rows).toEqual([])
  })

  test('is absent for unaligned senders and never regional for senders', () => {
    const useless = SENDERS.filter(
      (row) => row.returnPathAtRoot === 'never' && row.setup.spf.length > 0,
    )
    const regional = SENDERS.filter(({ setup }) => setup.spf.some(({ forMx }) => forMx))
    expect([...useless, ...regional]).toEqual([])
  })
})

describe('DKIM CNAME', () => {
  test.each(CNAMES)('$id: $selector to $value', ({ id, value }) => {
    if (/^\{[^{}]+\}$/.test(value)) return
    expect(filled(value)).toMatch(HOST)
    expect(findServiceByDkimTarget(filled(value))?.id).toBe(SENDS_THROUGH[id] ?? id)
  })
})

describe('DKIM key record', () => {
  test.each(KEYS)('$id: $selector with $value', ({ value }) => {
    const text = value.replace(/\{([a-z0-9-]*-)?public-key\}/, SPKI[2048])
    expect(parseKeyRecord(text)).toMatchObject({ valid: true, keySize: 2048, faults: [] })
  })

  test('has a unique placeholder', () => {
    const tokens = KEYS.map(({ id, value }) => `${id} ${tokensOf(value).join()}`)
    expect(tokens.filter((token, index) => tokens.indexOf(token) !== index)).toEqual([])
  })
})

describe('selector', () => {
  const records = [...CNAMES, ...KEYS]

  test('is a valid name with its placeholders filled', () => {
    expect(records.filter(({ selector }) => !HOST.test(`${filled(selector)}.test`))).toEqual([])
  })

  test('without placeholders is also queried', () => {
    const isSought = ({ id, selector }: (typeof records)[number]) =>
      SERVICES.find((row) => row.id === id)?.selectors.includes(selector)
    expect(records.filter((row) => tokensOf(row.selector).length === 0 && !isSought(row))).toEqual(
      [],
    )
  })

  test('is published once', () => {
    const names = records.map(({ id, selector }) => `${id} ${selector}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

describe('placeholder', () => {
  test.each(SERVICES)('$id: is well-formed', ({ setup }) => {
    const templates = [
      ...setup.mx,
      ...setup.spf.map(({ term }) => term),
      ...(setup.dkim?.records.flatMap(({ selector, value }) => [selector, value]) ?? []),
      ...(setup.mtaSts?.map(({ target }) => target) ?? []),
    ]
    const tokens = templates.flatMap(tokensOf)
    expect(tokens.filter((token) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(token))).toEqual([])
    expect(templates.filter((text) => /[{}]/.test(text.replace(TOKEN, '')))).toEqual([])
  })

  test('does not occur in mail servers or SPF terms', () => {
    const texts = [...MX.map(({ mx }) => mx), ...SPF.map(({ term }) => term)]
    expect(texts.filter((text) => !tokensOf(text).every((t) => COMPUTABLE.includes(t)))).toEqual([])
  })

  test.each(SERVICES.flatMap(({ id, setup }) => (setup.dkim ? [{ id, ...setup.dkim }] : [])))(
    '$id: $where',
    ({ instructions, records }) => {
      expect(records.length).toBeGreaterThan(0)
      expect(instructions).toMatch(/^[A-Z][ -~’]+[^ .]\.$/)
      expect(instructions).not.toMatch(/https?:| {2}|[{}]/)
    },
  )

  test('matches the instructions', () => {
    const told = SERVICES.filter(({ setup }) =>
      setup.dkim?.instructions.startsWith('Nothing is to be'),
    )
    const records = told.flatMap(({ setup }) => setup.dkim?.records ?? [])
    const tokens = records.flatMap(({ selector, value }) => [
      ...tokensOf(selector),
      ...tokensOf(value),
    ])
    expect(tokens.filter((token) => !COMPUTABLE.includes(token))).toEqual([])
  })
})

test('hosted MTA-STS has a CNAME at both names', () => {
  const rows = SERVICES.flatMap(({ setup }) => (setup.mtaSts ? [setup.mtaSts] : []))
  expect(rows.length).toBeGreaterThan(0)
  for (const cnames of rows) {
    expect(cnames.map(({ label }) => label)).toEqual(['_mta-sts', 'mta-sts'])
    expect(cnames.filter(({ target }) => !HOST.test(filled(target)))).toEqual([])
  }
})

function recordsOf(
  type: DkimRecordTemplate['type'],
): (DkimRecordTemplate & { readonly id: string })[] {
  return SERVICES.flatMap(({ id, setup }) =>
    (setup.dkim?.records ?? []).map((record) => ({ id, ...record })),
  ).filter((record) => record.type === type)
}

function tokensOf(template: RecordTemplate): string[] {
  return [...template.matchAll(TOKEN)].map(([, token = '']) => token)
}

/** For acme.test, with an `x` for whatever only the service can tell. */
function filled(template: RecordTemplate): string {
  const values: Readonly<Record<string, string>> = { d: 'acme.test', dd: 'acme-test' }
  return template.replace(TOKEN, (_, token: string) => values[token] ?? 'x')
}
