import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  compileDmarcServices,
  compileDnsHosts,
  compileLists,
  compileServices,
} from './compile-catalog.js'

const NOW = '2026-11'

const services = (sender: string) =>
  `{ mailbox: [], gateway: [], forwarder: [], sender: [${sender}] }`
const acme = (fields = '', setup = '') =>
  `{ id: acme, name: Acme, returnPathAtRoot: never, ${fields} setup: { ${setup} } }`
const dkim = (fields: string) => acme('', `dkim: { ${fields} }`)
const RECORD = `records: ['s1._domainkey CNAME {target}']`

test('a service is compiled with all that it leaves out', () => {
  const [service] = compileServices(services(dkim(`${RECORD}, getValues: Copy it.`)), NOW)
  expect(service).toEqual({
    id: 'acme',
    name: 'Acme',
    kind: 'sender',
    returnPathAtRoot: 'never',
    mx: [],
    spf: [],
    selectors: [],
    dkimTargets: [],
    evidence: {},
    setup: {
      mx: [],
      spf: [],
      dkim: {
        screen: null,
        getValues: 'Copy it.',
        records: [{ selector: 's1', type: 'CNAME', value: '{target}' }],
      },
    },
  })
})

test.each([
  ['an unknown key', acme('mxs: [],'), /sender\.acme.*"mxs"/],
  ['a duplicate id', `${acme()}, ${acme()}`, /^acme: two entries have this id$/],
  [
    'a month in the future',
    dkim('screen: { path: DNS, confirmed: 2026-12 }'),
    /^acme: confirmed in the future, 2026-12$/,
  ],
  [
    'a placeholder without a place to find it',
    dkim(RECORD),
    /^acme: nothing says where to find \{target\}$/,
  ],
  [
    'a regular expression that is none',
    dkim(`records: [], tokenInInclude: { token: code, pattern: '(' }`),
    /sender\.acme\.setup\.dkim\.tokenInInclude\.pattern: not a regular expression/,
  ],
  [
    'longer keys seen in the future',
    dkim(`records: [], longerKeys: { how: Ask., screen: { path: A, confirmed: 2026-12 } }`),
    /^acme: confirmed in the future, 2026-12$/,
  ],
  ['a record that is none', dkim(`records: ['s1 CNAME']`), /not a record: s1 CNAME/],
  ['a host that is none', acme('spf: [Acme],'), /sender\.acme\.spf\.0/],
  [
    'a sender that does not say where its bounces go',
    '{ id: a, name: A, setup: {} }',
    /returnPathAtRoot/,
  ],
])('a service with %s is rejected', (_, sender, fault) => {
  expect(() => compileServices(services(sender), NOW)).toThrow(fault)
})

const hosts = (...list: string[]) =>
  `{ generic: { screen: { path: DNS } }, hosts: [${list.join()}] }`
const panel = (fields: string) =>
  `{ id: acme, name: Acme, ns: [ns.acme.test], panel: { ${fields} } }`

test.each([
  ['an unknown key', [panel('screen: { path: DNS }, apex: x')], /hosts\.acme\.panel.*"apex"/],
  [
    'a duplicate id',
    [panel('screen: { path: DNS }'), panel('screen: { path: DNS }')],
    /^acme: two/,
  ],
  [
    'a month in the future',
    [panel('screen: { path: DNS, confirmed: 2026-12 }')],
    /future, 2026-12$/,
  ],
  [
    'a regular expression that is none',
    [panel(`screen: { path: DNS }, pitfalls: [{ record: { type: MX, value: '(' }, text: No. }]`)],
    /hosts\.acme\.panel\.pitfalls\.0\.record\.value: not a regular expression/,
  ],
  [
    'no name servers',
    ['{ id: acme, name: Acme, panel: { screen: { path: DNS } } }'],
    /name servers/,
  ],
])('a DNS host with %s is rejected', (_, list, fault) => {
  expect(() => compileDnsHosts(hosts(...list), NOW)).toThrow(fault)
})

const hosting = (fields: string) => `{ id: acme, name: Acme, ${fields} }`
const HOSTED_SPF = 'hostedSpf: { hosts: [spf.acme.test] }'

test.each([
  ['no record to host', [hosting('')], /^acme: hosts nothing$/],
  ['an unknown key', [hosting('hostedSpf: { hosts: [a.test], host: b }')], /hostedSpf.*"host"/],
  ['a host that is none', [hosting('hostedSpf: { hosts: [Acme] }')], /acme\.hostedSpf\.hosts\.0/],
  ['a duplicate id', [hosting(HOSTED_SPF), hosting(HOSTED_SPF)], /^acme: two/],
  [
    'a month in the future',
    [hosting('hostedDmarc: { cnameTargets: [a.test], screen: { path: A, confirmed: 2026-12 } }')],
    /future, 2026-12$/,
  ],
])('a service that hosts records with %s is rejected', (_, list, fault) => {
  expect(() => compileDmarcServices(`[${list.join()}]`, NOW)).toThrow(fault)
})

const LISTS = readFileSync(new URL('../../data/lists.yaml', import.meta.url), 'utf8')

test.each([
  ['an unknown key', 'initials:', 'initial:', /^roleAccounts: .*"initial"/m],
  ['a name that is none', 'mx: naver.com', 'mx: Naver', /^consumerMailboxes\.naver\.mx\.0: /],
  ['a duplicate id', 'id: naver', 'id: qq', /^qq: two entries have this id$/],
  [
    'a regular expression that is none',
    'names: ^[a-z',
    'names: ^(',
    /^consumerMailboxes\.outlook\.names: not a regular expression$/,
  ],
  [
    'an unknown verdict',
    'verdict: risky',
    'verdict: ok',
    /^addressReasons\.possible_typo\.verdict/,
  ],
])('lists with %s are rejected', (_, valid, invalid, fault) => {
  expect(LISTS).toContain(valid)
  expect(() => compileLists(LISTS.replace(valid, invalid))).toThrow(fault)
})
