import { generate } from 'selfsigned'

export interface TestCertificate {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** A certificate for localhost from an authority that exists for this test run only. */
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
