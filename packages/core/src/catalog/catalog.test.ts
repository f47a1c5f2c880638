/** A check recognizes every row of the catalog by the row's own patterns. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { checkSpfZone as checkedSpf } from '../../test/support/spf-fixture.js'
import { checkMx } from '../checks/mx/check-mx.js'
import type { DomainName } from '../names/domain-name.js'
import { DNS_HOSTS, findDnsHost } from './find-dns-host.js'
import type { HostPattern } from './host-pattern.js'
import { findServiceByDkimTarget, findServiceById, SENDERS } from './mail-services.js'
import { MAILBOX_PROVIDERS, type MailboxProvider } from './mailbox-providers.js'
import type { Sender } from './sender.js'

const SERVICES: readonly (MailboxProvider | Sender)[] = [...MAILBOX_PROVIDERS, ...SENDERS]

/** A name server of each form that no pattern matches. */
const OF_FORM: Readonly<Record<string, readonly string[]>> = {
  route53: ['ns-2048.awsdns-64.com', 'ns-1.awsdns-00.co.uk'],
  gcloud: ['ns-cloud-a1.googledomains.com', 'ns-cloud-e4.googledomains.com'],
  azure: ['ns1-01.azure-dns.com', 'ns4-38.azure-dns.info'],
  netlify: ['dns1.p01.nsone.net', 'dns4.p09.nsone.net'],
  namecom: ['ns1abc.name.com'],
}

describe('entry', () => {
  test('has a unique, readable id', () => {
    const services = SERVICES.map((row) => row.id)
    const hosts = DNS_HOSTS.map((row) => row.id)
    expect(repeated(services)).toEqual([])
    expect(repeated(hosts)).toEqual([])
    expect([...services, ...hosts].filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([])
  })

  test('has a printable name', () => {
    const names = [...SERVICES, ...DNS_HOSTS].map((row) => row.name)
    expect(names.filter((name) => !/^[!-~](?:[ -~]*[!-~])?$/.test(name))).toEqual([])
  })

  test('of a service is found by its id', () => {
    expect(SERVICES.filter(({ id, setup }) => findServiceById(id)?.setup !== setup)).toEqual([])
  })

  test('has selectors of one or more lower-case labels, each once', () => {
    const selectors = SERVICES.flatMap((row) => row.selectors)
    expect(selectors.filter((s) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(s))).toEqual([])
    expect(SERVICES.filter((row) => repeated(row.selectors).length > 0)).toEqual([])
  })
})

test('the beginning of a TXT record belongs to one service', () => {
  const texts = SERVICES.flatMap(({ evidence }) => evidence?.texts ?? [])
  expect(repeated(texts.map((text) => text.toLowerCase()))).toEqual([])
  expect(texts.filter((text) => !/^[!-~]{5,}$/.test(text))).toEqual([])
})

test('evidence is never empty', () => {
  const lists = SERVICES.flatMap(({ evidence }) => (evidence ? [Object.values(evidence)] : []))
  expect(lists.filter((all) => all.length === 0 || all.some((list) => list.length === 0))).toEqual(
    [],
  )
})

describe('pattern', () => {
  const byPurpose: Readonly<Record<string, readonly HostPattern[]>> = {
    'mail servers': MAILBOX_PROVIDERS.flatMap((row) => row.mx),
    'hosts in SPF records': SERVICES.flatMap((row) => row.spf),
    'targets of DKIM CNAMEs': SERVICES.flatMap((row) => row.dkimTargets),
    'targets of CNAMEs': SERVICES.flatMap(({ dkimTargets, evidence }) => [
      ...new Set([...dkimTargets, ...(evidence?.cnameTargets ?? [])]),
    ]),
    'mail servers below a domain': SENDERS.flatMap((row) => row.evidence?.mxHosts ?? []),
    'name servers': DNS_HOSTS.flatMap((row) => row.ns),
  }

  test.each(Object.entries(byPurpose))(
    'for %s has one owner and is a lower-case host below a fixed domain',
    (_, patterns) => {
      const label = '[a-z0-9_]([a-z0-9_-]*[a-z0-9])?'
      const host = new RegExp(String.raw`^((\*|${label})\.)*${label}\.[a-z]+$`)
      expect(repeated(patterns)).toEqual([])
      expect(patterns.filter((pattern) => !host.test(pattern))).toEqual([])
    },
  )

  test('or regular expression exists for every DNS host', () => {
    const isReachable = ({ ns, nsRegExps = [] }: (typeof DNS_HOSTS)[number]) =>
      ns.length + nsRegExps.length > 0
    expect(DNS_HOSTS.filter((host) => !isReachable(host))).toEqual([])
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
    const forms = withForms.flatMap(({ nsRegExps = [] }) => nsRegExps.map((form) => form.source))
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
      expect(OF_FORM[id]?.some((name) => form.test(name))).toBe(true)
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
