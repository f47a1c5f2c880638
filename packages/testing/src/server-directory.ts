/** A temporary directory with a certificate, shared by the servers of one test run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestCertificate } from './test-certificate.js'

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
