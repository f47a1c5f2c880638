/** The page for several domains, as the server renders it. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const BROWSER = { accept: 'text/html' }
const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=none"
  down.test.        A 192.0.2.1
  xn--bcher-kva.test. TXT "v=spf1 -all"
`
const sandbox = createTestApp(zoneDns(''), { env: { RATE_LIMIT_PER_MINUTE: '1000' } })

function createLive(env: Record<string, string> = {}, dns = zoneDns(ZONE)) {
  return createTestApp(dns, {
    env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000', ...env },
    now: () => 5_000,
  })
}

/** For tests that need no state or DNS of their own. */
const live = createLive()

function toText(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/\s+/g, ' ')
    .trim()
}

async function readPage(app: Pick<typeof sandbox, 'get'>, list: string, sort = '') {
  const query = new URLSearchParams({ domains: list, ...(sort && { sort }) })
  const response = await app.get(`/domains?${query}`, BROWSER)
  const html = await response.text()
  const rows = [...html.matchAll(/<tr class="(\w+)".*?<\/tr>/gs)].map(([row, kind]) => ({
    kind,
    cells: [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = '']) => toText(cell)),
  }))
  return { status: response.status, headers: response.headers, html, rows }
}

const namesOf = ({ rows }: Awaited<ReturnType<typeof readPage>>) =>
  rows.map(({ cells: [, name] }) => name)

const DEMO = 'good.test\nmonitoring.test\nlookups.test\nparked.test\nselector.test'

describe('the form', () => {
  test('is empty without parameters, cacheable and free', async () => {
    const response = await sandbox.get('/domains', BROWSER)
    const html = await response.text()
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=300',
    ])
    expect(response.headers.get('ratelimit')).toBeNull()
    expect(html).toContain('<title>Bulk check · Mailgrade</title>')
    expect(html).toContain('Paste up to 20 domains, one per line')
    expect(html).toContain('aria-describedby="domains-hint"></textarea>')
    expect(html).toContain(
      '<a href="/domains?domains=good.test%0Amonitoring.test%0Alookups.test%0Aparked.test%0Aselector.test">',
    )
    expect(html).not.toContain('sort-table.js')
  })

  test('has no example with live domains', async () => {
    expect(await (await live.get('/domains', BROWSER)).text()).not.toContain('good.test')
  })
})

describe('the table', () => {
  test('has one row for each domain, the worst first', async () => {
    const { status, html, headers, rows } = await readPage(sandbox, DEMO)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(html).toContain('<h1>2 of 5 domains refuse forged mail</h1>')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html.length).toBeLessThan(100_000)
    expect(rows).toEqual([
      {
        kind: 'fail',
        cells: [
          '✕ Exposed',
          'monitoring.test',
          '✓ Good: Microsoft 365 / Exchange Online · 1 of 10 lookups',
          '✓ Good: 1 key: 2048 bits',
          '✕ Problem: Policy none',
          '✓ Good: Microsoft 365 / Exchange Online',
          'The DMARC policy is “none”, so forged mail can reach the inbox',
        ],
      },
      {
        kind: 'fail',
        cells: [
          '✕ Loses mail',
          'lookups.test',
          '✕ Problem: Receivers can’t use it: 14 lookups; the limit is 10',
          '✕ Problem: 1 key: 2048 bits',
          '! Needs work: Policy quarantine',
          '✓ Good: Google Workspace',
          'Mail from Twilio SendGrid and Mailchimp goes to spam today and 1 more',
        ],
      },
      {
        kind: 'fail',
        cells: [
          '✕ Exposed',
          'parked.test',
          '✕ Problem: No record',
          '✕ Problem: No key',
          '✕ Problem: No policy',
          '! Needs work: No record; mail goes to the domain itself',
          'parked.test has no DMARC policy and 3 more',
        ],
      },
      {
        kind: 'warn',
        cells: [
          '! DKIM unknown',
          'selector.test',
          '✓ Good: 1 of 10 lookups',
          '? Unknown: No key at the usual selectors',
          '✓ Good: Policy reject',
          '✓ Good: 1 server',
          'Nothing',
        ],
      },
      {
        kind: 'pass',
        cells: [
          '✓ Protected',
          'good.test',
          '✓ Good: Google Workspace · 4 of 10 lookups',
          '✓ Good: 1 key: 2048 bits',
          '✓ Good: Policy reject',
          '✓ Good: Google Workspace',
          'Nothing',
        ],
      },
    ])
    expect(html).toContain('<a href="/?domain=monitoring.test">monitoring.test</a>')
  })

  test.each([
    ['verdict', ['monitoring.test', 'lookups.test', 'parked.test', 'selector.test', 'good.test']],
    ['name', ['good.test', 'lookups.test', 'monitoring.test', 'parked.test', 'selector.test']],
    ['entered', ['good.test', 'monitoring.test', 'lookups.test', 'parked.test', 'selector.test']],
    ['nonsense', ['monitoring.test', 'lookups.test', 'parked.test', 'selector.test', 'good.test']],
  ])('is sorted by %s', async (sort, names) => {
    expect(namesOf(await readPage(sandbox, DEMO, sort))).toEqual(names)
  })

  test('links to the other orders, and says that they check again', async () => {
    const { html } = await readPage(sandbox, 'good.test,parked.test', 'name')
    const links = [...html.matchAll(/<a href="([^"]+)" data-sort="(\w+)"( aria-current="true")?/g)]
    expect(links.map(([, href, order, current]) => [href, order, current !== undefined])).toEqual([
      ['/domains?domains=good.test%0Aparked.test&amp;sort=verdict', 'verdict', false],
      ['/domains?domains=good.test%0Aparked.test&amp;sort=name', 'name', true],
      ['/domains?domains=good.test%0Aparked.test&amp;sort=entered', 'entered', false],
    ])
    expect(html).toContain('Sorting checks all your domains again.')
    expect(html).toContain('<th scope="col" data-sort="name" aria-sort="ascending">')
  })

  test('accepts what people paste, and drops duplicates', async () => {
    const list = 'ACME.test; ann@acme.test,https://www.acme.test/x\r\n\tbücher.test  acme.test'
    const page = await readPage(live, list, 'entered')
    expect(namesOf(page)).toEqual(['acme.test', 'bücher.test xn--bcher-kva.test'])
    expect(page.html).toContain('>ACME.test\nbücher.test</textarea>')
  })

  test('offers the result as CSV, without a second check', async () => {
    const { html } = await readPage(live, 'acme.test nowhere.test')
    const [, href = '', name = ''] =
      /href="data:text\/csv;charset=utf-8,([^"]*)" download="([^"]*)"/.exec(html) ?? []
    expect(name).toMatch(/^domains-\d{4}-\d\d-\d\d\.csv$/)
    const [, acme = '', nowhere] = decodeURIComponent(href).split('\r\n')
    expect(acme).toMatch(
      /^acme\.test,Exposed,Anyone can send email as this domain\.,1 of 10 lookups,/,
    )
    expect(nowhere).toBe(
      'nowhere.test,Doesn’t exist,nowhere.test doesn’t exist in DNS. Check the spelling.,,,,,,',
    )
  })
})

describe('a row without a verdict', () => {
  test('says why', async () => {
    const dns = zoneDns(ZONE, { 'TXT down.test': 'servfail' })
    const list = 'acme.test nowhere.test down.test <script> my_company'
    const { status, rows, html } = await readPage(createLive({}, dns), list, 'entered')
    expect(status).toBe(200)
    expect(rows.map(({ kind, cells }) => [kind, cells[0], cells[1]])).toEqual([
      ['fail', '✕ Exposed', 'acme.test'],
      ['unknown', '? Doesn’t exist', 'nowhere.test'],
      ['unknown', '? Unknown', 'down.test'],
      ['invalid', '? Not a domain', '<script>'],
      ['invalid', '? Not a domain', 'my_company'],
    ])
    expect(rows[1]?.cells[2]).toBe('nowhere.test doesn’t exist in DNS. Check the spelling.')
    expect(rows[2]?.cells[2]).toContain('We couldn’t look up TXT down.test')
    expect(rows[3]?.cells[2]).toContain('contains “<”')
    expect(html).toContain('<h1>acme.test: Exposed</h1>')
    expect(html).toContain('We couldn’t check 4 entries. See the table for reasons.')
    expect(html).not.toContain('<script>')
  })

  test('offers the domain that was probably meant', async () => {
    const { rows, html } = await readPage(live, 'acme..test')
    expect(rows.map(({ cells: [, , reason] }) => reason)).toEqual([
      'acme..test has an extra dot; remove it. Check acme.test instead',
    ])
    expect(html).toContain('href="/?domain=acme.test"')
  })

  test('shows invisible characters, and a long entry only in part', async () => {
    const list = `a\u202eb ${'x'.repeat(400)}`
    const { rows } = await readPage(live, list, 'entered')
    expect(rows.map(({ cells }) => cells[1])).toEqual(['a⟨U+202E⟩b', `${'x'.repeat(80)}…`])
  })
})

describe('the rate limit', () => {
  test('counts each domain once, and invalid entries not at all', async () => {
    const app = createLive({ RATE_LIMIT_PER_MINUTE: '10' })
    const { headers } = await readPage(app, 'acme.test nowhere.test acme.test <b>')
    expect(headers.get('ratelimit')).toBe('"free";r=8;t=60')
  })

  test('leaves the domains over it unchecked', async () => {
    const dns = zoneDns(ZONE)
    const app = createLive({ RATE_LIMIT_PER_MINUTE: '1' }, dns)
    const { status, headers, rows } = await readPage(app, 'acme.test b.test c.test', 'entered')
    expect([status, headers.get('retry-after')]).toEqual([200, null])
    expect(rows.map(({ cells: [label, name, reason] }) => [label, name, reason]).slice(1)).toEqual([
      ['? Not checked', 'b.test', 'You reached the limit. Try again in 60 seconds.'],
      ['? Not checked', 'c.test', 'You reached the limit. Try again in 60 seconds.'],
    ])
    expect(dns.queries.filter((query) => /\b[bc]\.test/.test(query))).toEqual([])
  })

  test('is 429 with Retry-After if nothing was checked', async () => {
    const app = createLive({ RATE_LIMIT_PER_MINUTE: '1' })
    await app.get('/v1/mx?domain=acme.test')
    const { status, headers, html, rows } = await readPage(app, '<b> acme.test')
    expect([status, headers.get('retry-after')]).toEqual([429, '60'])
    expect(html).toContain('<h1>We couldn’t check any domain</h1>')
    expect(rows).toHaveLength(2)
  })
})

describe('a list that is refused', () => {
  test('with more than 20 domains, and says how many', async () => {
    const dns = zoneDns(ZONE)
    const list = Array.from({ length: 23 }, (_, index) => `d${index}.test`).join('\n')
    const { status, html, headers } = await readPage(createLive({}, dns), list)
    expect(status).toBe(400)
    expect(html).toContain('<h1>That list can’t be checked</h1>')
    expect(html).toContain('You entered 23 domains; the limit is 20. We didn’t check any.')
    expect(html).toContain(`>${list}</textarea>`)
    expect(headers.get('ratelimit')).toBe('"free";r=999;t=60')
    expect(dns.queries).toEqual([])
  })

  test('counts as one request, so it is limited too', async () => {
    const limited = createLive({ RATE_LIMIT_PER_MINUTE: '2' })
    const statuses: number[] = []
    for (const list of ['', 'a..b', 'a..b', '']) {
      statuses.push((await readPage(limited, list)).status)
    }
    expect(statuses).toEqual([400, 400, 429, 429])
  })

  test('not with 20', async () => {
    const list = Array.from({ length: 20 }, (_, index) => `d${index}.test`).join('\n')
    const { status, rows } = await readPage(live, list)
    expect([status, rows.length]).toEqual([200, 20])
  })

  test.each([
    ['', 400, 'You didn’t enter a domain.'],
    [' ,;\n', 400, 'You didn’t enter a domain.'],
    ['<b> <i>', 400, 'We couldn’t check any domain'],
    [`${'a'.repeat(2_100)}`, 414, 'The list is too long. Enter just the domain names'],
  ])('%j is a page with status %i', async (list, expected, text) => {
    const { status, headers, html } = await readPage(live, list)
    expect([status, headers.get('content-type')]).toEqual([expected, 'text/html; charset=utf-8'])
    expect(html).toContain(text)
    expect(html).toContain('</textarea>')
  })
})

describe('concurrency', () => {
  /** DNS that waits until the test lets it go on. */
  function holdDns() {
    const zone = zoneDns('')
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const domains = new Set<string>()
    const query: typeof zone.query = async (name, type) => {
      const [domain] = /\bd\d\.test$/.exec(name) ?? []
      if (domain) domains.add(domain)
      await released
      return zone.query(name, type)
    }
    return { dns: { ...zone, query }, domains, release: () => release() }
  }
  const LIST = Array.from({ length: 6 }, (_, index) => `d${index}.test`).join('\n')

  test('checks four domains at the same time', async () => {
    const { dns, domains, release } = holdDns()
    const page = readPage(createLive({}, dns), LIST)
    await expect.poll(() => domains.size).toBe(4)
    release()
    expect((await page).rows).toHaveLength(6)
    expect(domains.size).toBe(6)
  })

  test('checks no more domains when the caller disconnects', async () => {
    const { dns, domains, release } = holdDns()
    const app = createLive({}, dns)
    const caller = new AbortController()
    const path = `/domains?${new URLSearchParams({ domains: LIST })}`
    const response = app.request(path, { headers: BROWSER, signal: caller.signal })
    await expect.poll(() => domains.size).toBe(4)
    caller.abort()
    release()
    await response
    expect(domains.size).toBe(4)
  })
})
