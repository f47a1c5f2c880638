import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'

const zone = `acme.test. MX 10 mail.acme.test.
mail.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx include:_spf.acme.test ~all"
_spf.acme.test. TXT "v=spf1 ip4:192.0.2.128/25 include:slow.acme.test -all"
slow.acme.test. TXT "v=spf1 -all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:reports@acme.test"
`

describe('spf', () => {
  test('draws the tree of includes and the budget', async () => {
    const { stdout } = await runMailgrade(['spf', 'acme.test'], { zone })
    expect(stdout).toContain(`SPF lookups  ■■■□□□□□□□  3 of 10 DNS lookups
  acme.test  3 lookups
  ├─ mx  1 lookup
  └─ include:_spf.acme.test  2 lookups
     └─ include:slow.acme.test  1 lookup
`)
  })

  test.each([
    ['192.0.2.1', 0, 'Pass. This server is allowed to send for the domain.'],
    ['192.0.2.200', 0, 'where ip4:192.0.2.128/25 in _spf.acme.test’s record'],
    ['198.51.100.1', 1, 'Soft fail.'],
  ])('says whether mail from %s passes', async (ip, exitCode, words) => {
    const env = { COLUMNS: '120' }
    const run = await runMailgrade(['spf', 'acme.test', '--ip', ip], { zone, env })
    expect(run.exitCode).toBe(exitCode)
    expect(run.stdout).toContain(words)
  })

  test('exits with 3 if a part could not be looked up', async () => {
    const dns = createZoneDns('zone', zone)
    const openDns = () => ({
      query: async (name: string, type: 'TXT') =>
        name === 'slow.acme.test' ? failed('servfail', 'broken') : dns.query(name, type),
      close() {},
    })
    const line = ['spf', 'acme.test', '--ip', '198.51.100.1']
    const { exitCode, stdout } = await runMailgrade(line, { openDns: openDns as never })
    expect(exitCode).toBe(3)
    expect(stdout).toContain('Temporary error.')
    expect(stdout).toContain('include:slow.acme.test  1 lookup: we couldn’t reach DNS')
  })

  test.each([
    [
      ['--sender', 'ann@acme.test'],
      '--sender and --helo need --ip, the address of the sending server.\n',
    ],
    [
      ['--ip', '999'],
      "'999' isn’t a valid value for --ip. Enter an IP address such as 192.0.2.1 or 2001:db8::1. Run mailgrade spf --help to see the options.\n",
    ],
  ])('explains %j', async (options, stderr) => {
    const run = await runMailgrade(['spf', 'acme.test', ...options], { zone })
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})

describe('plan', () => {
  test('refuses a service that is both in use and no longer used', async () => {
    const line = ['plan', 'acme.test', '--uses', 'google', '--unused', 'google']
    const { exitCode, stdout, stderr } = await runMailgrade(line, { zone: '' })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('google is in both uses and unused. Put it in only one of them.')
  })

  test('writes a zone file and Terraform with --out', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailgrade-plan-'))
    try {
      const line = ['plan', 'acme.test', '--out', folder, '--format', 'json']
      const { stdout, stderr, exitCode } = await runMailgrade(line, { zone })
      const plan = JSON.parse(stdout)
      expect(exitCode).toBe(1)
      expect(readdirSync(folder).sort()).toEqual([
        'acme.test-fix-plan.csv',
        'acme.test-fix-plan.ics',
        'acme.test-fix-plan.json',
        'acme.test-fix-plan.zone',
      ])
      const written = readFileSync(join(folder, 'acme.test-fix-plan.zone'), 'utf8')
      expect(written).toBe(plan.exports.zoneFile)
      expect(stderr).toContain(`Wrote ${join(folder, 'acme.test-fix-plan.zone')}\n`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('says before any query that --out cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailgrade-plan-'))
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const queries: string[] = []
    const openDns = () => ({
      query: async (name: string) => {
        queries.push(name)
        return failed('unreachable', 'no route')
      },
      close() {},
    })
    try {
      const { exitCode, stderr } = await runMailgrade(['plan', 'acme.test', '--out', file], {
        openDns,
      })
      expect({ exitCode, stderr, queries }).toEqual({
        exitCode: 2,
        stderr: `We couldn’t write ${file}: a file with that name already exists.\n`,
        queries: [],
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.each([
    ['a record that shows a mark', 'acme.test', '⟨U+202E⟩', ['csv', 'ics', 'json', 'tf', 'zone']],
    ['a character that cannot be shown', 'acme.test', '\u202e', ['ics', 'json', 'zone']],
    ['a long domain', `${'a.'.repeat(122)}test`, 'y', ['csv', 'json', 'tf', 'zone']],
  ])('writes every exact file with %s', async (_, domain, text, extensions) => {
    const folder = mkdtempSync(join(tmpdir(), 'mailgrade-plan-'))
    const octets = [...Buffer.from(text)].map((octet) => `\\${`${octet}`.padStart(3, '0')}`)
    const records = `${domain}. NS ada.ns.cloudflare.com.
${domain}. MX 10 mx.acme.test.
mx.acme.test. A 192.0.2.1
${domain}. TXT "v=spf1 mx include:${octets.join('')} ?all"
`
    try {
      const { stderr } = await runMailgrade(['plan', domain, '--out', folder], { zone: records })
      const names = readdirSync(folder).sort()
      const ends = names.map((name) => name.replace(/^.*-fix-plan\./, ''))
      expect(ends).toEqual(extensions)
      const missing = ['csv', 'tf'].filter((end) => !ends.includes(end))
      for (const end of missing) {
        const path = join(folder, `${domain}-fix-plan.${end}`)
        expect(stderr).toContain(
          `We didn’t write ${path}, because one of its records has characters that can’t be shown.\n`,
        )
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('names each file in one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailgrade-plan-'))
    const out = join(folder, 'a\n::error::b')
    try {
      const { stderr } = await runMailgrade(['plan', 'acme.test', '--out', out], { zone })
      expect(stderr).toContain(`Wrote ${folder}/a⟨U+000A⟩::error::b/acme.test-fix-plan.zone\n`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('is printed even if one of its files cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailgrade-plan-'))
    const zoneFile = join(folder, 'acme.test-fix-plan.zone')
    mkdirSync(zoneFile)
    try {
      const run = await runMailgrade(['plan', 'acme.test', '--out', folder], { zone })
      expect(run.exitCode).toBe(2)
      expect(run.stdout).toContain('Fix plan for acme.test')
      expect(run.stderr).toContain(`We couldn’t write ${zoneFile}: it’s a folder.\n`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('rejects an unknown service before any query', async () => {
    const { exitCode, stderr } = await runMailgrade(['plan', 'acme.test', '--uses', 'nosuch'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("'nosuch' isn’t a valid value for --uses.")
  })

  test('names the option with an address that is none', async () => {
    const { stderr } = await runMailgrade(['plan', 'acme.test', '--rua', 'reports'])
    expect(stderr).toContain("'reports' isn’t a valid value for --rua. There’s no @.")
  })
})

test.each([
  ['ann@acme.test', 0, '✓ ok'],
  ['sales@acme.test', 1, '! risky'],
  ['ann@nowhere.test', 1, '✕ undeliverable'],
  ['acme.test', 2, ''],
])('address says whether mail to %s can arrive', async (address, exitCode, words) => {
  const run = await runMailgrade(['address', address], { zone })
  expect(run.exitCode).toBe(exitCode)
  expect(run.stdout.split('\n')[0]).toBe(words && `${address}: ${words}`)
})

test('dkim looks up only the given selector', async () => {
  const { stdout } = await runMailgrade(['dkim', 'acme.test', '--selector', 'mine'], { zone })
  expect(stdout).toContain('1 selector tried.')
})

test('two reports are not written to the same file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-report-'))
  const path = join(folder, 'same')
  const report = (format: string) => ['--report', `${format}=${path}`]
  try {
    expect(
      await runMailgrade(['check', 'acme.test', ...report('csv'), ...report('sarif')], { zone }),
    ).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `Two --report options write to ${path}. Use a different file for each.\n`,
    })
    expect(readdirSync(folder)).toEqual([])
    symlinkSync('same', join(folder, 'link'))
    const line = ['check', 'acme.test', ...report('csv'), ...report('sarif')]
    line[line.length - 1] = `sarif=${join(folder, 'link')}`
    expect((await runMailgrade(line, { zone })).stderr).toBe(
      `Two --report options write to ${join(folder, 'link')}. Use a different file for each.\n`,
    )
    expect(readdirSync(folder)).toEqual(['link'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('dkim takes one selector', async () => {
  const line = ['dkim', 'acme.test', '--selector', 'mine', '--selector', 'yours']
  const { exitCode, stderr } = await runMailgrade(line, { zone })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Use only one selector. To look up several, use mailgrade check.')
})

test('a file that is given as a domain is told apart', async () => {
  const { stderr } = await runMailgrade(['package.json'])
  expect(stderr).toBe(
    'package.json doesn’t exist in DNS. Check the spelling. You have a file with that name. To check the domains in it, run: mailgrade scan package.json\n',
  )
})

test('score prints the number and a reason for every lost point', async () => {
  const { stdout } = await runMailgrade(['score', 'acme.test'], { zone })
  expect(stdout).toMatch(/^acme\.test: \d+ of 100, grade [A-F]\n/)
  expect(stdout).toContain('−31: The DMARC policy is “none”, so forged mail can reach the inbox')
})

test('dmarc and mx show what is published', async () => {
  const dmarc = await runMailgrade(['dmarc', 'acme.test'], { zone })
  expect(dmarc.stdout).toContain('Reports go to  mailto:reports@acme.test')
  const mx = await runMailgrade(['mx', 'acme.test'], { zone })
  expect(mx.stdout).toContain('10 mail.acme.test  192.0.2.1')
})

test('records cannot send commands to the terminal', async () => {
  const evil = `evil.test. TXT "v=spf1 include:\\027]0;title\\007.test -all"\n`
  const { stdout } = await runMailgrade(['spf', 'evil.test'], { zone: evil, terminal: 80 })
  expect(stdout).toContain('⟨U+001B⟩]0;title⟨U+0007⟩')
  expect(stdout).not.toContain('\u0007')
})

test('records cannot print lines of their own', async () => {
  const evil = `evil.test. TXT "v=spf1 include:x\\010::error::fake.test -all"\n`
  const { stdout } = await runMailgrade(['spf', 'evil.test'], { zone: evil })
  expect(stdout).toContain('include:x⟨U+000A⟩::error::fake.test')
  expect(stdout).not.toMatch(/^::error/m)
})

describe('every report begins with the domain', () => {
  const heading = async (command: string, domain: string, records: string) => {
    const { stdout } = await runMailgrade([command, domain], { zone: records })
    return stdout.split('\n')[0]?.replace(/: [^:]*$/, '')
  }
  const commands = ['check', 'spf', 'dkim', 'dmarc', 'mx', 'score', 'plan']

  test.each(commands)('%s: as people and as DNS write it', async (command) => {
    const records = 'xn--mnchen-3ya.test. TXT "v=spf1 -all"\n'
    expect(await heading(command, 'münchen.test', records)).toMatch(
      /^(?:[A-Z]+ of |Fix plan for )?münchen\.test \(xn--mnchen-3ya\.test\)$/,
    )
  })

  test.each(commands)('%s: with the name that was asked for', async (command) => {
    expect(await heading(command, 'www.acme.test', zone)).toMatch(
      /^(?:[A-Z]+ of |Fix plan for )?acme\.test \(you asked for www\.acme\.test\)$/,
    )
  })
})

test('a narrow terminal shows what a fact is about above it', async () => {
  const { stdout } = await runMailgrade(['score', 'acme.test'], { zone, terminal: 40 })
  expect(stdout).toContain(
    'Can anyone forge mail from this domain?\n  Yes: forged mail can reach the inbox.\n',
  )
})

describe('a name for private networks', () => {
  const internal = zone.replaceAll('acme.test', 'acme.internal')
  const allowed = { ALLOW_PRIVATE_NAMES: 'true' }
  const commands = ['check', 'spf', 'dkim', 'dmarc', 'mx', 'score', 'plan', 'watch']

  test.each(commands)('%s refuses it', async (command) => {
    const { exitCode, stderr } = await runMailgrade([command, 'acme.internal'], { zone: internal })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('acme.internal is a name for private networks, so public DNS has no')
  })

  test.each(commands.slice(0, -1))('%s accepts it with ALLOW_PRIVATE_NAMES', async (command) => {
    const run = await runMailgrade([command, 'acme.internal'], { zone: internal, env: allowed })
    expect([0, 1]).toContain(run.exitCode)
    expect(run.stdout).toContain('acme.internal')
  })

  test('scan reports it as invalid, also in the first row', async () => {
    const run = (env = {}) =>
      runMailgrade(['scan', '-', '--column', '1', '--format', 'ndjson'], {
        zone: internal,
        stdin: 'acme.internal\n',
        env,
      })
    expect(JSON.parse((await run()).stdout)).toMatchObject({ error: { code: 'invalid_input' } })
    expect(JSON.parse((await run(allowed)).stdout)).toMatchObject({ domain: 'acme.internal' })
  })

  test.each([
    ['mx', ['mx', 'acme.test', '--format', 'json']],
    ['scan', ['scan', '-', '--format', 'ndjson']],
  ])('%s looks it up in public records only with ALLOW_PRIVATE_NAMES', async (_, line) => {
    const published = 'acme.test. MX 10 mx.acme.internal.\nmx.acme.internal. A 192.0.2.1'
    const run = (env = {}) => runMailgrade(line, { zone: published, stdin: 'acme.test\n', env })
    expect((await run()).stdout).toContain('mx.dangling')
    expect((await run(allowed)).stdout).not.toContain('mx.dangling')
  })

  test('ALLOW_PRIVATE_NAMES is true or false', async () => {
    const env = { ALLOW_PRIVATE_NAMES: '1' }
    expect(await runMailgrade(['mx', 'acme.internal'], { zone: internal, env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('ALLOW_PRIVATE_NAMES must be true or false.'),
    })
  })
})
