/** DNS records with which a domain owner could attack the service. */
import { cnameRecord, soaRecord } from '@mailgrade/testing/dns-message'
import type { Answer as PacketAnswer } from 'dns-packet'
import type { FuzzRandom } from './fuzz-random.js'

const MARKS = ['<fz>', '" onfz="x', '\0', '\r\nX-Fz: 1', '\xff\xfe', '', ';', ' ', '%{i}', '\\"']

/** Terms and tags are combined at random, also where they do not fit together. */
const TERMS = [
  'v=spf1',
  'include:a.bomb.test',
  'include:b.bomb.test',
  'include:%{i}.%{h}.bomb.test',
  'redirect=bomb.test',
  'a:loop.test/33',
  'mx',
  'ptr',
  'exists:%{l}.bomb.test',
  'ip4:10.0.0.0/0',
  'ip6:::/129',
  '-all',
  '+all',
  '?all',
]
const TAGS = [
  'v=DMARC1',
  'p=reject',
  'p=none',
  'sp=x',
  'pct=101',
  't=y',
  'rua=mailto:a@bomb.test!10m,mailto:b@other.test',
  'ruf=javascript:fz()',
  'np=',
  'v=DKIM1',
  'k=rsa',
  'k=ed25519',
  'p=AAAA',
  'p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ',
  'h=sha1:',
  't=s:y',
  'v=STSv1',
  'id=<fz>',
  'v=BIMI1',
  'l=http://169.254.169.254/',
  'v=TLSRPTv1',
]

function recordText(random: FuzzRandom): string {
  const isSpf = random.integerBelow(2) === 0
  const words = Array.from({ length: 1 + random.integerBelow(14) }, () =>
    random.pick(isSpf ? TERMS : TAGS),
  )
  const opening = isSpf ? 'v=spf1' : random.pick(['v=DMARC1', 'v=DKIM1', 'v=STSv1', 'v=BIMI1', ''])
  const mark = random.integerBelow(3) === 0 ? random.pick(MARKS) : ''
  return [opening, ...words, mark].join(isSpf ? ' ' : '; ')
}

function splitStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const count = Math.ceil(bytes.length / 255)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 255, (index + 1) * 255))
}

const HOSTS = [
  'mx.bomb.test',
  'mx.other.test',
  'loop.test',
  'localhost',
  '<fz>.test',
  '127.0.0.1',
  '.',
]

export function hostileRecords(name: string, type: string, random: FuzzRandom): PacketAnswer[] {
  const count = random.pick([0, 1, 1, 1, 2, 2, 40])
  const base = { name, ttl: random.pick([0, 60, 2 ** 31 - 1]) }
  if (random.integerBelow(30) === 0)
    return [cnameRecord(name, random.pick(['loop.test', name, 'bomb.test']))]
  return Array.from({ length: count }, (): PacketAnswer => {
    switch (type) {
      case 'MX':
        return {
          ...base,
          type: 'MX',
          data: { preference: random.integerBelow(65_536), exchange: random.pick(HOSTS) },
        }
      case 'A':
        return { ...base, type: 'A', data: random.pick(['10.0.0.1', '127.0.0.1', '192.0.2.1']) }
      case 'AAAA':
        return { ...base, type: 'AAAA', data: random.pick(['::1', 'fe80::1', '2001:db8::1']) }
      case 'NS':
        return { ...base, type: 'NS', data: random.pick(HOSTS) }
      case 'SOA':
        return soaRecord(name, 60, 60)
      default:
        return { ...base, type: 'TXT', data: splitStrings(recordText(random)) }
    }
  })
}
