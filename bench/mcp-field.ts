/** The same questions over HTTP and MCP, and found to have the same answers. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { CHECK, CHECK_PATH, SCORE } from './mcp-aims.js'
import { type Era, rpcText, verifyResult } from './mcp-messages.js'
import { challenger, offerFrom, seller } from './pay-field.js'
import type { Contestant, Contestants } from './pay-load.js'
import type { ChainProcess, Server } from './pay-processes.js'
import { ask, jsonOf, verifyAnswer } from './pay-replies.js'
import { getText, paid, repeated } from './pay-requests.js'
import { openWallet } from './pay-wallet.js'

export type Trio = Contestants<'http' | Era>

export async function checkTrio(server: Server): Promise<Trio> {
  const trio = {
    http: fixed(server, getText(CHECK_PATH), verifyAnswer(200, '"status":"pass"')),
    ...inBothEras((era) =>
      fixed(server, rpcText(era, 'tools/call', CHECK), verifyResult('"status":"pass"')),
    ),
  }
  await compareReports(trio)
  return trio
}

export async function challengeTrio(server: Server): Promise<Trio> {
  const trio = {
    http: challenger(server),
    ...inBothEras((era) =>
      fixed(server, rpcText(era, 'tools/call', SCORE), verifyResult('"amount":"10000"', true)),
    ),
  }
  const { accepts } = await offerFrom(server)
  for (const era of [trio.modern, trio.legacy]) {
    deepStrictEqual((await offerOverMcp(era)).accepts, accepts)
  }
  return trio
}

/** Without a chain every payment is good. */
export async function saleTrio(server: Server, chain: ChainProcess | null): Promise<Trio> {
  const { modern } = await challengeTrio(server)
  const wallet = openWallet(await offerOverMcp(modern), chain !== null)
  const trio = {
    http: seller(server, await offerFrom(server), chain).contestant,
    ...inBothEras((era) => ({
      server,
      requests: paid(wallet, (payment) => paidCall(era, payment)),
      verify: verifyResult('"x402/payment-response":{"success":true'),
    })),
  }
  await compareReports(trio)
  return trio
}

/** What a client asks before it calls anything; there is nothing like it over HTTP. */
export function talk(server: Server): Record<string, Contestant> {
  const asked = (era: Era, method: string, part: string) =>
    fixed(server, rpcText(era, method), verifyResult(part))
  return {
    'tools/list, modern': asked('modern', 'tools/list', '"outputSchema"'),
    'tools/list, legacy': asked('legacy', 'tools/list', '"outputSchema"'),
    'server/discover': asked('modern', 'server/discover', '"instructions"'),
  }
}

function paidCall(era: Era, payment: object): string {
  return rpcText(era, 'tools/call', { ...SCORE, _meta: { 'x402/payment': payment } })
}

function fixed(server: Server, text: string, verify: Contestant['verify']): Contestant {
  return { server, requests: repeated(text), verify }
}

function inBothEras(make: (era: Era) => Contestant): Record<Era, Contestant> {
  return { modern: make('modern'), legacy: make('legacy') }
}

async function offerOverMcp(contestant: Contestant): Promise<PaymentRequired> {
  return jsonOf(await ask(contestant)).result.structuredContent
}

async function compareReports(trio: Trio): Promise<void> {
  const { meta, ...report } = jsonOf(await ask(trio.http))
  ok(meta)
  for (const contestant of [trio.modern, trio.legacy]) {
    const { content, structuredContent } = jsonOf(await ask(contestant)).result
    const { meta, ...same } = structuredContent
    deepStrictEqual(same, report)
    strictEqual(content[1].text, JSON.stringify({ ...same, meta }))
  }
}
