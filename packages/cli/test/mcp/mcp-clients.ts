/** The official MCP clients over stdio: the current major version with either handshake, and the previous one. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

export const CLIENTS = ['current', 'current, by the older handshake', 'previous'] as const

export interface ProgramToStart {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
}

export interface ConnectedClient {
  readonly client: Client | PreviousClient
  /** The protocol revision that both sides use. */
  readonly revision: string | undefined
  /** What the program has written to standard error. */
  errors(): string
}

export async function connectClient(
  kind: (typeof CLIENTS)[number],
  program: ProgramToStart,
): Promise<ConnectedClient> {
  const info = { name: 'test-client', version: '1.0.0' }
  const server = { ...program, stderr: 'pipe' as const }
  const errors: string[] = []
  const collect = ({ stderr }: StdioClientTransport | PreviousTransport) =>
    stderr?.on('data', (chunk) => errors.push(String(chunk)))
  if (kind === 'previous') {
    const client = new PreviousClient(info)
    const transport = new PreviousTransport(server)
    collect(transport)
    // This client does not say which revision it uses, so the transport does.
    let revision: string | undefined
    const withRevision: PreviousTransport & { setProtocolVersion(version: string): void } =
      Object.assign(transport, {
        setProtocolVersion(version: string) {
          revision = version
        },
      })
    await client.connect(withRevision)
    return { client, revision, errors: () => errors.join('') }
  }
  const mode = kind === 'current' ? 'auto' : 'legacy'
  const client = new Client(info, { versionNegotiation: { mode } })
  const transport = new StdioClientTransport(server)
  collect(transport)
  await client.connect(transport)
  const revision = client.getNegotiatedProtocolVersion()
  return { client, revision, errors: () => errors.join('') }
}
