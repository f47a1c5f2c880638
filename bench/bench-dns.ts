/** `npm run bench -- dns`: our DoH client with both HTTP/2 clients, bare `node:http2` and `fetch`. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestCertificate } from '@mailgrade/testing/server-directory'
import { runScript, spawnScript } from './bench-environment.js'

export async function benchDns(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mailgrade-bench-'))
  const { ca, cert, key } = await createTestCertificate()
  for (const [name, text] of Object.entries({ ca, cert, key })) {
    await writeFile(join(folder, `${name}.pem`), text)
  }
  const server = spawnScript('./dns-server.js', { BENCH_FOLDER: folder })
  try {
    const [port] = await once(server, 'message')
    await runScript('./dns-client.js', {
      BENCH_PORT: String(port),
      // The only way to make `fetch` trust an authority.
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    })
  } finally {
    server.kill()
    await rm(folder, { recursive: true })
  }
}
