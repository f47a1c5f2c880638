/** A zone whose records try to attack the pages that show them. */

export const SCRIPT_TAG = '<script>alert(1)</script>'
export const IMG_ONERROR = '"><img src=x onerror=alert(1)>'
/** Without a space, which would end an SPF term. */
export const SVG_ONLOAD = `'"><svg/onload=alert(1)>`

export const HOSTILE_RECORDS = {
  spf: `v=spf1 include:${SCRIPT_TAG} exists:${SVG_ONLOAD} redirect=javascript:alert(1) ${IMG_ONERROR} -all`,
  dmarc: `v=DMARC1; p=none; rua=javascript:alert(1),mailto:${SVG_ONLOAD}@evil.test; x=${SCRIPT_TAG}`,
  dkim: `v=DKIM1; k=${SCRIPT_TAG}; n=${IMG_ONERROR}; p=AAAA`,
  mtaSts: `v=STSv1; id=${IMG_ONERROR}`,
} as const

/** Reversed by U+202E, cut by a NUL, hidden by U+200B and U+2066. */
export const BIDI_RECORDS = {
  spf: 'v=spf1 include:\u202Etset.doog\u202C ip4:192.0.2.1 -all',
  dmarc: 'v=DMARC1; p=reject; rua=mailto:a\u0000b\u200B@bidi.test; \u2066\u0007\u2069',
} as const

export const LONG_SPF_RECORD = `v=spf1 ${'include:_spf.<b>.test '.repeat(190)}-all`

export const HOSTILE_ZONE = `
evil.test. MX 10 ${escapeOctets('<svg/onload=alert(1)>')}.evil.test.
${txt('evil.test.', HOSTILE_RECORDS.spf)}
${txt('_dmarc.evil.test.', HOSTILE_RECORDS.dmarc)}
${txt('google._domainkey.evil.test.', HOSTILE_RECORDS.dkim)}
${txt('_mta-sts.evil.test.', HOSTILE_RECORDS.mtaSts)}
bidi.test. MX 10 mx.bidi.test.
mx.bidi.test. A 192.0.2.1
${txt('bidi.test.', BIDI_RECORDS.spf)}
${txt('_dmarc.bidi.test.', BIDI_RECORDS.dmarc)}
long.test. A 192.0.2.1
${txt('long.test.', LONG_SPF_RECORD)}
`

function txt(name: string, text: string): string {
  const octets = Buffer.from(text)
  const strings = Array.from({ length: Math.ceil(octets.length / 255) }, (_, index) =>
    octets.subarray(index * 255, (index + 1) * 255),
  )
  return `${name} TXT ${strings.map((string) => `"${escapeOctets(string)}"`).join(' ')}`
}

/** Escapes every octet that has a meaning in a zone file. */
function escapeOctets(text: string | Buffer): string {
  return [...Buffer.from(text)]
    .map((octet) => {
      const character = String.fromCharCode(octet)
      return /[\w-]/.test(character) ? character : `\\${String(octet).padStart(3, '0')}`
    })
    .join('')
}
