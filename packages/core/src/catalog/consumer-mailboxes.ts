/**
 * Services that give mailboxes to everyone at their own domains. Their mail servers and rules differ
 * from those of the same company's product for customers with a domain.
 */
import { createHostMatcher, type HostPattern } from './host-pattern.js'

export interface ConsumerMailbox {
  readonly id: string
  readonly name: string
  /** The service's own domains. */
  readonly domains: readonly string[]
  readonly mx: readonly HostPattern[]
  /** The mail servers also receive mail for customers' domains, which use another product. */
  readonly sharesMx?: true
  /** Whether a new mailbox can have this name, in lower case and without a tag. */
  readonly allowsName?: (name: string) => boolean
  /** Mailboxes are named after account or phone numbers. */
  readonly hasNumericNames?: true
}

const under = (name: string, suffixes: string) =>
  suffixes.split(' ').map((suffix) => `${name}.${suffix}`)

const OUTLOOK_DOMAINS: readonly string[] = [
  ...under('outlook', 'com at be com.br de dk es fr ie it jp pt'),
  ...under('hotmail', 'com be ca co.jp co.uk com.br de es fr it nl se'),
  ...under('live', 'com be ca co.uk com.au de dk fr it nl no se'),
  'msn.com',
]

/** Another company runs yahoo.co.jp. */
const YAHOO_DOMAINS: readonly string[] = [
  ...under('yahoo', 'com ca co.id co.in co.nz co.uk com.ar com.au com.br com.mx com.ph com.sg'),
  ...under('yahoo', 'de es fr gr ie in it'),
  ...['ymail.com', 'rocketmail.com', 'y7mail.com', 'myyahoo.com'],
]

/** At these services, no other character was ever allowed; lengths differ for old accounts. */
const hasPlainCharacters = (name: string) => /^[a-z\d._-]+$/.test(name)

/** Dots do not count, because Gmail ignores them. */
function isGmailName(name: string): boolean {
  return /^[a-z\d]+(?:\.[a-z\d]+)*$/.test(name) && /^.{6,30}$/.test(name.replaceAll('.', ''))
}

function isMailRuName(name: string): boolean {
  return /^[a-z\d]+(?:[._-][a-z\d]+)*$/.test(name) && /^.{4,31}$/.test(name)
}

export const CONSUMER_MAILBOXES: readonly ConsumerMailbox[] = [
  {
    id: 'gmail',
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com'],
    mx: ['gmail-smtp-in.l.google.com'],
    allowsName: isGmailName,
  },
  {
    id: 'outlook',
    name: 'Outlook.com',
    domains: OUTLOOK_DOMAINS,
    mx: ['olc.protection.outlook.com'],
    allowsName: hasPlainCharacters,
  },
  {
    id: 'yahoo',
    name: 'Yahoo Mail',
    domains: YAHOO_DOMAINS,
    mx: ['yahoodns.net'],
    sharesMx: true,
    allowsName: hasPlainCharacters,
  },
  {
    id: 'aol',
    name: 'AOL Mail',
    domains: ['aol.com', 'aim.com'],
    mx: ['mx-aol.mail.gm0.yahoodns.net'],
    allowsName: hasPlainCharacters,
  },
  {
    id: 'yahoo-japan',
    name: 'Yahoo! JAPAN Mail',
    domains: ['yahoo.co.jp', 'ymail.ne.jp'],
    mx: ['mail.yahoo.co.jp'],
  },
  {
    id: 'icloud-mail',
    name: 'iCloud Mail',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mx: ['mail.icloud.com'],
    sharesMx: true,
    allowsName: hasPlainCharacters,
  },
  {
    id: 'proton',
    name: 'Proton Mail',
    domains: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    mx: ['protonmail.ch'],
    sharesMx: true,
    allowsName: hasPlainCharacters,
  },
  {
    id: 'gmx',
    name: 'GMX',
    domains: under('gmx', 'de net at ch com'),
    mx: ['gmx.net'],
  },
  { id: 'webde', name: 'WEB.DE', domains: ['web.de'], mx: ['web.de'] },
  { id: 'mailcom', name: 'mail.com', domains: ['mail.com', 'email.com'], mx: ['mail.com'] },
  {
    id: 'mail-ru',
    name: 'Mail.ru',
    domains: ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru'],
    mx: ['mxs.mail.ru'],
    allowsName: isMailRuName,
  },
  {
    id: 'yandex-mail',
    name: 'Yandex Mail',
    domains: [...under('yandex', 'ru com by kz ua'), 'ya.ru'],
    mx: ['mx.yandex.ru', 'mx.yandex.net'],
    sharesMx: true,
  },
  {
    id: 'qq',
    name: 'QQ Mail',
    domains: ['qq.com', 'vip.qq.com', 'foxmail.com'],
    mx: ['mx1.qq.com', 'mx2.qq.com', 'mx3.qq.com'],
    hasNumericNames: true,
  },
  {
    id: 'netease',
    name: 'NetEase Mail',
    domains: ['163.com', '126.com', 'yeah.net'],
    mx: ['mxmail.netease.com'],
    sharesMx: true,
    hasNumericNames: true,
  },
  {
    id: 'naver',
    name: 'NAVER Mail',
    domains: ['naver.com'],
    mx: ['naver.com'],
    sharesMx: true,
  },
  {
    id: 'comcast',
    name: 'Xfinity',
    domains: ['comcast.net'],
    mx: ['comcast.net'],
    sharesMx: true,
  },
  {
    id: 't-online',
    name: 'Telekom Mail',
    domains: ['t-online.de', 'magenta.de'],
    mx: ['t-online.de'],
    sharesMx: true,
  },
  {
    id: 'seznam',
    name: 'Seznam Email',
    domains: ['seznam.cz', 'email.cz', 'post.cz'],
    mx: ['seznam.cz'],
    sharesMx: true,
  },
]

const findByMx = createHostMatcher(CONSUMER_MAILBOXES, ({ mx }) => mx)

/** The service that receives mail for the domain at this mail server; null when there is none. */
export function findConsumerMailboxByMx(domain: string, host: string): ConsumerMailbox | null {
  const found = findByMx(host)
  return found?.sharesMx && !found.domains.includes(domain) ? null : found
}

const byDomain = new Map(
  CONSUMER_MAILBOXES.flatMap((row) => row.domains.map((domain) => [domain, row] as const)),
)

/** The service that owns the domain; null when there is none. */
export function findConsumerMailboxByDomain(domain: string): ConsumerMailbox | null {
  return byDomain.get(domain) ?? null
}
