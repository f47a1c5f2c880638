/** What the servers of one run share: a directory, a certificate, free ports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestCertificate } from './test-certificate.js'

export interface ServerDirectory {
  readonly directory: string
  /** The authority to trust. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  /** Writes a file into the directory and says where it is. */
  write(name: string, text: string): Promise<string>
  remove(): Promise<void>
}

export async function createServerDirectory(): Promise<ServerDirectory> {
  const certificate = await createTestCertificate()
  const directory = await mkdtemp(join(tmpdir(), 'mailgrade-resolvers-'))
  const site: ServerDirectory = {
    directory,
    ...certificate,
    async write(name, text) {
      const path = join(directory, name)
      await writeFile(path, text)
      return path
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
  await site.write('cert.pem', certificate.cert)
  await site.write('key.pem', certificate.key)
  return site
}

/** Two ports of 127.0.0.1 that nobody listens on. */
export async function findFreePorts(): Promise<[number, number]> {
  // Held together until both are known, or the system could hand out the same one twice.
  const holders = [createServer(), createServer()]
  const [one, other] = await Promise.all(holders.map(listenOnFreePort))
  await Promise.all(holders.map((holder) => new Promise((resolve) => holder.close(resolve))))
  return [one as number, other as number]
}

export function listenOnFreePort(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
