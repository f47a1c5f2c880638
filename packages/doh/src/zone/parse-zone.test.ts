import { describe, expect, test } from 'vitest'
import { parseZone } from './parse-zone.js'

/** One line per record: owner, TTL, type and data. */
const read = (text: string) =>
  parseZone(text).map(
    ({ owner, ttl, type, data }) => `${owner} ${ttl} ${type} ${JSON.stringify(data)}`,
  )

test('parses a typical zone', () => {
  const text = `
$ORIGIN acme.test.
$TTL 1h
@       IN SOA ns1 hostmaster (
            2026111500 ; serial
            2h 15m 2w  ; refresh, retry, expire
            300 )      ; minimum
        IN NS  ns1
        IN MX  10 mail
        IN MX  20 mail.backup.test.
        IN TXT "v=spf1 mx " "-all"
ns1  60 IN A   192.0.2.1
mail    IN AAAA 2001:DB8:0:0::7
www     IN CNAME @
_25._tcp.mail IN TLSA 3 1 1 ( 00FF
                              a0 )
_dmarc  IN TXT "v=DMARC1; p=reject" ; what a policy
`
  expect(read(text)).toEqual([
    'acme.test 3600 SOA {"primary":"ns1.acme.test","mailbox":"hostmaster.acme.test","serial":2026111500,"minimum":300}',
    'acme.test 3600 NS "ns1.acme.test"',
    'acme.test 3600 MX {"preference":10,"exchange":"mail.acme.test"}',
    'acme.test 3600 MX {"preference":20,"exchange":"mail.backup.test"}',
    'acme.test 3600 TXT ["v=spf1 mx ","-all"]',
    'ns1.acme.test 60 A "192.0.2.1"',
    'mail.acme.test 3600 AAAA "2001:db8::7"',
    'www.acme.test 3600 CNAME "acme.test"',
    '_25._tcp.mail.acme.test 3600 TLSA {"usage":3,"selector":1,"matchingType":1,"data":"00ffa0"}',
    '_dmarc.acme.test 3600 TXT ["v=DMARC1; p=reject"]',
  ])
})

describe('names', () => {
  test('are absolute without $ORIGIN', () => {
    expect(read('acme.test A 192.0.2.7\nacme.test. A 192.0.2.8')).toEqual([
      'acme.test 3600 A "192.0.2.7"',
      'acme.test 3600 A "192.0.2.8"',
    ])
  })

  test('in $ORIGIN may be relative to the previous origin', () => {
    expect(read('$ORIGIN test.\n$ORIGIN acme\n@ NS ns1\n$ORIGIN .\n@ NS ns1')).toEqual([
      'acme.test 3600 NS "ns1.acme.test"',
      '. 3600 NS "ns1"',
    ])
  })

  test('include the root under any origin', () => {
    expect(read('$ORIGIN acme.test.\n@ MX 0 .\n. NS ns1')).toEqual([
      'acme.test 3600 MX {"preference":0,"exchange":"."}',
      '. 3600 NS "ns1.acme.test"',
    ])
  })

  test('are canonical', () => {
    expect(read('ACME.Test. NS \\065.test.\na\\046b.test. NS ü.test.')).toEqual([
      'acme.test 3600 NS "a.test"',
      'a\\.b.test 3600 NS "\\\\195\\\\188.test"',
    ])
  })

  test('that end with an escaped dot are relative', () => {
    expect(read('$ORIGIN test.\na\\. A 192.0.2.7')).toEqual(['a\\..test 3600 A "192.0.2.7"'])
  })

  test('of blank owners are the previous owner, across directives and comments', () => {
    expect(read('a.test. A 192.0.2.7\n; comment\n$TTL 5\n  A 192.0.2.8')).toEqual([
      'a.test 3600 A "192.0.2.7"',
      'a.test 5 A "192.0.2.8"',
    ])
  })
})

describe('TTL, class and type', () => {
  test.each([
    ['60', 60],
    ['0', 0],
    ['90s', 90],
    ['5m', 300],
    ['1H', 3_600],
    ['2d', 172_800],
    ['1w', 604_800],
    ['1h30m', 5_400],
    ['1h30', 3_630],
  ])('parses the TTL %s as %i seconds', (text, ttl) => {
    expect(read(`a.test. ${text} A 192.0.2.7`)).toEqual([`a.test ${ttl} A "192.0.2.7"`])
    expect(read(`$TTL ${text}\na.test. A 192.0.2.7`)).toEqual([`a.test ${ttl} A "192.0.2.7"`])
  })

  test.each(['60 IN', 'IN 60', 'in 60', '60', '60 in'])('accepts %s before the type', (head) => {
    expect(read(`a.test. ${head} a 192.0.2.7`)).toEqual(['a.test 60 A "192.0.2.7"'])
  })

  test('accepts an owner that looks like a TTL, a class or a type', () => {
    expect(read('60 A 192.0.2.7\nin A 192.0.2.8\nmx 5 MX 1 mx')).toEqual([
      '60 3600 A "192.0.2.7"',
      'in 3600 A "192.0.2.8"',
      'mx 5 MX {"preference":1,"exchange":"mx"}',
    ])
  })

  test('rejects an invalid TTL with many digits quickly', () => {
    // A regular expression with backtracking would hang here.
    const digits = '1'.repeat(60)
    expect(() => parseZone(`a.test. ${digits}x A 192.0.2.7`)).toThrow(
      `line 1: record type ${digits}X is not supported`,
    )
  })
})

describe('strings', () => {
  test('keep escaped octets, quotes and backslashes', () => {
    expect(parseZone('a.test. TXT "say \\"hi\\" \\\\ \\255" un\\032quoted')[0]?.data).toEqual([
      'say "hi" \\ \xff',
      'un quoted',
    ])
  })

  test('encode characters beyond ASCII as UTF-8', () => {
    expect(parseZone('a.test. TXT "ü"')[0]?.data).toEqual(['\xc3\xbc'])
  })

  test('have at most 255 octets', () => {
    expect(parseZone(`a.test. TXT "${'x'.repeat(255)}"`)[0]?.data).toEqual(['x'.repeat(255)])
    expect(() => parseZone(`a.test. TXT "${'x'.repeat(256)}"`)).toThrow('not a valid TXT record')
  })

  test('are allowed in SPF records', () => {
    expect(read('a.test. SPF "v=spf1 " "-all"')).toEqual(['a.test 3600 SPF ["v=spf1 ","-all"]'])
  })
})

describe('errors name the line', () => {
  const first = 'a.test. A 192.0.2.7\n\n'
  test.each([
    ['SRV 0 0 25 mail', 'line 3: record type SRV is not supported'],
    ['', 'line 3: record type  is not supported'],
    ['A', 'line 3: the data is not a valid A record'],
    ['A 192.0.2.256', 'line 3: the data is not a valid A record'],
    ['A 192.0.2.1 192.0.2.2', 'line 3: the data is not a valid A record'],
    ['AAAA 192.0.2.1', 'line 3: the data is not a valid AAAA record'],
    ['AAAA ::1 ::2', 'line 3: the data is not a valid AAAA record'],
    ['CNAME', 'line 3: the data is not a valid CNAME record'],
    ['CNAME b c', 'line 3: the data is not a valid CNAME record'],
    ['NS a..b', 'line 3: the data is not a valid NS record'],
    ['MX mail', 'line 3: the data is not a valid MX record'],
    ['MX ten mail', 'line 3: the data is not a valid MX record'],
    ['MX 65536 mail', 'line 3: the data is not a valid MX record'],
    ['MX 10 mail other', 'line 3: the data is not a valid MX record'],
    ['MX 10 a..b', 'line 3: the data is not a valid MX record'],
    ['SOA ns h 1 2 3 4', 'line 3: the data is not a valid SOA record'],
    ['SOA ns h 1 2 3 4 5 6', 'line 3: the data is not a valid SOA record'],
    ['SOA ns h 1 2 3 4 five', 'line 3: the data is not a valid SOA record'],
    ['SOA a..b h 1 2 3 4 5', 'line 3: the data is not a valid SOA record'],
    ['TLSA 3 1 1', 'line 3: the data is not a valid TLSA record'],
    ['TLSA 3 1 256 00', 'line 3: the data is not a valid TLSA record'],
    ['TLSA 3 1 1 0', 'line 3: the data is not a valid TLSA record'],
    ['TLSA 3 1 1 xx', 'line 3: the data is not a valid TLSA record'],
    ['TXT', 'line 3: the data is not a valid TXT record'],
    ['TXT "good" "bad \\999"', 'line 3: the data is not a valid TXT record'],
    ['toString x', 'line 3: record type TOSTRING is not supported'],
  ])('b.test. %s', (rest, message) => {
    expect(() => parseZone(`${first}b.test. ${rest}\nc.test. A 192.0.2.9`)).toThrow(
      `zone file, ${message}`,
    )
  })

  test.each([
    ['$INCLUDE other.zone', '$INCLUDE other.zone is not a valid $ORIGIN or $TTL'],
    ['$TTL', '$TTL is not a valid $ORIGIN or $TTL'],
    ['$TTL soon', '$TTL soon is not a valid $ORIGIN or $TTL'],
    ['$ORIGIN a..b', '$ORIGIN a..b is not a valid $ORIGIN or $TTL'],
    ['  A 192.0.2.7', 'the record has no valid owner'],
    ['a..test. A 192.0.2.7', 'the record has no valid owner'],
    [`${'x'.repeat(64)}.test. A 192.0.2.7`, 'the record has no valid owner'],
  ])('%s', (line, message) => {
    expect(() => parseZone(`; one\n${line}`)).toThrow(`zone file, line 2: ${message}`)
  })
})
