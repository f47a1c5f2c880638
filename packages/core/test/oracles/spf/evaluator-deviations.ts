/**
 * Where other evaluators do not follow RFC 7208, and what the RFC says. Each deviation has a
 * correction of the same name: an edit of the evaluator's source, in pyspf_corrections.py or
 * mail-spf-corrections.pl. A deviation explains a difference only if the correction removes it.
 */
import type { TestMessage } from './spf-evaluators.js'
import type { ZoneData, ZoneRow } from './zone-data.js'

export interface EvaluatorDeviation {
  /** The name of the correction. */
  readonly id: string
  readonly name: string
  /** What the RFC says. */
  readonly rfc: string
  /** A minimal example: the sender's domain is `mail-1.test`. */
  readonly example: {
    readonly zone: ZoneData
    readonly message: TestMessage
    readonly failing: readonly string[]
  }
}

const MESSAGE: TestMessage = {
  ip: '192.0.2.1',
  sender: 'someone@mail-1.test',
  helo: 'helo.sender.test',
}

type Example = EvaluatorDeviation['example']

/** The record of `mail-1.test`, and what else there is. */
function example(
  record: string,
  others: Readonly<Record<string, readonly ZoneRow[]>> = {},
  rest: Partial<TestMessage> & { failing?: readonly string[] } = {},
): Example {
  const { failing = [], ...message } = rest
  return {
    zone: { 'mail-1.test': [txt(record)], ...others },
    message: { ...MESSAGE, ...message },
    failing,
  }
}

function txt(text: string): ZoneRow {
  return ['TXT', text.match(/.{1,255}/gs) ?? ['']]
}

const EXISTING: readonly ZoneRow[] = [['A', '127.0.0.2']]
const REVERSE = '1.2.0.192.in-addr.arpa'
const CLIENT: readonly ZoneRow[] = [['A', MESSAGE.ip]]

/** Labels of 60 characters: one too many for a name. */
const LONG_LABELS = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(60))
const LONG_NAME = [...LONG_LABELS, 'test'].join('.')
const FITTING_NAME = [...LONG_LABELS.slice(1), 'test'].join('.')

const POSTMASTER = {
  id: 'postmaster',
  name: '%{s} has no local part when the sender has none',
  rfc: '§4.3: "If the <sender> has no local-part, substitute the string "postmaster" for the local-part."',
  example: example(
    'v=spf1 exists:%{s}.x.test -all',
    { 'postmaster@mail-1.test.x.test': EXISTING },
    { sender: '@mail-1.test' },
  ),
}

const SINGLE_LABEL = {
  id: 'single-label',
  name: 'a name of one label may have a record',
  rfc: '§4.3: if the <domain> is not a multi-label domain name, check_host() returns none at once',
  example: example(
    'v=spf1 include:%{h} -all',
    { localhost: [txt('v=spf1 +all')] },
    { helo: 'localhost' },
  ),
}

const PTR_ERROR = {
  id: 'ptr-error',
  name: 'a failed PTR lookup is a temperror',
  rfc: '§5.5: "If a DNS error occurs while doing the PTR RR lookup, then this mechanism fails to match."',
  example: example('v=spf1 ptr -all', {}, { failing: [`PTR ${REVERSE}`] }),
}

const REVERSE_CASE = {
  id: 'reverse-case',
  name: '%{dR} does not reverse',
  rfc: '§7.1: the "r" of transformers is a quoted string of ABNF, which has no case (RFC 5234 §2.3)',
  example: example('v=spf1 exists:%{dR}.test -all', { 'test.mail-1.test': EXISTING }),
}

/** The usual ones first, because they are tried in this order. */
export const PYSPF_MESSAGE_DEVIATIONS: readonly EvaluatorDeviation[] = [
  {
    id: 'redirect-count',
    name: 'a redirect counts as a lookup before it is followed',
    rfc: '§6.1: it applies "if all mechanisms fail to match"; §4.6.4 limits the terms that "cause DNS queries at the time of evaluation"',
    example: example('v=spf1 -all redirect=other.test'),
  },
  REVERSE_CASE,
  {
    id: 'include-self',
    name: 'an include of the record itself is an error even if it is not evaluated',
    rfc: '§4.6.2: mechanisms are evaluated from left to right until one matches; §5.1: those behind "all" "will never be tested"',
    example: example('v=spf1 -all include:%{d}'),
  },
  {
    id: 'early-expansion',
    name: 'the lookups of %{p} are done for all terms, and for exp, before the first is evaluated',
    rfc: '§4.6.2: mechanisms are considered in turn from left to right; §4.6.4: exp "only causes a lookup at a later time"',
    example: example('v=spf1 -all exists:%{p}.test'),
  },
  {
    id: 'long-name',
    name: 'a name that is too long loses one label only',
    rfc: '§7.3: it is truncated "by removing successive domain labels (and their following dots) until the total length does not exceed 253 characters"',
    example: example(`v=spf1 exists:z.${LONG_NAME} -all`, { [FITTING_NAME]: EXISTING }),
  },
  {
    id: 'joined-with-dots',
    name: 'parts are joined with the characters at which they were split',
    rfc: '§7.3: they "are rejoined using "." and not the original splitting characters"',
    example: example('v=spf1 exists:%{d-}.x.test -all', { 'mail.1.test.x.test': EXISTING }),
  },
  {
    id: 'modifier-case',
    name: 'REDIRECT= and EXP= in capitals are taken for unknown modifiers',
    rfc: '§4.6.1, §12: names are quoted strings of ABNF, which have no case (RFC 5234 §2.3)',
    example: example('v=spf1 REDIRECT=other.test', { 'other.test': [txt('v=spf1 ip4:192.0.2.1')] }),
  },
  PTR_ERROR,
  {
    id: 'macro-syntax',
    name: 'the braces of a macro may contain other characters',
    rfc: '§7.1: macro-expand = ( "%{" macro-letter transformers *delimiter "}" ) / "%%" / "%_" / "%-"',
    example: example('v=spf1 exists:%{dx}.test -all'),
  },
  {
    id: 'control-characters',
    name: 'a term may contain control characters',
    rfc: '§7.1: macro-literal = %x21-24 / %x26-7E',
    example: example('v=spf1 foo=a\tb -all'),
  },
  {
    id: 'zero-parts',
    name: 'a macro may keep zero parts',
    rfc: '§7.3: "If a DIGIT is specified, the value MUST be nonzero."',
    example: example('v=spf1 exists:%{d0}.test -all'),
  },
  {
    id: 'percent-at-end',
    name: '"%%" at the end is an error',
    rfc: '§7.1: "%%" is a macro-expand, and a domain-end may be one',
    example: example('v=spf1 foo=100%% -all'),
  },
  POSTMASTER,
  {
    id: 'long-explanation',
    name: 'an explanation of more than 253 characters loses its beginning',
    rfc: '§7.3: this is for "when the result of macro expansion is used in a domain name query"',
    example: example('v=spf1 -all exp=why.test', {
      'why.test': [txt(`First. ${'Second '.repeat(40)}`)],
    }),
  },
  {
    id: 'explanation-characters',
    name: 'an explanation may contain control characters',
    rfc: '§6.2, §7.1: explain-string = *( macro-string / SP ), and macro-literal = %x21-24 / %x26-7E; "if there are syntax errors in the explanation string, then proceed as if no "exp" modifier was given"',
    example: example('v=spf1 -all exp=why.test', { 'why.test': [txt('a\tb')] }),
  },
  {
    id: 'modifier-macros',
    name: 'an unknown modifier may not have the macros of an explanation',
    rfc: '§12: unknown-modifier = name "=" macro-string; §6: "Unrecognized modifiers MUST be ignored"',
    example: example('v=spf1 foo=%{r} -all'),
  },
  {
    id: 'modifier-twice',
    name: 'an unknown modifier may occur only once',
    rfc: '§6: "Unrecognized modifiers MUST be ignored no matter where, or how often, they appear in a record."',
    example: example('v=spf1 foo=1 foo=2 -all'),
  },
  {
    id: 'p-domain',
    name: '%{p} keeps the value that it had in the first record',
    rfc: '§7.3: "If the <domain> is present in the list of validated domains, it SHOULD be used. Otherwise, if a subdomain of the <domain> is present, it SHOULD be used."',
    example: example('v=spf1 exists:%{p}.no.test include:b.test -all', {
      'b.test': [txt('v=spf1 exists:%{p}.yes.test -all')],
      [REVERSE]: [
        ['PTR', 'x.mail-1.test'],
        ['PTR', 'x.b.test'],
      ],
      'x.mail-1.test': CLIENT,
      'x.b.test': CLIENT,
      'x.b.test.yes.test': EXISTING,
    }),
  },
  {
    id: 'p-case',
    name: 'the case of a name matters for %{p}',
    rfc: '§7.3: "if a subdomain of the <domain> is present, it SHOULD be used"; names have no case (RFC 1035 §2.3.3)',
    example: example('v=spf1 include:B.test -all', {
      'b.test': [txt('v=spf1 exists:%{p}.yes.test -all')],
      [REVERSE]: [
        ['PTR', 'x.a.test'],
        ['PTR', 'x.b.test'],
      ],
      'x.a.test': CLIENT,
      'x.b.test': CLIENT,
      'x.b.test.yes.test': EXISTING,
    }),
  },
  {
    id: 'exists-host',
    name: 'with a qualifier, "exists" needs no host name',
    rfc: '§5.7: exists = "exists" ":" domain-spec',
    example: example('v=spf1 ~exists -all'),
  },
  {
    id: 'bare-domain',
    name: 'a percent sign in the domain itself is read as a macro',
    rfc: '§4.8: "If it is not provided, the <domain> from the check_host() arguments is used as the <target-name>"; only a <domain-spec> is subject to macro expansion',
    example: example('v=spf1 include:100%%.test -all', { '100%.test': [txt('v=spf1 ptr -all')] }),
  },
  SINGLE_LABEL,
]

export const MAIL_SPF_DEVIATIONS: readonly EvaluatorDeviation[] = [
  REVERSE_CASE,
  {
    id: 'upper-case-macros',
    name: 'macros in upper case are not URL-escaped',
    rfc: '§7.3: "Uppercase macros expand exactly as their lowercase equivalents, and are then URL escaped."',
    example: example(
      'v=spf1 exists:%{L}.x.test -all',
      { 'a%3db.x.test': EXISTING },
      { sender: 'a=b@mail-1.test' },
    ),
  },
  {
    id: 'mx-limit',
    name: 'of more than 10 mail servers, the first 10 are used',
    rfc: '§4.6.4: "If this limit is exceeded, the "mx" mechanism MUST produce a "permerror" result."',
    example: example('v=spf1 mx:many.test -all', {
      'many.test': Array.from({ length: 11 }, (_, index): ZoneRow => ['MX', [index, 'mx.test']]),
      'mx.test': CLIENT,
    }),
  },
  {
    id: 'mx-all-hosts',
    name: 'mail servers after the first match are not looked up',
    rfc: '§5.4: "it performs an address lookup on each MX name returned. The <ip> is compared to each returned IP address."',
    example: example('v=spf1 mx:two.test -all', {
      'two.test': ['mx', 'gone1', 'gone2', 'gone3'].map(
        (label, index): ZoneRow => ['MX', [index, `${label}.test`]],
      ),
      'mx.test': CLIENT,
    }),
  },
  {
    id: 'delimiters',
    name: 'delimiters have no effect without a number or "r"',
    rfc: '§7.3: the value is split at the delimiters, and the parts "are rejoined using ".""',
    example: example('v=spf1 exists:%{d-}.x.test -all', { 'mail.1.test.x.test': EXISTING }),
  },
  {
    id: 'cname-is-void',
    name: 'a lookup that finds only a CNAME is not void',
    rfc: '§4.6.4: a void lookup is an answer without records "or a "Name Error" (RCODE 3) answer"',
    example: example('v=spf1 a:one.test a:two.test a:three.test -all', {
      'one.test': [['CNAME', 'gone.test']],
      'two.test': [['CNAME', 'gone.test']],
      'three.test': [['CNAME', 'gone.test']],
    }),
  },
  {
    id: 'colon',
    name: 'a host name needs no colon, and a colon no host name',
    rfc: '§5.3: a = "a" [ ":" domain-spec ] [ dual-cidr-length ]',
    example: example('v=spf1 a:/24 -all'),
  },
  {
    id: 'malformed-name',
    name: 'a name that cannot exist is shortened or queried',
    rfc: '§4.8: the <target-name> is "a fully qualified DNS name"; RFC 1035 §2.3.4: labels have 1 to 63 octets, so there is nothing to query',
    example: example('v=spf1 a:one..test a:two..test a:three..test -all'),
  },
  {
    id: 'redirect-count',
    name: 'a redirect counts as a lookup although a mechanism matches',
    rfc: '§6.1: it applies "if all mechanisms fail to match"; §4.6.4 limits the terms that "cause DNS queries at the time of evaluation"',
    example: example(`v=spf1${' a:no.match.test'.repeat(10)} -all redirect=other.test`, {
      'no.match.test': [['A', '198.51.100.1']],
    }),
  },
  {
    id: 'macro-syntax',
    name: 'the letter and number of a macro are checked only if the term is evaluated',
    rfc: '§4.6: "If there are any syntax errors anywhere in the record, check_host() returns immediately with the result "permerror", without further interpretation or evaluation."',
    example: example('v=spf1 +all exists:%{x}.test'),
  },
  {
    id: 'ip6-for-ipv4',
    name: 'ip6 matches IPv4 senders',
    rfc: '§5: even an IPv4-mapped address "MUST still be considered an IPv4 address", for which ip4 is the mechanism',
    example: example('v=spf1 ip6:::/0 -all'),
  },
  {
    id: 'ptr-all-names',
    name: 'ptr looks up only the names below its domain, until one is valid',
    rfc: '§5.5: "for each name in (sending-domain_names) { IP_addresses := a_lookup(name);"',
    example: example('v=spf1 ptr -all', {
      [REVERSE]: ['gone1', 'gone2', 'gone3'].map((label): ZoneRow => ['PTR', `${label}.test`]),
    }),
  },
  {
    id: 'ptr-target',
    name: 'the target of ptr is not expanded if the address has no names, so %{p} has no lookups',
    rfc: '§4.8: "The <domain-spec> string is subject to macro expansion", and the result is the <target-name> of §5.5',
    example: example('v=spf1 ptr ptr:%{p} -all'),
  },
  {
    id: 'explanation-first',
    name: 'the lookups of exp count, and are done for every result',
    rfc: '§4.6.4: exp does not count, it "only causes a lookup at a later time"; §6.2: it is for a fail',
    example: example('v=spf1 a:gone1.test a:gone2.test -all exp=%{p}.test'),
  },
  PTR_ERROR,
  POSTMASTER,
  {
    id: 'empty-parts',
    name: 'empty parts at the end of a value are dropped',
    rfc: '§7.3: "no special treatment is given to leading, trailing, or consecutive delimiters"',
    example: example(
      'v=spf1 exists:%{l1-}.x.test -all',
      { 'trailing.x.test': EXISTING },
      { sender: 'trailing-@mail-1.test' },
    ),
  },
  {
    id: 'null-mx',
    name: 'the null MX is looked up as a host',
    rfc: 'RFC 7505 §3: "." denotes "that there exists no mail exchanger for a domain", so §5.4 has no MX name to look up',
    example: example('v=spf1 a:gone1.test a:gone2.test mx:null.test -all', {
      'null.test': [['MX', [0, '.']]],
    }),
  },
  {
    id: 'long-domain',
    name: 'in an included record, %{d} is the name before it was truncated',
    rfc: '§7.3: a name of more than 253 characters is truncated; §4.3: check_host() has no record for a malformed <domain>',
    example: example(`v=spf1 include:${LONG_NAME} -all`, {
      [FITTING_NAME]: [txt('v=spf1 exists:%{d1r}.x.test -all')],
      [`${LONG_LABELS[1]}.x.test`]: EXISTING,
    }),
  },
  SINGLE_LABEL,
]
