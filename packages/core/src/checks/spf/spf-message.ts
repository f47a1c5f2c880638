/** Reads the sender of a message to evaluate, as a person or program gives it. */
import { parseDomain } from '../../names/domain-name.js'
import { parseMailAddress } from '../../names/mail-address.js'
import { parseIpAddress } from '../ip-address.js'
import type { SpfMessage } from './evaluate-spf.js'

export interface GivenSpfSender {
  /** The address of the sending server. */
  readonly ip?: string | undefined
  /** MAIL FROM: an address or a domain. */
  readonly sender?: string | undefined
  readonly helo?: string | undefined
}

export type ParsedSpfSender =
  | { readonly kind: 'sender'; readonly sender: SpfSender | null }
  | { readonly kind: 'refused'; readonly parameter: keyof GivenSpfSender; readonly reason: string }

/** A message without the time at which it arrives. */
export type SpfSender = Omit<SpfMessage, 'timestamp'>

/** A host name, or an address in brackets (RFC 5321 §4.1.3). */
const HELO = /^[\x21-\x7e]{1,255}$/

/** Null when no address is given. Without `sender` it is the postmaster of the domain. */
export function parseSpfSender(
  { ip, sender, helo }: GivenSpfSender,
  domain: string,
): ParsedSpfSender {
  if (ip === undefined) {
    const stray = sender === undefined ? helo : sender
    return stray === undefined
      ? { kind: 'sender', sender: null }
      : refuse(
          'ip',
          'The parameter ip is missing, and sender and helo need it. Send the IP address of the sending server, such as 192.0.2.1.',
        )
  }
  const text = ip.trim()
  if (!parseIpAddress(text)) {
    return refuse('ip', 'This isn’t an IP address. Send one such as 192.0.2.1 or 2001:db8::1.')
  }
  if (helo !== undefined && !HELO.test(helo.trim())) {
    return refuse('helo', 'This isn’t a HELO name. Send a host name such as mail.example.com.')
  }
  const from = sender === undefined ? `postmaster@${domain}` : parseSender(sender.trim())
  if (from === null) {
    return refuse(
      'sender',
      'This is neither an email address nor a domain. Send one such as ann@example.com.',
    )
  }
  return { kind: 'sender', sender: { ip: text, sender: from, helo: helo?.trim() ?? null } }
}

/** RFC 7208 §4.3: a domain stands for its postmaster. */
function parseSender(text: string): string | null {
  const address = text.includes('@') ? parseMailAddress(text) : null
  if (address) return address.kind === 'address' ? address.normalized : null
  const parsed = parseDomain(text, { allowPrivateNames: true })
  return parsed.kind === 'domain' ? `postmaster@${parsed.domain}` : null
}

function refuse(parameter: keyof GivenSpfSender, reason: string): ParsedSpfSender {
  return { kind: 'refused', parameter, reason }
}
