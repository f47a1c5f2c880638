import { expect, test } from 'vitest'
import type { DomainSummary } from './domain-summary.js'
import { domainsCsv } from './domains-csv.js'

const cell = (words: string) => ({ status: 'pass', words }) as const

function row(fix: string, words: Partial<Record<'spf' | 'mx', string>> = {}): DomainSummary {
  return {
    domain: 'acme.test',
    status: 'warn',
    label: 'Needs work',
    answer: 'Forged mail is refused, but some settings need work.',
    checked: {
      checkedAt: '2026-11-07T09:05:59.123Z',
      isForgeryRefused: true,
      spf: cell(words.spf ?? '1 of 10 lookups'),
      dkim: cell('1 key: 2048 bits'),
      dmarc: cell('Policy reject'),
      mx: cell(words.mx ?? '1 server'),
      fixes: [fix, 'Another'],
    },
  }
}

const HEADER = '\ufeffDomain,Verdict,Answer,SPF,DKIM,DMARC,MX,Fix first,Checked (UTC)\r\n'
const line = (fix: string) =>
  `acme.test,Needs work,"Forged mail is refused, but some settings need work.",1 of 10 lookups,1 key: 2048 bits,Policy reject,1 server,${fix},2026-11-07T09:05:59.123Z\r\n`

test.each([
  ['plain text', 'No DMARC record', 'No DMARC record'],
  ['a comma', 'One, two', '"One, two"'],
  ['quotation marks', 'Policy is "none"', '"Policy is ""none"""'],
  ['a line break', 'One\ntwo', '"One\ntwo"'],
  ['a formula', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['a plus sign', '+1', "'+1"],
  ['a minus sign', '-1', "'-1"],
  ['an at sign', '@SUM(A1)', "'@SUM(A1)"],
  ['a tab', '\t=1', "\t'=1"],
  ['a carriage return', '\r=1', `"\r'=1"`],
  ['a formula after a semicolon', 'v=DMARC1;=1+1; =2; "@x"', `"v=DMARC1;'=1+1; '=2; ""'@x"""`],
  ['a formula after a tab', 'a\t-1', "a\t'-1"],
  ['a formula after a comma', 'a,+1', `"a,'+1"`],
  ['a formula after a line break', 'a\n\n=1', `"a\n\n'=1"`],
  ['a wide formula', '＝1', "'＝1"],
  ['a DMARC record', 'v=DMARC1; p=reject', 'v=DMARC1; p=reject'],
  ['an SPF record', 'v=spf1 +mx -all', 'v=spf1 +mx -all'],
  ['a sign inside', 'a=1', 'a=1'],
])('%s', (_, fix, expected) => {
  expect(domainsCsv([row(fix)])).toBe(HEADER + line(expected))
})

test('a domain without a verdict has the reason as its answer', () => {
  const failed: DomainSummary = {
    ...row(''),
    domain: '-x',
    status: 'unknown',
    label: 'Not a domain',
    answer: 'Remove the hyphen.',
    checked: null,
  }
  expect(domainsCsv([failed])).toBe(`${HEADER}'-x,Not a domain,Remove the hyphen.,,,,,,\r\n`)
})
