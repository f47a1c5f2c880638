/** The records in the catalog are valid, and a check attributes each to its service. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { parseKeyRecord } from '../checks/dkim/key-record.js'
import { isDirective, parseSpf } from '../checks/spf/spf-record.js'
import {
  findProviderByMx,
  findServiceByDkimTarget,
  findServiceBySpfHost,
  MAILBOX_PROVIDERS,
  type MailService,
  SENDERS,
} from './mail-services.js'
import type { DkimRecordTemplate, RecordTemplate } from './service-schema.js'
import { describeSetup } from './service-setup.js'

const SERVICES: readonly MailService[] = [...MAILBOX_PROVIDERS, ...SENDERS]

/** A service that sends through another one publishes the records of that other one. */
const KEYS_OF: Readonly<Record<string, string>> = {
  workmail: 'ses',
  loops: 'ses',
}
const SPF_TERMS_OF: Readonly<Record<string, string>> = {
  'azure-communication include:spf.protection.outlook.com': 'microsoft365',
  'dreamhost include:relay.mailchannels.net': 'mailchannels',
  'godaddy-m365 include:secureserver.net': 'godaddy',
}
const MAIL_SERVERS_OF: Readonly<Record<string, string>> = {
  'godaddy-m365': 'microsoft365',
}

const HOST = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/
/** But not an SPF macro. */
const TOKEN = /(?<!%)\{([^{}]*)\}/g
const COMPUTABLE = ['d', 'dd', 'd_']

const MX = MAILBOX_PROVIDERS.flatMap(({ id, setup }) => setup.mx.map((mx) => ({ id, mx })))
const SPF = SERVICES.flatMap(({ id, setup }) =>
  setup.spf.flatMap(({ terms, forMx }) => terms.map((term) => ({ id, term, forMx }))),
)
const SCREENS = SERVICES.flatMap(({ id, setup: { dkim, spfSteps } }) =>
  [dkim, spfSteps].flatMap((steps) => (steps ? [{ id, ...steps }] : [])),
)
const CNAMES = recordsOf('CNAME')
const KEYS = recordsOf('TXT')

describe('mail servers of a provider', () => {
  test.each(MX)('$id: $mx', ({ id, mx }) => {
    const [, host = ''] = /^(?:0|[1-9]\d*) (\S+)$/.exec(filled(mx)) ?? []
    expect(host).toMatch(HOST)
    expect(findProviderByMx(host)?.id).toBe(MAIL_SERVERS_OF[id] ?? id)
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
  test.each(SPF.filter(({ term }) => term !== 'include:{spf-host}'))(
    '$id: $term',
    ({ id, term }) => {
      const { terms } = parseSpf(`v=spf1 ${filled(term)}`)
      const [only] = terms
      if (!only || terms.length > 1 || !isDirective(only)) throw new Error(`not one term: ${term}`)
      const host = only.target?.text ?? ''
      if (!host.includes('%')) expect(host).toMatch(HOST)
      expect(findServiceBySpfHost(host)?.id).toBe(SPF_TERMS_OF[`${id} ${term}`] ?? id)
    },
  )

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

  test('is absent for unaligned senders, except where the service checks for it', () => {
    const useless = SERVICES.filter(
      (row) => row.returnPathAtRoot === 'never' && row.setup.spf.length > 0,
    )
    expect(useless.map(({ id }) => id)).toEqual(['forwardemail', 'mailerlite'])
  })

  test('is never regional for senders', () => {
    expect(SENDERS.filter(({ setup }) => setup.spf.some(({ forMx }) => forMx))).toEqual([])
  })
})

describe('DKIM CNAME', () => {
  test.each(CNAMES)('$id: $selector to $value', ({ id, value }) => {
    if (/^\{[^{}]+\}$/.test(value)) return
    expect(filled(value)).toMatch(HOST)
    expect(findServiceByDkimTarget(filled(value))?.id).toBe(KEYS_OF[id] ?? id)
  })

  test.each(CNAMES.filter(({ value }) => !value.startsWith('{')))(
    '$id: the target $value is below one of its own',
    ({ id, value }) => {
      const targets = SERVICES.find((row) => row.id === id)?.dkimTargets ?? []
      expect(targets.filter((target) => `.${value}`.endsWith(`.${target}`))).toHaveLength(1)
    },
  )
})

describe('DKIM key record', () => {
  test.each(KEYS.filter(({ value }) => !/^\{record(-\d)?\}$/.test(value)))(
    '$id: $selector with $value',
    ({ value }) => {
      const text = value.replace(/\{([a-z0-9-]*-)?public-key\}/, SPKI[2048])
      expect(parseKeyRecord(text)).toMatchObject({ valid: true, keySize: 2048, faults: [] })
    },
  )

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
    // The checks query only keys of the domain itself.
    const isSought = ({ id, selector, below }: (typeof records)[number]) =>
      below !== undefined || SERVICES.find((row) => row.id === id)?.selectors.includes(selector)
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
      ...setup.spf.flatMap(({ terms }) => terms),
      ...(setup.dkim?.records ?? []).flatMap(({ selector, value, below = '' }) => [
        selector,
        value,
        below,
      ]),
      ...(setup.returnPath ?? []).flatMap(({ label, value }) => [label, value]),
      ...(setup.mtaSts?.map(({ target }) => target) ?? []),
    ]
    const tokens = templates.flatMap(tokensOf).filter((token) => !COMPUTABLE.includes(token))
    expect(tokens.filter((token) => !/^\{[a-z_][a-z\d-]*\}$/.test(`{${token}}`))).toEqual([])
    const rest = templates.map((text) => text.replace(TOKEN, '').replace(/%\{[a-z]\}/g, ''))
    expect(rest.filter((text) => /[{}]/.test(text))).toEqual([])
  })

  test('does not occur in mail servers', () => {
    const texts = MX.map(({ mx }) => mx)
    expect(texts.filter((text) => !isComputable(text))).toEqual([])
  })

  test('occurs in the SPF terms of two services, which give each customer another host', () => {
    const terms = SPF.filter(({ term }) => !isComputable(term)).map(({ term }) => term)
    expect(terms).toEqual(['include:spf.{region}.exclaimer.net', 'include:{spf-host}'])
  })

  test('does not repeat the id of the service', () => {
    const repeated = [...CNAMES, ...KEYS].filter(({ id, selector, value }) =>
      [...tokensOf(selector), ...tokensOf(value)].some((token) => token.includes(id)),
    )
    expect(repeated).toEqual([])
  })
})

describe('return path', () => {
  const records = SERVICES.flatMap(({ id, setup }) =>
    (setup.returnPath ?? []).map((record) => ({ id, ...record })),
  )

  test.each(records)('$id: $label $type $value', ({ label, type, value }) => {
    expect(`${filled(label)}.acme.test`).toMatch(HOST)
    if (type === 'TXT') {
      if (value !== '{spf-record}')
        expect(value).toMatch(/^v=spf1 include:\S+( include:\S+)? [~-]all$/)
      return
    }
    const host = type === 'MX' ? value.replace(/^(\d+|\{priority-\d\}) /, '') : value
    if (type === 'MX') expect(host).not.toBe(value)
    if (!/^\{[^{}]+\}$/.test(host)) expect(filled(host)).toMatch(HOST)
  })
})

describe('screen', () => {
  const screens = SCREENS.flatMap(({ id, screen }) => (screen ? [{ id, ...screen }] : []))

  test.each(screens)('$id: $path', ({ path }) => {
    expect(path).toMatch(/^[!-~]+( [!-~]+)*$/)
    expect(path).not.toMatch(/\.$|https?:|[{}]/)
    expect(path.replaceAll(' > ', '')).not.toContain('>')
  })

  test.each(SCREENS)('$id: what to do is a sentence, what it shows is a noun phrase', (steps) => {
    const { getValues, turnOn, shownAs } = steps
    for (const sentence of [getValues, turnOn].filter((text) => text !== undefined)) {
      expect(sentence).toMatch(/^[A-Z][ -~’“”]+[^ .]\.$/)
      expect(sentence).not.toMatch(/https?:| {2}|[{}]/)
    }
    if (shownAs !== undefined) expect(shownAs).toMatch(/^[ -~]+[^ .]$/)
  })
})

describe('longer keys', () => {
  const rows = SERVICES.flatMap(({ id, setup: { dkim } }) =>
    dkim?.longerKeys ? [{ id, dkim, ...dkim.longerKeys }] : [],
  )

  test.each(rows)('$id: $how', ({ how, screen, dkim }) => {
    expect(how.replaceAll('{d}', 'acme.test')).toMatch(/^[A-Z][ -z~’“”]+[^ .]\.$/)
    expect(screen ?? dkim.screen).not.toBeNull()
  })

  test('come behind the same records only where those are CNAMEs', () => {
    const wrong = rows.filter(
      ({ sameRecords, dkim }) => sameRecords && dkim.records.some(({ type }) => type !== 'CNAME'),
    )
    expect(rows.filter(({ sameRecords }) => sameRecords).map(({ id }) => id)).toEqual([
      'microsoft365',
      'microsoft365-gov',
      'godaddy-m365',
      'workmail',
      'ses',
    ])
    expect(wrong).toEqual([])
  })

  test('are not promised for a service that has only short ones', () => {
    expect(rows.filter(({ dkim }) => dkim.hasOnlyShortKeys)).toEqual([])
  })
})

describe('description of a setup', () => {
  const describeService = (id: string) => {
    const service = SERVICES.find((row) => row.id === id)
    return service?.setup.dkim && describeSetup(service.name, service.setup.dkim)
  }

  test.each([
    [
      'google',
      'In Google Workspace, open Apps > Google Workspace > Gmail > Authenticate email. Select your domain, choose Generate new record, and keep 2048 bits. Then copy the TXT record’s name and value. Choose Start authentication.',
    ],
    [
      'postmark',
      'In Postmark, open Sender Signatures > your domain > DNS Settings. Copy the values. Choose Verify next to DKIM.',
    ],
    [
      'tuta',
      'There’s nothing to copy, because the DKIM records for Tuta (Tutanota) are known in advance. In Tuta (Tutanota), open Settings > Global settings > Custom email domains and check that it has found them.',
    ],
    ['godaddy', 'Ask GoDaddy support for your domain’s two DKIM targets.'],
    [
      'hey',
      'There’s nothing to copy, because the DKIM records for HEY for Domains are known in advance. In the domain settings of HEY for Domains, check that it has found them and signs your mail.',
    ],
    ['omnisend', 'In Omnisend, open Store settings > Sender domains. Copy the values.'],
  ])('%s', (id, text) => {
    expect(describeService(id)).toBe(text)
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

function isComputable(template: RecordTemplate): boolean {
  return tokensOf(template).every((token) => COMPUTABLE.includes(token))
}

/** For acme.test, with `xx` for what only the service knows. */
function filled(template: RecordTemplate): string {
  const values: Readonly<Record<string, string>> = {
    d: 'acme.test',
    dd: 'acme-test',
    d_: 'acme_test',
  }
  return template.replace(TOKEN, (_, token: string) => values[token] ?? 'xx')
}
