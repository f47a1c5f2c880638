import { describe, expect, test } from 'vitest'
import { ACME, dkimOf, GOOD, key, reportOf, txt } from '../../../test/support/dkim-story.js'

const selector = 'mine'

describe('with a selector', () => {
  test('only that one is asked for', async () => {
    const { report, ids, asked } = await reportOf(ACME + key('mine') + key('s1'), { selector })
    expect(asked).toEqual(['MX acme.test', 'TXT mine._domainkey.acme.test'])
    expect(report).toMatchObject({
      status: 'pass',
      presence: 'present',
      keys: [{ selector: 'mine' }],
      selectorsTried: ['mine'],
      wildcard: null,
    })
    expect(ids).toEqual([])
  })

  test('that has no key, just this is said', async () => {
    for (const other of [key('s1'), key('mine', 'hello'), key('below.mine')]) {
      const { report, issues } = await reportOf(ACME + other, { selector })
      expect(report).toMatchObject({ status: 'fail', presence: 'absent', keys: [] })
      expect(issues).toMatchObject([
        {
          id: 'dkim.selector-not-found',
          severity: 'high',
          title: 'There is no key under the selector mine',
          detail: expect.stringContaining('other selectors of the domain were not looked at'),
        },
      ])
    }
  })

  test('that is revoked, mail cannot be signed with it', async () => {
    const { report, ids } = await reportOf(ACME + key('mine', 'v=DKIM1; p='), { selector })
    expect(report).toMatchObject({ presence: 'absent', keys: [{ revoked: true }] })
    expect(ids).toEqual(['dkim.revoked'])
  })

  test('whose record is broken, the record is to blame', async () => {
    const { report, ids } = await reportOf(ACME + key('mine', 'v=DKIM1; p=x'), { selector })
    expect(report).toMatchObject({ presence: 'absent', keys: [{ valid: false }] })
    expect(ids).toEqual(['dkim.malformed'])
  })

  test('whose alias leads nowhere, the alias is', async () => {
    const { report, ids } = await reportOf(
      `${ACME} mine._domainkey.acme.test. CNAME selector1-x._domainkey.x.onmicrosoft.com.`,
      { selector },
    )
    expect(report.presence).toBe('absent')
    expect(ids).toEqual(['dkim.dangling-cname'])
  })

  test('of several labels', async () => {
    const { report } = await reportOf(ACME + key('eu.mine'), { selector: 'eu.mine' })
    expect(report.keys).toMatchObject([{ name: 'eu.mine._domainkey.acme.test', valid: true }])
  })

  test('a wildcard’s key counts, for receivers take it', async () => {
    const { report, ids } = await reportOf(ACME + txt('*._domainkey.acme.test', GOOD), { selector })
    expect(report).toMatchObject({ presence: 'present', wildcard: null, keys: [{ valid: true }] })
    expect(ids).toEqual([])
  })

  test('a wildcard’s revocation counts as well', async () => {
    const zone = ACME + txt('*._domainkey.acme.test', 'v=DKIM1; p=')
    const { report, ids } = await reportOf(zone, { selector })
    expect(report).toMatchObject({ presence: 'absent', wildcard: null, keys: [{ revoked: true }] })
    expect(ids).toEqual(['dkim.revoked'])
  })

  test.each(['MX acme.test', 'TXT mine._domainkey.acme.test'])(
    'there is no verdict when %s fails',
    async (question) => {
      const story = { selector, failing: { [question]: 'timeout' as const } }
      const { checked } = await dkimOf(ACME + key('mine'), story)
      expect(checked).toMatchObject({
        kind: 'unavailable',
        question: { type: question.split(' ')[0], name: question.split(' ')[1] },
      })
    },
  )
})
