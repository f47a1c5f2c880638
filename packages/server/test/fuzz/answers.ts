/** What is wrong with an answer, by the OpenAPI document and the rules of where it came from. */
import { OPERATIONS } from '../../src/operations/table.js'
import { schemaPointer } from '../openapi/document.js'
import type { CheckBody } from '../openapi/schema-check.js'
import { schemaCheck } from '../openapi/schema-check.js'
import { faultsInAny, parsed } from './every-answer.js'
import { faultsInMcp } from './mcp-answers.js'
import type { OpenApi } from './open-api.js'
import type { Plan } from './plan.js'
import type { Reply } from './wire.js'

export type Judge = (plan: Plan, reply: Reply) => string[]

const ELSEWHERE = [200, 204, 304, 308, 400, 402, 404, 405, 408, 413, 414, 431, 502, 504]
const PAGE = [...ELSEWHERE, 409, 503]

export function judgeBy(document: OpenApi): Judge {
  const checkBody = schemaCheck(document)
  return (plan, reply) => [
    ...faultsInAny(reply, checkBody),
    ...faultsOfKind(plan, reply, { document, checkBody }),
  ]
}

interface Rules {
  readonly document: OpenApi
  readonly checkBody: CheckBody
}

function faultsOfKind(plan: Plan, reply: Reply, rules: Rules): string[] {
  switch (plan.kind) {
    case 'operation':
      return faultsInOperation(plan, reply, rules)
    case 'mcp':
      return faultsInMcp(plan, reply, rules.checkBody)
    case 'page':
      return notIn(PAGE, reply)
    case 'elsewhere':
    case 'raw':
      return [...notIn(ELSEWHERE, reply), ...faultsInRedirect(reply, rules.document)]
  }
}

function faultsInOperation(plan: Plan, reply: Reply, { document, checkBody }: Rules): string[] {
  const operation = OPERATIONS.find(({ path }) => path === plan.asks)
  const described = document.paths[plan.asks ?? '']?.get.responses[reply.status]
  if (!operation || !described) return [`${reply.status} is not documented for ${plan.asks}`]
  const type = reply.headers.get('content-type') ?? ''
  if (!described.content?.[type]) return [`${reply.status} as ${type} is not documented`]
  const undescribed = ['payment-required', 'payment-response', 'ratelimit', 'retry-after']
    .filter((name) => reply.headers.has(name))
    .filter((name) => !Object.keys(described.headers ?? {}).some((it) => it.toLowerCase() === name))
  return [
    ...undescribed.map((name) => `${name} is not documented with ${reply.status}`),
    ...checkBody(schemaPointer(operation, reply.status, type), parsed(reply.body)).map(
      (words) => `${reply.status}:${words}`,
    ),
  ]
}

/** Nobody is sent to another site. */
function faultsInRedirect({ status, headers }: Reply, { servers }: OpenApi): string[] {
  const location = headers.get('location') ?? ''
  const isOurs = servers.some(({ url }) => location.startsWith(`${url}/`))
  return status !== 308 || isOurs ? [] : [`leads to ${location}`]
}

function notIn(statuses: readonly number[], { status }: Reply): string[] {
  return statuses.includes(status) ? [] : [`${status} is not to be expected here`]
}
