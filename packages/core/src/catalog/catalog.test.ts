/** A check recognizes every row of the catalog by the row's own patterns. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { checkSpfZone as checkedSpf } from '../../test/support/spf-fixture.js'
import { checkMx } from '../checks/mx/check-mx.js'
import type { DomainName } from '../names/domain-name.js'
import { DNS_HOSTS, findDnsHost } from './dns-hosts.js'
import type { HostPattern } from './host-pattern.js'
import {
  findServiceByDkimTarget,
  MAILBOX_PROVIDERS,
  type MailService,
  SENDERS,
} from './mail-services.js'

const SERVICES: readonly MailService[] = [...MAILBOX_PROVIDERS, ...SENDERS]

/** A name server of each form that no pattern matches. */
const OF_FORM: Readonly<Record<string, readonly string[]>> = {
  route53: ['ns-2048.awsdns-64.com', 'ns-1.awsdns-00.co.uk'],
  gcloud: ['ns-cloud-a1.googledomains.com', 'ns-cloud-e4.googledomains.com'],
  azure: ['ns1-01.azure-dns.com', 'ns4-38.azure-dns.info'],
  netlify: ['dns1.p01.nsone.net', 'dns4.p09.nsone.net'],
  namecom: ['ns1abc.name.com'],
}

test('the beginning of a TXT record belongs to one service', () => {
  const texts = SERVICES.flatMap(({ evidence }) => evidence.texts ?? [])
  expect(repeated(texts.map((text) => text.toLowerCase()))).toEqual([])
  expect(texts.filter((text) => !/^[!-~]{5,}$/.test(text))).toEqual([])
})

describe('pattern', () => {
  const byPurpose: Readonly<Record<string, readonly HostPattern[]>> = {
    'mail servers': MAILBOX_PROVIDERS.flatMap((row) => row.mx),
    'hosts in SPF records': SERVICES.flatMap((row) => row.spf),
    'targets of DKIM CNAMEs': SERVICES.flatMap((row) => row.dkimTargets),
    'targets of CNAMEs': SERVICES.flatMap(({ dkimTargets, evidence }) => [
      ...new Set([...dkimTargets, ...(evidence.cnameTargets ?? [])]),
    ]),
    'mail servers below a domain': SENDERS.flatMap((row) => row.evidence.mxHosts ?? []),
    'name servers': DNS_HOSTS.flatMap((row) => row.ns),
  }

  test.each(Object.entries(byPurpose))('for %s has one owner', (_, patterns) => {
    expect(repeated(patterns)).toEqual([])
  })
})

test.each(MAILBOX_PROVIDERS.flatMap(({ id, mx }) => mx.map((pattern) => [pattern, id])))(
  'a domain with a mail server at %s is one of %s',
  async (pattern, id) => {
    const host = concrete(pattern)
    const dns = zoneDns(`acme.test. MX 10 ${host}.\n${host}. A 192.0.2.1`)
    const checked = await checkMx(dns, 'acme.test' as DomainName)
    expect(checked).toMatchObject({ report: { provider: { id } } })
  },
)

test.each(SERVICES.flatMap(({ id, spf }) => spf.map((pattern) => [pattern, id])))(
  'a domain whose SPF record includes %s lets %s send, unless it only forwards mail',
  async (pattern, id) => {
    const { report } = await checkedSpf(`acme.test. TXT "v=spf1 include:${concrete(pattern)} -all"`)
    const isForwarder = MAILBOX_PROVIDERS.some((one) => one.id === id && one.kind === 'forwarder')
    expect(report.senders.map((sender) => sender.id)).toEqual(isForwarder ? [] : [id])
  },
)

test.each(SERVICES.flatMap(({ id, dkimTargets }) => dkimTargets.map((target) => [target, id])))(
  'a key kept below %s is one of %s',
  (pattern, id) => {
    expect(findServiceByDkimTarget(`selector.${concrete(pattern)}`)?.id).toBe(id)
  },
)

test.each(DNS_HOSTS.flatMap(({ id, ns }) => ns.map((pattern) => [pattern, id])))(
  'a name server below %s is one of %s',
  (pattern, id) => {
    expect(findDnsHost(concrete(pattern))?.id).toBe(id)
    expect(findDnsHost(`ns1.${concrete(pattern)}`)?.id).toBe(id)
  },
)

describe('name server regular expression', () => {
  const withForms = DNS_HOSTS.filter(({ nsRegExps = [] }) => nsRegExps.length > 0)

  test('is anchored and lower case', () => {
    const forms = withForms.flatMap(({ nsRegExps = [] }) => nsRegExps)
    expect(forms.filter((form) => !/^\^[^A-Z]+\$$/.test(form))).toEqual([])
  })

  test('has an example', () => {
    expect(Object.keys(OF_FORM).sort()).toEqual(withForms.map(({ id }) => id).sort())
  })

  test.each(Object.entries(OF_FORM).flatMap(([id, names]) => names.map((name) => [name, id])))(
    'recognizes %s as one of %s',
    (name, id) => {
      expect(findDnsHost(name)?.id).toBe(id)
    },
  )

  test.each(withForms.flatMap(({ id, nsRegExps = [] }) => nsRegExps.map((form) => ({ id, form }))))(
    '$form of $id fits an example',
    ({ id, form }) => {
      expect(OF_FORM[id]?.some((name) => new RegExp(form).test(name))).toBe(true)
    },
  )
})

/** A host that the pattern covers. */
function concrete(pattern: HostPattern): string {
  return pattern.replaceAll('*', 'any')
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
