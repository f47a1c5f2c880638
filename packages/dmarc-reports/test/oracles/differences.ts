/** Where dmarc-cat 0.15.0 or Mail::DMARC 1.20211209 read a fixture in another way, and who is right. */

interface Difference {
  readonly fixture: string
  readonly tool: 'dmarc-cat' | 'Mail::DMARC' | 'Mail::DMARC without namespaces'
  readonly fields: readonly string[]
  readonly reason: string
}

const NO_NAMESPACES =
  'Mail::DMARC looks for elements without a namespace and finds none. RFC 9990 requires the namespace, and RFC 7489 defines one.'
const LOSES_PASS =
  'Mail::DMARC turns every disposition but the three of RFC 7489 into none. RFC 9990 adds pass.'
const ENUMERATION =
  'The word is outside the enumeration. We say other, because nothing else is known.'

export const DIFFERENCES: readonly Difference[] = [
  {
    fixture: 'bad-address',
    tool: 'dmarc-cat',
    fields: ['error'],
    reason:
      'dmarc-cat refuses the whole report for one bad address. We skip the record and say so.',
  },
  {
    fixture: 'bad-address',
    tool: 'Mail::DMARC',
    fields: ['number of records'],
    reason: 'Mail::DMARC takes host names and impossible addresses as a source. We skip them.',
  },
  {
    fixture: 'bad-header',
    tool: 'Mail::DMARC',
    fields: ['error'],
    reason: 'The XML declaration is broken and has no meaning for the report. We ignore it.',
  },
  {
    fixture: 'facebook',
    tool: 'dmarc-cat',
    fields: ['disposition', 'dkim', 'spf'],
    reason: `${ENUMERATION} dmarc-cat repeats the word.`,
  },
  {
    fixture: 'facebook',
    tool: 'Mail::DMARC',
    fields: ['disposition', 'dkim', 'spf'],
    reason: `${ENUMERATION} Mail::DMARC turns unknown results into pass, which hides failures.`,
  },
  { fixture: 'gmx', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  {
    fixture: 'godaddy',
    tool: 'dmarc-cat',
    fields: ['number of records'],
    reason: 'dmarc-cat counts a record without a source. We skip it and say so.',
  },
  {
    fixture: 'godaddy',
    tool: 'Mail::DMARC',
    fields: ['number of records'],
    reason: 'Mail::DMARC counts a record without a source. We skip it and say so.',
  },
  {
    fixture: 'ikea',
    tool: 'dmarc-cat',
    fields: ['error'],
    reason: 'The schema tag is never closed. The report inside is complete, so we read it.',
  },
  {
    fixture: 'ikea',
    tool: 'Mail::DMARC',
    fields: ['error'],
    reason: 'The schema tag is never closed. The report inside is complete, so we read it.',
  },
  {
    fixture: 'invalid-utf8',
    tool: 'dmarc-cat',
    fields: ['error'],
    reason: 'One wrong byte in a name is no reason to lose the report. We replace the character.',
  },
  {
    fixture: 'invalid-utf8',
    tool: 'Mail::DMARC',
    fields: ['error'],
    reason: 'One wrong byte in a name is no reason to lose the report. We replace the character.',
  },
  {
    fixture: 'junc-org',
    tool: 'dmarc-cat',
    fields: ['headerFrom'],
    reason: 'dmarc-cat knows only identifiers. We accept identities, as Mail::DMARC does.',
  },
  {
    fixture: 'large-counts',
    tool: 'dmarc-cat',
    fields: ['number of records'],
    reason: 'dmarc-cat counts a negative number of messages. We skip the record.',
  },
  {
    fixture: 'large-counts',
    tool: 'Mail::DMARC',
    fields: ['number of records'],
    reason: 'Mail::DMARC counts a negative number of messages. We skip the record.',
  },
  {
    fixture: 'mixed-case',
    tool: 'dmarc-cat',
    fields: ['domain', 'disposition', 'dkim', 'spf', 'headerFrom'],
    reason: 'dmarc-cat keeps the case, so Pass is no pass for it. DNS and we ignore the case.',
  },
  {
    fixture: 'mixed-case',
    tool: 'Mail::DMARC',
    fields: ['error'],
    reason: 'Mail::DMARC refuses Pass as a result. We ignore the case.',
  },
  {
    fixture: 'no-records',
    tool: 'dmarc-cat',
    fields: ['error'],
    reason: 'dmarc-cat refuses a report without records. Its period still counts as covered.',
  },
  {
    fixture: 'opendmarc',
    tool: 'Mail::DMARC',
    fields: ['error'],
    reason: 'Mail::DMARC refuses the report for the unknown word in sp. We say other.',
  },
  {
    fixture: 'opendmarc-fractions',
    tool: 'dmarc-cat',
    fields: ['error'],
    reason: 'dmarc-cat accepts only whole seconds. We cut the fraction off.',
  },
  {
    fixture: 'opendmarc-fractions',
    tool: 'Mail::DMARC',
    fields: ['begin', 'end'],
    reason: 'Mail::DMARC keeps the fraction. The format has whole seconds, so we cut it off.',
  },
  {
    fixture: 'policy-twice',
    tool: 'dmarc-cat',
    fields: ['org'],
    reason: 'The name is empty. We use the domain of the mail address instead.',
  },
  {
    fixture: 'policy-twice',
    tool: 'Mail::DMARC',
    fields: ['org'],
    reason: 'The name is empty. We use the domain of the mail address instead.',
  },
  { fixture: 'rfc9990', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  { fixture: 'rfc9990-extensions', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  { fixture: 'rfc9990-lang', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  { fixture: 'rfc9990-prefixed', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  { fixture: 'rfc9990-test-mode', tool: 'Mail::DMARC', fields: ['error'], reason: NO_NAMESPACES },
  {
    fixture: 'rfc9990',
    tool: 'Mail::DMARC without namespaces',
    fields: ['disposition'],
    reason: LOSES_PASS,
  },
  {
    fixture: 'rfc9990-lang',
    tool: 'Mail::DMARC without namespaces',
    fields: ['disposition'],
    reason: LOSES_PASS,
  },
  {
    fixture: 'rfc9990-test-mode',
    tool: 'Mail::DMARC without namespaces',
    fields: ['disposition'],
    reason: LOSES_PASS,
  },
]
