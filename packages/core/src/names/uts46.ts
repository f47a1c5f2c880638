/**
 * UTS #46, nontransitional: the processing of international names that browsers and registries
 * share. Node's `url.domainToASCII` is a host parser, which reads `0x7f.1` as an IP address and
 * `%41.com` as `a.com`.
 */
import { type Options, toASCII, toUnicode } from 'tr46'

const RULES = {
  transitionalProcessing: false,
  // RFC 5891 §4.2.3.1 would forbid `r3---sn.example.com`, which is in use; hyphens at the ends of
  // a label are rejected elsewhere.
  checkHyphens: false,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
} satisfies Options

/** The separators of UTS #46 §2.3: full stop, and the three characters mapped to it. */
const SEPARATOR = /[.\u3002\uff0e\uff61]/

/** Nearly all names only need lower case; this saves 0.1 ms each. */
const PLAIN = /^(?!(?:.*\.)?xn--)[a-z\d.-]*$/i

/** Lower-case ASCII; null when the rules forbid the name. Does not check lengths. */
export function toALabels(name: string, relaxed: Options = {}): string | null {
  if (PLAIN.test(name)) return name.toLowerCase()
  return toASCII(name, { ...RULES, ...relaxed })
}

/** The name for display: mapped, with its A-labels decoded. Forbidden labels are kept. */
export function toULabels(name: string): string {
  // Underscores are forbidden and kept, as in `_dmarc`.
  if (PLAIN.test(name.replaceAll('_', ''))) return name.toLowerCase()
  return toUnicode(name, RULES).domain
}

/** The labels as written, without the trailing dot of an absolute name (RFC 1034 §3.1). */
export function splitDomainLabels(name: string): string[] {
  const labels = name.split(SEPARATOR)
  if (labels.at(-1) === '') labels.pop()
  return labels
}
