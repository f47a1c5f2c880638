/** A temporary directory with a certificate, shared by the servers of one test run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

export interface ServerDirectory {
  readonly directory: string
  /** The certificate of the authority that clients must trust. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  /** Writes a file into the directory and returns its path. */
  write(name: string, text: string): Promise<string>
  remove(): Promise<void>
}

export async function createServerDirectory(): Promise<ServerDirectory> {
  const certificate = await createTestCertificate()
  const directory = await mkdtemp(join(tmpdir(), 'mailgrade-resolvers-'))
  const serverDirectory: ServerDirectory = {
    directory,
    ...certificate,
    async write(name, text) {
      const path = join(directory, name)
      await writeFile(path, text)
      return path
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
  await serverDirectory.write('cert.pem', certificate.cert)
  await serverDirectory.write('key.pem', certificate.key)
  return serverDirectory
}

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
