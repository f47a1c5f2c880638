import { generate } from 'selfsigned'

export interface TestCertificate {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Creates a certificate for localhost, issued by an authority for this test run. */
export async function createTestCertificate(): Promise<TestCertificate> {
  const options = { keyType: 'ec', algorithm: 'sha256' } as const
  const authority = await generate([{ name: 'commonName', value: 'Mailgrade test authority' }], {
    ...options,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  const leaf = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...options,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { ca: authority.cert, cert: leaf.cert, key: leaf.private }
}

/**
 * The environment of a Node process that trusts only this authority. NODE_EXTRA_CA_CERTS adds one,
 * and for that Node 20 parses all of its own at every start, which takes 0.1 s.
 */
export function trustOnly(caFile: string): Record<string, string> {
  return { NODE_OPTIONS: '--use-openssl-ca', SSL_CERT_FILE: caFile }
}
