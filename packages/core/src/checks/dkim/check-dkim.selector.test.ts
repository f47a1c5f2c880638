import { describe, expect, test } from 'vitest'
import {
  checkDkimZone,
  GOOD_KEY_RECORD,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
} from '../../../test/support/dkim-fixture.js'

const selector = 'mine'

describe('requested selector', () => {
  test('is the only one queried', async () => {
    const { report, ids, queries } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('mine') + keyZoneLine('s1'),
      { selector },
    )
    expect(queries).toEqual(['MX acme.test', 'TXT mine._domainkey.acme.test'])
    expect(report).toMatchObject({
      status: 'pass',
      presence: 'present',
      keys: [{ selector: 'mine' }],
      selectorsTried: ['mine'],
      wildcard: null,
    })
    expect(ids).toEqual([])
  })

  test('without a key is reported', async () => {
    for (const other of [
      keyZoneLine('s1'),
      keyZoneLine('mine', 'hello'),
      keyZoneLine('below.mine'),
    ]) {
      const { report, issues } = await requireDkimReport(SENDING_ZONE + other, { selector })
      expect(report).toMatchObject({ status: 'fail', presence: 'absent', keys: [] })
      expect(issues).toMatchObject([
        {
          id: 'dkim.selector-not-found',
          severity: 'high',
          title: expect.stringMatching(/ mine$/),
          detail: expect.stringMatching(/ mine\._domainkey\.acme\.test.*any other selectors\.$/),
          fix: expect.stringMatching(/ at mine\._domainkey\.acme\.test\.$/),
        },
      ])
    }
  })

  test('that is revoked is reported', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('mine', 'v=DKIM1; p='),
      { selector },
    )
    expect(report).toMatchObject({ presence: 'absent', keys: [{ revoked: true }] })
    expect(ids).toEqual(['dkim.revoked'])
  })

  test('with a broken record reports the record', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('mine', 'v=DKIM1; p=x'),
      { selector },
    )
    expect(report).toMatchObject({ presence: 'absent', keys: [{ valid: false }] })
    expect(ids).toEqual(['dkim.malformed'])
  })

  test('with a dangling CNAME reports the CNAME', async () => {
    const { report, ids } = await requireDkimReport(
      `${SENDING_ZONE} mine._domainkey.acme.test. CNAME selector1-x._domainkey.x.onmicrosoft.com.`,
      { selector },
    )
    expect(report.presence).toBe('absent')
    expect(ids).toEqual(['dkim.dangling-cname'])
  })

  test('may have several labels', async () => {
    const { report } = await requireDkimReport(SENDING_ZONE + keyZoneLine('eu.mine'), {
      selector: 'eu.mine',
    })
    expect(report.keys).toMatchObject([{ name: 'eu.mine._domainkey.acme.test', valid: true }])
  })

  test('accepts a wildcard’s key', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', GOOD_KEY_RECORD),
      { selector },
    )
    expect(report).toMatchObject({ presence: 'present', wildcard: null, keys: [{ valid: true }] })
    expect(ids).toEqual([])
  })

  test('accepts a wildcard’s revocation', async () => {
    const zone = SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', 'v=DKIM1; p=')
    const { report, ids } = await requireDkimReport(zone, { selector })
    expect(report).toMatchObject({ presence: 'absent', wildcard: null, keys: [{ revoked: true }] })
    expect(ids).toEqual(['dkim.revoked'])
  })

  test.each(['MX acme.test', 'TXT mine._domainkey.acme.test'])(
    'there is no verdict when %s fails',
    async (question) => {
      const story = { selector, failing: { [question]: 'timeout' as const } }
      const { checked } = await checkDkimZone(SENDING_ZONE + keyZoneLine('mine'), story)
      expect(checked).toMatchObject({
        kind: 'unavailable',
        query: { type: question.split(' ')[0], name: question.split(' ')[1] },
      })
    },
  )
})

describe('selectors in addition to the usual ones', () => {
  const also = (...alsoSelectors: readonly string[]) => ({ alsoSelectors })

  test('are queried first and count like a found key', async () => {
    const { report, ids, queries } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('mine'),
      also('mine', 'google', 'mine'),
    )
    expect(report).toMatchObject({ presence: 'present', keys: [{ selector: 'mine', valid: true }] })
    expect(report.selectorsTried.slice(0, 3)).toEqual(['mine', 'google', 'selector1'])
    expect(new Set(queries).size).toBe(queries.length)
    expect(ids).toEqual(['dkim.selector-not-found'])
  })

  test('without a key leave the presence to the others', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1') + keyZoneLine('old', 'v=DKIM1; p='),
      also('mine', 'old', 's1'),
    )
    expect(report).toMatchObject({ status: 'fail', presence: 'present' })
    expect(issues).toMatchObject([
      {
        id: 'dkim.selector-not-found',
        title: expect.stringMatching(/ mine and old$/),
        detail: expect.not.stringContaining('other selectors'),
        fix: expect.stringMatching(
          /publish it at mine\._domainkey\.acme\.test and old\._domainkey\.acme\.test\.$/,
        ),
        evidence: [{ name: 'old._domainkey.acme.test', value: 'v=DKIM1; p=' }],
      },
    ])
  })

  test('without any key keep absence proven', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE, also('mine'))
    expect(report.presence).toBe('absent')
    expect(ids).toEqual(['dkim.missing', 'dkim.selector-not-found'])
  })

  test('with a broken record or a dangling CNAME have that finding', async () => {
    const { ids } = await requireDkimReport(
      `${SENDING_ZONE} two._domainkey.acme.test. CNAME gone.test.
       ${keyZoneLine('one', 'v=DKIM1; p=x')}`,
      also('one', 'two'),
    )
    expect(ids).toEqual(['dkim.unknown-selector', 'dkim.malformed', 'dkim.dangling-cname'])
  })

  test('accept a wildcard’s key', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', GOOD_KEY_RECORD),
      also('mine'),
    )
    expect(report).toMatchObject({
      presence: 'present',
      wildcard: true,
      keys: [{ selector: 'mine' }],
    })
    expect(ids).toEqual(['dkim.wildcard'])
  })

  test('must be answered', async () => {
    const { checked } = await checkDkimZone(SENDING_ZONE + keyZoneLine('s1'), {
      ...also('mine'),
      failing: { 'TXT mine._domainkey.acme.test': 'timeout' },
    })
    expect(checked).toMatchObject({
      kind: 'unavailable',
      query: { name: 'mine._domainkey.acme.test', type: 'TXT' },
    })
  })
})
