import { expect, test } from 'vitest'
import { joinSplitTerms, repairInvalidTerm, splitRunTogether } from './repair-term.js'

test.each<[string, string[] | null]>([
  // Misspelled.
  ['ipv4:192.0.2.1', ['ip4:192.0.2.1']],
  ['ip4=192.0.2.1', ['ip4:192.0.2.1']],
  ['include=spf.test', ['include:spf.test']],
  ['~include=spf.test', ['~include:spf.test']],
  ['192.0.2.1', ['ip4:192.0.2.1']],
  ['+192.0.2.0/24', ['ip4:192.0.2.0/24']],
  ['ip4:192.0.2.0/255.255.255.0', ['ip4:192.0.2.0/24']],
  ['-ip4:192.0.2.0/255.255.255.255', ['-ip4:192.0.2.0/32']],
  // Separators that do not exist.
  ['ip4:192.0.2.1;', ['ip4:192.0.2.1']],
  [',include:spf.test,', ['include:spf.test']],
  [';', []],
  [',', []],
  // Two terms without a space.
  ['ip4:192.0.2.1include:spf.test', ['ip4:192.0.2.1', 'include:spf.test']],
  ['ip4:192.0.2.1-all', ['ip4:192.0.2.1']],
  ['include:spf.test~all;', ['include:spf.test']],
  // Not clear.
  ['foo', null],
  ['foo:bar.test', null],
  ['ip4:192.0.2.300', null],
  ['ip4:192.0.2.0/255.0.255.0', null],
  ['ip4:spf.test', null],
])('repairs %s to %j', (term, repaired) => {
  expect(repairInvalidTerm(term)).toEqual(repaired)
})

test.each<[string, string[] | null]>([
  ['ip4:192.0.2.1ip4:192.0.2.2', ['ip4:192.0.2.1', 'ip4:192.0.2.2']],
  ['ip4:192.0.2.0/24include:spf.test', ['ip4:192.0.2.0/24', 'include:spf.test']],
  ['include:one.testinclude:two.test', ['include:one.test', 'include:two.test']],
  ['include:one.test~all', ['include:one.test', '~all']],
  ['include:one.test -all', ['include:one.test', '-all']],
  // One term.
  ['include:spf-all.test', null],
  ['include:include.test', null],
  ['include:spf.test', null],
  // Macros may hold anything.
  ['exists:%{i}.ip4:x.test', null],
  // A part that is not valid.
  ['foo:ip4:192.0.2.1', null],
])('splits %s into %j', (term, terms) => {
  expect(splitRunTogether(term)).toEqual(terms)
})

test.each([
  ['include: spf.test', 'include:spf.test'],
  ['ip4:  192.0.2.1', 'ip4:192.0.2.1'],
  ['ip6: 2001:db8::1', 'ip6:2001:db8::1'],
  ['ipv4: 192.0.2.1', 'ip4:192.0.2.1'],
  // The next term is one of its own, or no host.
  ['include: a', 'include: a'],
  ['include: ip4:192.0.2.1', 'include: ip4:192.0.2.1'],
  ['ip4: spf.test', 'ip4: spf.test'],
])('joins %s to %s', (terms, joined) => {
  expect(joinSplitTerms(`v=spf1 ${terms} -all`)).toBe(`v=spf1 ${joined} -all`)
})
