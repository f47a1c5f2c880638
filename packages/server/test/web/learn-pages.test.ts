/** The pages under /learn, and the pages about the service: what they show and where they link to. */
import { ALL_SERVICES, DNS_HOSTS, FINDINGS, rfcUrl } from '@mailgrade/core'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { PATHS } from '@mailgrade/operations/service-paths'
import { readingGrade } from '@mailgrade/testing/readability'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { ACRONYMS, createAcronymExpander } from '../../src/web/learn/acronyms.js'
import { MECHANISM_NAMES, MECHANISMS, mechanismTitle } from '../../src/web/learn/mechanisms.js'
import { FINDING_IDS, pagePaths } from '../../src/web/page-paths.js'
import { splitSentences, splitWords } from '../support/split-sentences.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ABOUT_PATHS = ['/faq', '/privacy', '/terms']
const LEARN_PATHS = pagePaths(OPERATIONS).filter((path) => path.startsWith('/learn'))

const app = createTestApp(zoneDns(''))

async function readMain(path: string, at = app): Promise<string> {
  const response = await at.get(path, { accept: 'text/html' })
  expect([path, response.status]).toEqual([path, 200])
  const [, main = ''] = /<main id="main">(.*)<\/main>/s.exec(await response.text()) ?? []
  return main
}

/** As people read it: blocks end with a new line. */
function toText(html: string): string {
  return html
    .replace(/<\/(?:p|h\d|li|dt|dd|summary|pre|nav)>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/[ \t]+/g, ' ')
}

/** The section of a service or DNS host, up to its end. */
function partOf(html: string, id: string): string {
  const [, part = ''] = html.split(`<div id="${id}">`)
  return toText(part.split('</details>')[0] ?? '')
}

/** Our texts as a page shows them, apart from the explained acronyms. */
function plain(text: string): string {
  return text.replaceAll('`', '')
}

function withoutExplanations(text: string): string {
  return text.replace(/ \([^)]*\)/g, '')
}

test('there is a page for each finding and each mechanism', () => {
  expect(LEARN_PATHS).toHaveLength(1 + MECHANISM_NAMES.length + FINDING_IDS.length)
  expect(FINDING_IDS).toEqual(Object.keys(FINDINGS))
  expect(LEARN_PATHS).toContain('/learn/spf.too-many-lookups')
  expect(LEARN_PATHS).toContain('/learn/mta-sts')
})

describe.each(FINDING_IDS)('/learn/%s', (id) => {
  test('says what it means and how to fix it', async () => {
    const html = await readMain(`/learn/${id}`)
    const text = withoutExplanations(toText(html))
    const { severity, title, meaning, steps, check, mechanism, reference } = FINDINGS[id]
    expect(text).toContain(`\n${withoutExplanations(title)}\n`)
    for (const part of [meaning, ...steps, check]) {
      expect(text).toContain(withoutExplanations(plain(part)))
    }
    expect(html).toMatch(new RegExp(`<span class="badge \\w+">${severity}</span>`))
    expect(html).toContain(`href="/learn/${mechanism}"`)
    expect(html).toContain(`href="/docs/findings#${id}"`)
    expect(html).toContain(`href="${rfcUrl(reference) ?? `/learn/${mechanism}`}"`)
  })
})

test.each([
  ['spf.allows-everyone', 'critical Fix this first.'],
  ['spf.missing', 'high Fix this soon. The check fails because of it.'],
  ['spf.type-99', 'info Good to know. It doesn’t change the result.'],
  ['plan.spf-too-full', 'high Read this before you follow the plan.'],
])('/learn/%s says how urgent it is: %s', async (id, text) => {
  expect(toText(await readMain(`/learn/${id}`))).toContain(text)
})

test('a finding that needs a change links to the instructions for services and DNS hosts', async () => {
  const html = await readMain('/learn/spf.too-many-lookups')
  expect(html).toContain('href="/learn/spf#services"')
  expect(html).toContain('href="/learn/spf#dns-hosts"')
  expect(await readMain('/learn/dkim.not-needed')).not.toContain('#dns-hosts')
  const bimi = await readMain('/learn/transport.bimi-invalid')
  expect(bimi).toContain('href="/learn/bimi#dns-hosts"')
  expect(bimi).not.toContain('#services')
})

describe.each(MECHANISM_NAMES)('/learn/%s', (name) => {
  const mechanism = MECHANISMS[name]

  test('starts with its everyday name and explains an example', async () => {
    const html = await readMain(`/learn/${name}`)
    const text = withoutExplanations(toText(html))
    expect(html).toContain(`<h1>${mechanismTitle(mechanism)}</h1>`)
    expect(text).toContain(`${mechanism.acronym} is short for ${mechanism.fullName}.`)
    const { record, parts } = mechanism.example
    expect(text).toContain(`\n${record}\n`)
    for (const [, meaning] of parts) expect(text).toContain(plain(meaning))
  })

  test('names every DNS host with its screen', async () => {
    const html = await readMain(`/learn/${name}`)
    const hosts = DNS_HOSTS.filter(({ isParking }) => !isParking)
    expect(hosts.length).toBeGreaterThan(45)
    for (const { id, name: host, panel } of hosts) {
      const [start = ''] = panel.screen.path.split(' > ')
      expect(html).toContain(`<summary>${host.replaceAll('&', '&amp;')}</summary>`)
      expect(partOf(html, `host-${id}`)).toContain(
        mechanism.form === null ? start : panel.screen.path,
      )
    }
  })
})

test.each([
  ['dmarc', 'host-cloudflare', 'Name for example.com itself\n@\n'],
  ['dmarc', 'host-cloudflare', 'Name for _dmarc.example.com\n_dmarc\n'],
  ['dmarc', 'host-he', 'Name for _dmarc.example.com\n_dmarc.example.com\n'],
  ['spf', 'host-route53', 'Name for example.com itself\nLeave it empty.\n'],
  ['spf', 'host-route53', 'Text\nPut it in double quotes.\n'],
  ['spf', 'host-route53', 'They’re a single entry with several values.'],
  ['dkim', 'host-route53', 'If the text is over 255 characters, split it into parts'],
  ['dkim', 'host-cloudflare', 'It can’t be longer than 4096 characters.'],
  ['dkim', 'host-cloudflare', 'Set the proxy status to DNS only (the gray cloud).'],
  ['dkim', 'host-ovh', 'End the target’s name with a dot.'],
  ['mx', 'host-namecheap', 'This host doesn’t accept a null MX. Leave it out.'],
  ['mx', 'host-linode', 'Enter priority 0 and leave the server empty.'],
  ['mx', 'host-namecheap', 'Set Mail Settings to Custom MX first'],
  ['tls-rpt', 'host-gcloud', 'Squarespace uses the same name servers'],
  ['dnssec', 'host-cloudflare', 'Start at Cloudflare: your domain > DNS > Records (as of'],
  ['dmarc', 'host-cloudflare', 'You’ll find them at your domain > Email > DMARC Management'],
  ['spf', 'service-google', 'Term\ninclude:_spf.google.com\n'],
  [
    'spf',
    'service-zoho',
    'If your mail server is zoho.eu or ends in .zoho.eu\ninclude:zohomail.eu\n',
  ],
  ['spf', 'service-sendgrid', 'You don’t need a term for Twilio SendGrid in your SPF record.'],
  ['dkim', 'service-mailchimp', 'Full name\nk2._domainkey.example.com\nValue\ndkim2.mcsv.net\n'],
  ['dkim', 'service-runbox', 'selector1-example-com.domainkey.runbox.com'],
  ['dkim', 'service-sendgrid', 's1.domainkey.{sendgrid-account}.sendgrid.net'],
  ['dkim', 'service-google', 'When it works, you see\nStatus: Authenticating email with DKIM\n'],
  ['dkim', 'service-postmark', 'This service only offers 1024-bit keys'],
  ['dmarc', 'service-mailchimp', 'Its mail passes with\nDKIM only.'],
  ['dmarc', 'service-google', 'Its mail passes with\nSPF or DKIM.'],
  ['mx', 'service-microsoft365', '0 example-com.mail.protection.outlook.com'],
  ['mta-sts', 'service-google', 'mx: smtp.google.com'],
  ['mta-sts', 'service-tuta', 'Full name\n_mta-sts.example.com\nValue\nmta-sts.tutanota.de\n'],
])('/learn/%s, %s: %s', async (name, id, text) => {
  expect(partOf(await readMain(`/learn/${name}`), id)).toContain(text)
})

test('the page about DKIM names every service of the catalog that signs, with its screen', async () => {
  const html = await readMain('/learn/dkim')
  const signing = ALL_SERVICES.filter(({ setup }) => setup.dkim !== null)
  expect(signing.length).toBeGreaterThan(90)
  for (const { id, setup } of signing) {
    expect(partOf(html, `service-${id}`)).toContain(setup.dkim?.screen?.path ?? 'What to do')
  }
})

test('the page about SPF names the terms of every service of the catalog', async () => {
  const html = await readMain('/learn/spf')
  const terms = ALL_SERVICES.flatMap(({ id, setup }) =>
    setup.spf.flatMap((spf) => spf.terms.map((term) => ({ id, term }))),
  )
  expect(terms.length).toBeGreaterThan(80)
  for (const { id, term } of terms.filter((each) => !each.term.includes('{'))) {
    expect(partOf(html, `service-${id}`)).toContain(term)
  }
})

test('every link to our own pages and their anchors works', async () => {
  const paths = [...LEARN_PATHS, ...ABOUT_PATHS, '/docs/findings']
  const pages = new Map(
    await Promise.all(paths.map(async (path) => [path, await readMain(path)] as const)),
  )
  const files = [PATHS.openapi, PATHS.llms, PATHS.manifest, PATHS.apiCatalog]
  const known = new Set<string>([...pagePaths(OPERATIONS), ...files])
  const links = [...pages].flatMap(([from, html]) =>
    [...html.matchAll(/href="([/#][^"]*)"/g)].map(([, to = '']) => ({ from, to })),
  )
  expect(links.length).toBeGreaterThan(1_500)
  const broken = links.filter(({ from, to }) => {
    const [path = '', anchor] = to.split('#')
    const target = path === '' ? from : path
    const hasAnchor = anchor === undefined || pages.get(target)?.includes(` id="${anchor}"`)
    return !known.has(target) || !hasAnchor
  })
  expect(broken).toEqual([])
})

test('/docs/findings keeps an anchor for each finding and links to its page', async () => {
  const html = await readMain('/docs/findings')
  for (const id of FINDING_IDS) {
    expect(html).toContain(`<div id="${id}">`)
    expect(html).toContain(`href="/learn/${id}"`)
  }
})

test('a finding in a result links to its page', async () => {
  const checked = createTestApp(zoneDns('acme.test. NS ns.acme.test.'))
  const html = await readMain('/?domain=acme.test', checked)
  expect(html).toContain('<a href="/learn/spf.missing">How to fix this, step by step</a>')
})

/**
 * Without code, in which an acronym is part of a record, without the catalog's own words about
 * services and DNS hosts, and without titles of findings: the text below explains them.
 */
function readProse(html: string): string {
  const left = ['details', 'code', 'pre'].reduce(
    (rest, tag) => rest.replace(new RegExp(`<${tag}[ >].*?</${tag}>`, 'gs'), '…'),
    html.replace(/<h1>[^(]*?<\/h1>|<ul class="finding-links">.*?<\/ul>/gs, '…'),
  )
  return toText(left)
}

const COMPOUND =
  /\b[A-Z-]{2,} \([^)]*\) (?:records?|polic|keys?|host|lookups?|address|answer|reports?\b|target|limit|files?)/

test.each([...LEARN_PATHS, ...ABOUT_PATHS])(
  '%s explains no acronym in the middle of a term',
  async (path) => {
    expect(COMPOUND.exec(readProse(await readMain(path)))?.[0]).toBeUndefined()
  },
)

test.each([...LEARN_PATHS, ...ABOUT_PATHS])(
  '%s explains each acronym at its first use',
  async (path) => {
    const text = readProse(await readMain(path))
    const unexplained = ACRONYMS.filter((acronym) => {
      const [before = '', after] = splitAtAcronym(text, acronym)
      if (after === undefined) return false
      const isExplained =
        after.startsWith(' (') ||
        (before.endsWith('(') && after.startsWith(')')) ||
        new RegExp(`^(?: [a-z]+){1,2} \\(${acronym}: `).test(after)
      return !isExplained
    })
    expect(unexplained).toEqual([])
  },
)

function splitAtAcronym(text: string, acronym: string): string[] {
  const match = new RegExp(`(?<![\\w-])${acronym}(?![\\w-])`).exec(text)
  return match ? [text.slice(0, match.index), text.slice(match.index + acronym.length)] : [text]
}

describe('acronyms', () => {
  test('are explained once, and never in code', () => {
    const expand = createAcronymExpander(['SPF'])
    expect(expand('SPF and `DNS` and DNS.')).toBe('SPF and `DNS` and DNS (the Domain Name System).')
    expect(expand('DNS again, and DNSSEC.')).toBe('DNS again, and DNSSEC (signed domain records).')
    expect(expand('Transport Layer Security (TLS), then TLS.')).toBe(
      'Transport Layer Security (TLS), then TLS.',
    )
  })

  test.each([
    ['At most 10 DNS lookups.', 'At most 10 DNS lookups (DNS: the Domain Name System).'],
    ['Receivers read only TXT records.', 'Receivers read only TXT records (TXT: text).'],
    [
      'An MTA-STS policy file is missing.',
      'An MTA-STS policy file (MTA-STS: encrypted delivery) is missing.',
    ],
    ['what the MX records name', 'what the MX records (MX: mail server) name'],
    [
      'An MX record in DNS names it.',
      'An MX record (MX: mail server) in DNS (the Domain Name System) names it.',
    ],
  ])('are explained after the words they belong to: %s', (text, expected) => {
    expect(createAcronymExpander([])(text)).toBe(expected)
  })
})

describe.each(['/learn', ...ABOUT_PATHS])('%s', (path) => {
  test('is easy to read', async () => {
    const html = await readMain(path)
    const blocks = [...html.matchAll(/<p>.*?<\/p>/gs)].map(([block]) => toText(block).trim())
    const texts = blocks.filter((block) => /[.?]$/.test(block))
    expect(texts.length).toBeGreaterThan(3)
    expect(readingGrade(texts.flatMap(splitSentences))).toBeLessThanOrEqual(9)
    const long = texts
      .flatMap(splitSentences)
      .filter((sentence) => splitWords(sentence).length > 25)
    expect(long).toEqual([])
  })
})

describe('pages about the service', () => {
  const PAYMENT = /\bpay(?:s|ment|ments)?\b|\bUSDC?\b|wallet|blockchain|refund|x402/i

  test('the questions are at least twelve, each with an answer', async () => {
    const html = await readMain('/faq')
    const answers = html
      .split('<section ')
      .slice(1)
      .map((section) =>
        toText(section)
          .split('\n')
          .filter((line) => line.trim() !== ''),
      )
    expect(answers.length).toBeGreaterThanOrEqual(16)
    expect(answers.filter(([question, answer]) => !question?.endsWith('?') || !answer)).toEqual([])
  })

  test('show prices, refunds and the public chain where reports are for sale', async () => {
    const [faq, privacy, terms] = await Promise.all(ABOUT_PATHS.map((path) => readMain(path)))
    expect(toText(faq ?? '')).toContain(
      'Plan the DNS records that secure a domain’s email: 1.00 USD',
    )
    expect(privacy).toContain('Payments are public on the blockchain')
    expect(terms).toContain('<h2 id="refunds">Refunds</h2>')
    expect(toText(terms ?? '')).toContain('You pay in USDC on Base.')
  })

  test('leave payments out where nothing is for sale', async () => {
    const free = createTestApp(zoneDns(''), { env: { PAYMENTS: 'off' } })
    for (const path of ABOUT_PATHS) {
      expect(toText(await readMain(path, free))).not.toMatch(PAYMENT)
      expect(toText(await readMain(path))).toMatch(PAYMENT)
    }
  })

  test('name what is kept, and for how long', async () => {
    const free = createTestApp(zoneDns(''), { env: { PAYMENTS: 'off' } })
    for (const at of [app, free]) {
      const privacy = toText(await readMain('/privacy', at))
      expect(privacy).toContain('in the tab’s session storage until you close the tab:')
      expect(privacy).toContain(
        'The text of your latest free results, so we can show what changed.',
      )
      expect(privacy).toContain('The language you picked for the examples in the docs.')
      const faq = toText(await readMain('/faq', at))
      expect(faq).not.toContain('stored?\nNo.')
      expect(faq).toContain('Your latest results, as text in your browser tab, until you close')
      expect(faq).toContain('in the server’s memory.')
      expect(faq).toContain('may keep badges and share images for up to an hour.')
    }
    expect(toText(await readMain('/privacy'))).toContain('The reports you bought')
    expect(toText(await readMain('/faq'))).toContain('until 24 hours after the payment expires')
  })

  test('the answer about p=reject demands DKIM and a month of reports', async () => {
    const [, answer = ''] = toText(await readMain('/faq')).split('Will p=reject break my mail?\nIt')
    expect(answer).toMatch(
      /^ can, .*for at least another month\. Switch to p=reject only when all your services pass with DKIM and none of your mail was lost\./,
    )
  })

  test('show the free limit and the contact address of this instance', async () => {
    const env = { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '77', CONTACT_EMAIL: 'hi@acme.example' }
    const own = createTestApp(zoneDns(''), { env })
    expect(toText(await readMain('/faq', own))).toContain('You can run 77 checks every 60 seconds.')
    for (const path of ABOUT_PATHS) {
      expect(await readMain(path, own)).toContain('href="mailto:hi@acme.example"')
      expect(await readMain(path)).not.toContain('mailto:')
    }
  })
})
