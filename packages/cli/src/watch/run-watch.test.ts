import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { createTestContext } from '../../test/support/test-context.js'
import {
  createStatePath,
  dnsOf,
  key,
  toLine,
  toStrings,
  watch,
  zoneOf,
} from '../../test/support/watch-fixture.js'
import { runWatch, type WatchOptions } from './run-watch.js'

describe('the first run', () => {
  test('stores the state and is fine', async () => {
    const state = createStatePath()
    const line = ['watch', 'good.test', '--state', state]
    const { exitCode, stdout, stderr } = await runMailgrade(line, { zone: zoneOf() })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'good.test: Protected. Saved. The next run will show what changed.\n',
      stderr: '',
    })
    expect(JSON.parse(readFileSync(state, 'utf8')).domains['good.test'].facts).toMatchObject({
      verdict: { status: 'pass', label: 'Protected' },
      policy: 'reject',
      spf: { records: ['v=spf1 mx -all'], lookups: 1 },
      keys: [{ selector: 'google', isValid: true }],
      mx: ['10 mail.good.test'],
    })
  })

  test('of a domain that does not exist fails, stores that, and is no change later', async () => {
    const none = 'other.test. A 192.0.2.1'
    const { exitCode, result, state } = await watch([none])
    expect(exitCode).toBe(1)
    expect(result).toMatchObject({ domain: 'good.test', verdict: null, changes: [] })
    expect(await watch([none], [], state)).toMatchObject({ exitCode: 0, changes: [] })
  })

  test('of a domain that does not exist asks for the spelling', async () => {
    const line = ['watch', 'good.test', '--state', createStatePath()]
    expect((await runMailgrade(line)).stdout).toBe(
      'good.test: doesn’t exist in DNS. Check the spelling. Saved. The next run will\n  show what changed.\n',
    )
  })

  test('that cannot look anything up stores nothing', async () => {
    const failing = { 'MX good.test': 'servfail' } as const
    const { exitCode, result, state } = await watch([dnsOf(zoneOf(), failing)])
    expect(exitCode).toBe(3)
    expect(result).toEqual({
      domain: 'good.test',
      error: { code: 'dns_unavailable', detail: expect.stringContaining('MX good.test') },
    })
    expect(existsSync(state)).toBe(false)
  })
})

test('without a change it says since when', async () => {
  const state = createStatePath()
  await watch([zoneOf()], [], state)
  const line = ['watch', 'https://www.good.test/', '--state', state]
  const { exitCode, stdout } = await runMailgrade(line, { zone: zoneOf() })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    /^good\.test: no change since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(Protected\)\.\n$/,
  )
})

test('--quiet prints nothing without a change, and what could not be looked up', async () => {
  const state = createStatePath()
  const line = ['watch', 'good.test', '--state', state, '--quiet']
  const first = await runMailgrade(line, { zone: zoneOf() })
  expect(first.stdout).toContain('good.test: Protected. Saved')
  const same = await runMailgrade(line, { zone: zoneOf() })
  expect(same).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  const failed = await runMailgrade(line, dnsOf(zoneOf(), { 'MX good.test': 'servfail' }))
  expect(failed.exitCode).toBe(3)
  expect(failed.stderr).toContain('good.test: ')
  const changed = await runMailgrade(line, { zone: zoneOf({ mx: '20 mail.good.test.' }) })
  expect(changed.stdout).toContain('good.test: 1 change since')
})

describe('what changed', () => {
  test('the policy got weaker', async () => {
    const after = zoneOf({ dmarc: 'v=DMARC1; p=none; rua=mailto:d@good.test' })
    const { exitCode, changes } = await watch([zoneOf(), after])
    expect(exitCode).toBe(1)
    expect(changes).toEqual([
      'worse: Verdict: Protected → Exposed',
      'worse: DMARC policy: reject → none',
      'worse: Finding dmarc.policy-none (high): null → The DMARC policy is “none”, so forged mail can reach the inbox',
    ])
  })

  test('the policy got stronger', async () => {
    const before = zoneOf({ dmarc: 'v=DMARC1; p=none; rua=mailto:d@good.test' })
    const { exitCode, changes } = await watch([before, zoneOf()])
    expect(exitCode).toBe(0)
    expect(changes).toEqual([
      'better: Verdict: Exposed → Protected',
      'better: DMARC policy: none → reject',
      'better: Finding dmarc.policy-none (high): The DMARC policy is “none”, so forged mail can reach the inbox → null',
    ])
  })

  test('the policy is in test mode now', async () => {
    const after = zoneOf({ dmarc: 'v=DMARC1; p=reject; t=y; rua=mailto:d@good.test' })
    const { changes } = await watch([zoneOf(), after])
    expect(changes).toContain('worse: DMARC policy: reject → reject (test mode)')
  })

  test('only the policy for subdomains got weaker', async () => {
    const after = zoneOf({ dmarc: 'v=DMARC1; p=reject; sp=none; rua=mailto:d@good.test' })
    const { exitCode, changes } = await watch([zoneOf(), after])
    expect(exitCode).toBe(1)
    expect(changes).toContain('worse: DMARC policy for subdomains: reject → none')
    expect(changes.filter((it) => it.includes('DMARC policy: '))).toEqual([])
  })

  test('strict alignment, which may stop mail', async () => {
    const dmarc = 'v=DMARC1; p=reject; adkim=s; rua=mailto:d@good.test'
    const { exitCode, changes } = await watch([zoneOf(), zoneOf({ dmarc })])
    expect(exitCode).toBe(0)
    expect(changes).toEqual([
      'changed: DMARC alignment: SPF relaxed, DKIM relaxed → SPF relaxed, DKIM strict',
    ])
  })

  test('where reports go', async () => {
    const dmarc = 'v=DMARC1; p=reject; rua=mailto:other@good.test'
    const { changes } = await watch([zoneOf(), zoneOf({ dmarc })])
    expect(changes).toEqual(['changed: DMARC reports: mailto:d@good.test → mailto:other@good.test'])
  })

  test('what an older state does not have is not compared', async () => {
    const first = await watch([zoneOf()])
    const content = JSON.parse(readFileSync(first.state, 'utf8'))
    delete content.domains['good.test'].facts.alignment
    delete content.domains['good.test'].facts.rua
    writeFileSync(first.state, JSON.stringify(content))
    const dmarc = 'v=DMARC1; p=reject; adkim=s; rua=mailto:other@good.test'
    const second = await watch([zoneOf({ dmarc })], [], first.state)
    expect(second).toMatchObject({ exitCode: 0, changes: [] })
  })

  test('the order of several SPF records is no change', async () => {
    const zone = (one: string, other: string) =>
      zoneOf({ spf: one, zone: `good.test. TXT "${other}"` })
    const [one, other] = ['v=spf1 mx -all', 'v=spf1 a -all']
    expect((await watch([zone(one, other), zone(other, one)])).changes).toEqual([])
  })

  test('all mail servers are gone, and back', async () => {
    const gone = zoneOf({ mx: '', zone: 'good.test. A 192.0.2.9' })
    const { exitCode, changes, state } = await watch([zoneOf(), gone])
    expect(exitCode).toBe(1)
    expect(changes).toContain('worse: MX: 10 mail.good.test → null')
    expect((await watch([zoneOf()], [], state)).changes).toContain(
      'better: MX: null → 10 mail.good.test',
    )
  })

  test('the domain says that it no longer receives mail', async () => {
    const { changes } = await watch([zoneOf(), zoneOf({ mx: '0 .' })])
    expect(changes).toContain('changed: MX: 10 mail.good.test → 0 .')
    const without = await watch([zoneOf({ mx: '0 .' }), zoneOf({ mx: '' })])
    expect(without.changes).toContain('changed: MX: 0 . → null')
  })

  test('the SPF record, its lookups and its senders', async () => {
    const zone = `_spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"`
    const after = zoneOf({ spf: 'v=spf1 mx include:_spf.google.com -all', zone })
    const { exitCode, changes } = await watch([zoneOf({ zone }), after])
    expect(changes).toEqual([
      'changed: SPF record: v=spf1 mx -all → v=spf1 mx include:_spf.google.com -all',
      'changed: SPF lookups: 1 → 2',
      'changed: SPF senders: null → Google Workspace',
    ])
    expect(exitCode).toBe(4)
  })

  test('a DKIM key is gone', async () => {
    const { exitCode, changes } = await watch([zoneOf(), zoneOf({ google: '' })])
    expect(exitCode).toBe(1)
    expect(changes).toContain(`worse: DKIM key google: ${key(2048)} → null`)
  })

  test('a DKIM key is revoked', async () => {
    const { exitCode, changes } = await watch([zoneOf(), zoneOf({ google: 'v=DKIM1; p=' })])
    expect(exitCode).toBe(1)
    expect(changes).toContain(`worse: DKIM key google: ${key(2048)} → v=DKIM1; p=`)
  })

  test('a DKIM key is new', async () => {
    const zone = `s1._domainkey.good.test. TXT ${toStrings(key(2048))}`
    const { exitCode, changes } = await watch([zoneOf(), zoneOf({ zone })])
    expect(exitCode).toBe(4)
    expect(changes).toEqual([`changed: DKIM key s1: null → ${key(2048)}`])
  })

  test('the mail servers', async () => {
    const zone = 'mx2.good.test. A 192.0.2.2'
    const { exitCode, changes } = await watch([
      zoneOf({ zone }),
      zoneOf({ zone, mx: '20 mx2.good.test.' }),
    ])
    expect(exitCode).toBe(4)
    expect(changes).toEqual(['changed: MX: 10 mail.good.test → 20 mx2.good.test'])
  })

  test('the domain is gone, stays gone, and is back', async () => {
    const gone = 'other.test. A 192.0.2.1'
    const { exitCode, changes, state } = await watch([zoneOf(), gone])
    expect({ exitCode, changes }).toEqual({
      exitCode: 1,
      changes: ['worse: Domain: exists → does not exist'],
    })
    expect(await watch([gone], [], state)).toMatchObject({ exitCode: 0, changes: [] })
    const back = await watch([zoneOf({ mx: '20 mail.good.test.' })], [], state)
    expect(back).toMatchObject({
      exitCode: 0,
      changes: [
        'better: Domain: does not exist → exists',
        'changed: MX: 10 mail.good.test → 20 mail.good.test',
      ],
    })
  })

  test('a finding below --fail-on is no failure, and one of that severity is', async () => {
    const after = zoneOf({ dmarc: 'v=DMARC1; p=reject' })
    const low = await watch([zoneOf(), after])
    expect(low.exitCode).toBe(0)
    const reports = 'changed: DMARC reports: mailto:d@good.test → null'
    expect(low.changes).toEqual([
      reports,
      expect.stringMatching(/^changed: Finding dmarc\.no-reports \((low|medium)\): null → /),
    ])
    const strict = await watch([zoneOf(), after], ['--fail-on', 'low'])
    expect(strict.exitCode).toBe(1)
    expect(strict.changes).toEqual([
      reports,
      expect.stringMatching(/^worse: Finding dmarc\.no-reports \((low|medium)\): null → /),
    ])
  })

  test('is printed with before and after, or as new or gone', async () => {
    const state = createStatePath()
    await watch([zoneOf()], [], state)
    const zone = 's1._domainkey.good.test. TXT "v=DKIM1; p="'
    const after = zoneOf({ dmarc: '', mx: '20 mail.good.test.', zone })
    const { stdout } = await runMailgrade(['watch', 'good.test', '--state', state], { zone: after })
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^good\.test: \d+ changes since /)
    expect(lines).toContain('  ✕ worse    Verdict: Protected → Exposed')
    expect(lines).toContain('  ✕ worse    DMARC policy, gone: reject')
    expect(lines).toContain('  • changed  DKIM key s1, new: v=DKIM1; p=')
    expect(lines).toContain('  • changed  MX: 10 mail.good.test → 20 mail.good.test')
  })

  test('is printed without control characters', async () => {
    const state = createStatePath()
    await watch([zoneOf()], [], state)
    const after = zoneOf({ mx: '10 mail.good.test.', spf: 'v=spf1 mx a -all\\027[2J' })
    const line = ['watch', 'good.test', '--state', state]
    const { stdout } = await runMailgrade(line, { zone: after })
    expect(stdout).toContain('⟨U+001B⟩[2J')
    expect(stdout).not.toContain('\u001b')
  })
})

describe('a lookup that fails', () => {
  const servfail = 'servfail' as const

  test('of the domain keeps the state for the next run', async () => {
    const { exitCode, result, state } = await watch([
      zoneOf(),
      dnsOf(zoneOf(), { 'TXT _dmarc.good.test': servfail }),
    ])
    expect(exitCode).toBe(3)
    expect(result.error.code).toBe('dns_unavailable')
    const after = zoneOf({ dmarc: 'v=DMARC1; p=quarantine; rua=mailto:d@good.test' })
    expect((await watch([after], [], state)).changes).toContain(
      'worse: DMARC policy: reject → quarantine',
    )
  })

  test('of a DKIM key does not make it disappear', async () => {
    const failing = { 'TXT google._domainkey.good.test': servfail }
    const { exitCode, changes, result, state } = await watch([zoneOf(), dnsOf(zoneOf(), failing)])
    expect({ exitCode, changes, unknown: result.unknown }).toEqual({
      exitCode: 0,
      changes: [],
      unknown: ['dkim'],
    })
    expect(await watch([zoneOf()], [], state)).toMatchObject({ exitCode: 0, changes: [] })
    const gone = await watch([zoneOf({ google: '' })], [], state)
    expect(gone.changes).toContain(`worse: DKIM key google: ${key(2048)} → null`)
  })

  /** An include that costs 12 lookups, which is a finding and a worse verdict. */
  const tooMany = zoneOf({
    spf: 'v=spf1 include:inc.test -all',
    zone: `inc.test. TXT "v=spf1 include:_spf.google.com ${'a:mail.good.test '.repeat(10)}-all"
      _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"`,
  })
  const incomplete = dnsOf(tooMany, { 'TXT inc.test': servfail })

  test('of an include changes no lookups, senders, findings and verdict', async () => {
    const first = await watch([tooMany])
    const { facts } = JSON.parse(readFileSync(first.state, 'utf8')).domains['good.test']
    expect(facts).toMatchObject({ verdict: { label: 'Needs repair' }, spf: { lookups: 12 } })
    const second = await watch([incomplete], [], first.state)
    expect(second.result).toMatchObject({
      verdict: 'Needs repair',
      changes: [],
      unknown: ['spf'],
    })
    const third = await watch([tooMany], [], first.state)
    expect(third.result).toMatchObject({ changes: [], unknown: [] })
  })

  test('at the first run is not compared with later', async () => {
    const { exitCode, changes, result, state } = await watch([incomplete, tooMany])
    expect({ exitCode, changes, unknown: result.unknown }).toEqual({
      exitCode: 0,
      changes: [],
      unknown: ['spf'],
    })
    expect((await watch([tooMany], [], state)).result.unknown).toEqual([])
  })

  test('above the domain keeps the policy for subdomains', async () => {
    const failing = { 'TXT _dmarc.test': servfail }
    const { changes, state } = await watch([zoneOf(), dnsOf(zoneOf(), failing)])
    expect(changes).toEqual([])
    const after = zoneOf({ dmarc: 'v=DMARC1; p=reject; sp=none; rua=mailto:d@good.test' })
    expect((await watch([after], [], state)).changes).toContain(
      'worse: DMARC policy for subdomains: reject → none',
    )
    const unknownFirst = await watch([dnsOf(zoneOf(), failing), zoneOf()])
    expect(unknownFirst.changes).toEqual([])
  })

  test('does not hide what is certain', async () => {
    const zone = 'inc.test. TXT "v=spf1 a:mail.good.test -all"'
    const spf = 'v=spf1 include:inc.test -all'
    const weaker = zoneOf({ spf, zone, dmarc: 'v=DMARC1; p=none; rua=mailto:d@good.test' })
    const { exitCode, changes } = await watch([
      zoneOf({ spf, zone }),
      dnsOf(weaker, { 'TXT inc.test': servfail }),
    ])
    expect(exitCode).toBe(1)
    expect(changes).toContain('worse: DMARC policy: reject → none')
  })
})

describe('a selector that no one can guess', () => {
  const zone = `x7q9._domainkey.good.test. TXT ${toStrings(key(2048))}`
  const secret = zoneOf({ google: '', zone })

  test('is queried again without --selector', async () => {
    const state = createStatePath()
    await watch([secret], ['--selector', 'x7q9'], state)
    expect(await watch([secret], [], state)).toMatchObject({ exitCode: 0, changes: [] })
    const gone = await watch([zoneOf({ google: '' })], [], state)
    expect(gone.exitCode).toBe(1)
    expect(gone.changes).toContain(`worse: DKIM key x7q9: ${key(2048)} → null`)
    expect(gone.changes.filter((it) => it.includes('selector-not-found'))).toEqual([])
    expect(await watch([zoneOf({ google: '' })], [], state)).toMatchObject({ changes: [] })
  })

  test('is found again if it was guessed before and is not now', async () => {
    const state = createStatePath()
    await watch([secret], ['--selector', 'x7q9'], state)
    const content = JSON.parse(readFileSync(state, 'utf8'))
    expect(content.domains['good.test'].facts.selectors).toEqual(['x7q9'])
    content.domains['good.test'].facts.selectors = []
    writeFileSync(state, JSON.stringify(content))
    const { result } = await watch([secret], [], state)
    expect(result).toMatchObject({ verdict: 'Protected', changes: [] })
    const { domains } = JSON.parse(readFileSync(state, 'utf8'))
    expect(domains['good.test'].facts.selectors).toEqual(['x7q9'])
  })
})

describe('the state file', () => {
  const run = (state: string) =>
    runMailgrade(['watch', 'good.test', '--state', state], { zone: zoneOf() })

  test('is readable by its owner only, because it names the domains', async () => {
    const state = createStatePath()
    await run(state)
    expect(statSync(state).mode & 0o777).toBe(0o600)
  })

  test('may be behind a link, which stays', async () => {
    const state = createStatePath()
    const link = `${state}.link`
    writeFileSync(state, '{"kind": "mailgrade-watch", "version": 1, "domains": {}}')
    symlinkSync(state, link)
    await run(link)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(state, 'utf8')).toContain('"good.test"')
  })

  test('a record cannot print a line of its own', async () => {
    const state = createStatePath()
    await run(state)
    const zone = zoneOf({ spf: 'v=spf1 mx -all\\010\\010evil.test: no change' })
    const { stdout } = await runMailgrade(['watch', 'good.test', '--state', state], { zone })
    expect(stdout).toContain('-all⟨U+000A⟩⟨U+000A⟩evil.test')
  })

  const advice = 'We didn’t change it. Move it, or choose a different file with --state.\n'

  test.each([
    ['not JSON', '{"kind": "mailgr', 'isn’t a mailgrade watch state file'],
    ['of another program', '{"scripts": {}}', 'isn’t a mailgrade watch state file'],
    [
      'of a newer version',
      '{"kind": "mailgrade-watch", "version": 2, "domains": {}}',
      'has format version 2, but this version of mailgrade reads 1',
    ],
    [
      'damaged',
      '{"kind": "mailgrade-watch", "version": 1, "domains": {"good.test": {"facts": {}}}}',
      'is damaged',
    ],
    ['without domains', '{"kind": "mailgrade-watch", "version": 1, "domains": null}', 'is damaged'],
    [
      'of a version that is a text',
      '{"kind": "mailgrade-watch", "version": "2\\n::error::x", "domains": {}}',
      'is damaged',
    ],
    [
      'of a version that is an object',
      '{"kind": "mailgrade-watch", "version": {"toString": 1}, "domains": {}}',
      'is damaged',
    ],
  ])('that is %s is an error and stays as it is', async (_, content, why) => {
    const state = createStatePath()
    writeFileSync(state, content)
    const { exitCode, stderr } = await run(state)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `The file ${state} ${why}. ${advice}`,
    })
    expect(readFileSync(state, 'utf8')).toBe(content)
  })

  test('that has a selector that is none is an error and stays as it is', async () => {
    const state = createStatePath()
    await run(state)
    const content = readFileSync(state, 'utf8').replace('"selectors": []', '"selectors": ["../x"]')
    writeFileSync(state, content)
    const { exitCode, stderr } = await run(state)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `The file ${state} is damaged. ${advice}`,
    })
    expect(readFileSync(state, 'utf8')).toBe(content)
  })

  test('that cannot be written is an error', async () => {
    const state = createStatePath()
    writeFileSync(state, '')
    const below = join(state, 'x.json')
    const { exitCode, stderr } = await run(below)
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      `We couldn’t read the state file ${below} (ENOTDIR). Check its permissions, or choose a different file with --state.\n`,
    )
  })

  test('is in the state folder of the user', async () => {
    const folder = join(createStatePath(), '..')
    const zone = zoneOf()
    await runMailgrade(['watch', 'good.test'], { zone, env: { XDG_STATE_HOME: folder } })
    expect(existsSync(join(folder, 'mailgrade/watch.json'))).toBe(true)
    await runMailgrade(['watch', 'good.test'], { zone, env: { HOME: folder } })
    expect(existsSync(join(folder, '.local/state/mailgrade/watch.json'))).toBe(true)
  })

  test('of two watchers is never torn, and has the domains of both', async () => {
    const state = createStatePath()
    await runMailgrade(['watch', 'other.test', '--state', state], {
      zone: 'other.test. TXT "v=spf1 -all"',
    })
    const runs = await Promise.all(Array.from({ length: 20 }, () => run(state)))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0))
    const { domains } = JSON.parse(readFileSync(state, 'utf8'))
    expect(Object.keys(domains).sort()).toEqual(['good.test', 'other.test'])
    expect(readdirSync(join(state, '..'))).toEqual(['state.json'])
  })
})

describe('--every', () => {
  const HOUR = 3_600_000

  /** One run per zone; Ctrl-C instead of the wait after the last. */
  async function watchEvery(zones: readonly string[], failing: Record<string, FailureReason> = {}) {
    const interrupted = new AbortController()
    const context = createTestContext({ signal: interrupted.signal })
    const waits: number[] = []
    let round = 0
    const openDns = () => ({
      ...zoneDns(zones[round] ?? '', round === 1 ? failing : {}),
      close() {},
    })
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
      round++
      if (round === zones.length) interrupted.abort()
    }
    const options: WatchOptions = {
      format: 'ndjson',
      failOn: 'high',
      state: createStatePath(),
      every: HOUR,
    }
    const exitCode = await runWatch(['good.test'], options, { ...context, openDns }, wait)
    const results = context
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { exitCode, results, waits }
  }

  test('prints only changes after the first run, and fails at the end if it got worse', async () => {
    const weak = zoneOf({ dmarc: 'v=DMARC1; p=none; rua=mailto:d@good.test' })
    const { exitCode, results, waits } = await watchEvery([zoneOf(), zoneOf(), weak, zoneOf()])
    expect(exitCode).toBe(1)
    expect(waits).toEqual([HOUR, HOUR, HOUR, HOUR])
    expect(results.map((it) => it.changes.map(toLine)[0])).toEqual([
      undefined,
      'worse: Verdict: Protected → Exposed',
      'better: Verdict: Exposed → Protected',
    ])
  })

  test('fails at the end with the code of the worst run', async () => {
    const weak = zoneOf({ dmarc: 'v=DMARC1; p=none; rua=mailto:d@good.test' })
    const zone = `s1._domainkey.good.test. TXT ${toStrings(key(2048))}`
    const { exitCode } = await watchEvery([zoneOf(), zoneOf({ zone }), weak, zoneOf()])
    expect(exitCode).toBe(4)
  })

  test('goes on after a failed run', async () => {
    const failing = { 'MX good.test': 'servfail' } as const
    const { exitCode, results } = await watchEvery([zoneOf(), zoneOf(), zoneOf()], failing)
    expect(exitCode).toBe(0)
    expect(results.map((it) => it.error?.code)).toEqual([undefined, 'dns_unavailable'])
  })

  test.each([
    ['30s', 2],
    ['0m', 2],
    ['25d', 2],
    ['6 hours', 2],
  ])('%s is refused', async (text, expected) => {
    const { exitCode, stderr } = await runMailgrade(['watch', 'good.test', '--every', text])
    expect(exitCode).toBe(expected)
    expect(stderr).toContain('Use an interval such as 30m, 6h, or 1d, from 1m to 24d.')
  })

  test('needs a format with a result per run', async () => {
    const line = ['watch', 'good.test', '--every', '1h', '--format', 'json']
    expect(await runMailgrade(line)).toMatchObject({
      exitCode: 2,
      stderr:
        '--format json doesn’t work with --every, because each run prints its own result. Use --format ndjson.\n',
    })
  })
})

test('a name that is not a domain is refused before anything is looked up', async () => {
  const state = createStatePath()
  const line = ['watch', 'good.test', '192.0.2.1', '--state', state]
  const { exitCode, stderr } = await runMailgrade(line, { zone: zoneOf() })
  expect(exitCode).toBe(2)
  expect(stderr).toBe('192.0.2.1 is an IP address; enter a domain name instead.\n')
  expect(existsSync(state)).toBe(false)
})

test('json is one document about all domains', async () => {
  const line = ['watch', 'good.test', 'www.good.test', 'other.test', '--format', 'json']
  const { stdout } = await runMailgrade([...line, '--state', createStatePath()], {
    zone: `${zoneOf()}other.test. TXT "v=spf1 -all"\n`,
  })
  expect(JSON.parse(stdout).map((it: { domain: string }) => it.domain)).toEqual([
    'good.test',
    'other.test',
  ])
})
