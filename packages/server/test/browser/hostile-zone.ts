/** A zone whose owner would like to do things in the pages that show it. */

export const SCRIPT = '<script>alert(1)</script>'
export const IMAGE = '"><img src=x onerror=alert(1)>'
/** Needs no space, so that it fits where one would end the term. */
export const VECTOR = `'"><svg/onload=alert(1)>`

export const RECORDS = {
  spf: `v=spf1 include:${SCRIPT} exists:${VECTOR} redirect=javascript:alert(1) ${IMAGE} -all`,
  dmarc: `v=DMARC1; p=none; rua=javascript:alert(1),mailto:${VECTOR}@evil.test; x=${SCRIPT}`,
  dkim: `v=DKIM1; k=${SCRIPT}; n=${IMAGE}; p=AAAA`,
  mtaSts: `v=STSv1; id=${IMAGE}`,
} as const

/** Turned around by U+202E, cut by a NUL, hidden by U+200B and U+2066. */
export const BIDI = {
  spf: 'v=spf1 include:\u202Etset.doog\u202C ip4:192.0.2.1 -all',
  dmarc: 'v=DMARC1; p=reject; rua=mailto:a\u0000b\u200B@bidi.test; \u2066\u0007\u2069',
} as const

export const LONG = `v=spf1 ${'include:_spf.<b>.test '.repeat(190)}-all`

export const HOSTILE_ZONE = `
evil.test. MX 10 ${escaped('<svg/onload=alert(1)>')}.evil.test.
${txt('evil.test.', RECORDS.spf)}
${txt('_dmarc.evil.test.', RECORDS.dmarc)}
${txt('google._domainkey.evil.test.', RECORDS.dkim)}
${txt('_mta-sts.evil.test.', RECORDS.mtaSts)}
bidi.test. MX 10 mx.bidi.test.
mx.bidi.test. A 192.0.2.1
${txt('bidi.test.', BIDI.spf)}
${txt('_dmarc.bidi.test.', BIDI.dmarc)}
long.test. A 192.0.2.1
${txt('long.test.', LONG)}
`

function txt(name: string, text: string): string {
  const octets = Buffer.from(text)
  const strings = Array.from({ length: Math.ceil(octets.length / 255) }, (_, index) =>
    octets.subarray(index * 255, (index + 1) * 255),
  )
  return `${name} TXT ${strings.map((string) => `"${escaped(string)}"`).join(' ')}`
}

/** Every octet that could mean something to a zone file, by its number. */
function escaped(text: string | Buffer): string {
  return [...Buffer.from(text)]
    .map((octet) => {
      const character = String.fromCharCode(octet)
      return /[\w-]/.test(character) ? character : `\\${String(octet).padStart(3, '0')}`
    })
    .join('')
}
