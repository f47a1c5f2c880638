/** About one endpoint: what it takes, what it answers, an example. */

import { metaSchema } from '../../operations/meta.js'
import { isPaid, type Operation } from '../../operations/operation.js'
import { reportPagePath } from '../../operations/pages.js'
import type { ProblemCode } from '../../operations/problem-types.js'
import { exampleInput } from '../../operations/sample-query.js'
import { listSchemaFields } from '../../operations/schema-fields.js'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { useLink, useSite } from '../site-context.js'
import { FieldList, ResponseList } from './field-list.js'

export interface EndpointResponses {
  /** To the operation's own example. */
  readonly result: object | undefined
  readonly problems: readonly { readonly problem: { readonly code: ProblemCode } }[]
}

const NONE: EndpointResponses = { result: undefined, problems: [] }

export function endpointDocsPage(operation: Operation, answers = NONE): Page {
  return {
    title: operation.path,
    description: `${operation.summary}. ${operation.description}`,
    body: <Endpoint operation={operation} answers={answers} />,
  }
}

function Endpoint({ operation, answers }: { operation: Operation; answers: EndpointResponses }) {
  const { baseUrl, isSandbox } = useSite()
  const query = new URLSearchParams(exampleInput(operation, isSandbox))
  return (
    <>
      <h1>
        <code>GET {operation.path}</code>
      </h1>
      <p class="summary">{operation.summary}.</p>
      <p>{operation.description}</p>
      <Cost operation={operation} />
      <h2>Parameters</h2>
      <FieldList members={listSchemaFields(operation.input)} />
      <h2>Example</h2>
      <CopyableBlock text={`curl -i '${baseUrl}${operation.path}?${query}'`} what="the command" />
      <p>
        {isPaid(operation) && 'The answer is 402, with the price. '}
        {isPaid(operation) ? 'With a payment in PAYMENT-SIGNATURE' : 'The answer'}
        {!isSandbox && ', here about a demo domain'}:
      </p>
      {answers.result && (
        <CopyableBlock text={JSON.stringify(answers.result, null, 2)} what="the answer" />
      )}
      <h2>Answers</h2>
      <ResponseList codes={answers.problems.map(({ problem }) => problem.code)} />
      <h2>Members of the result</h2>
      <FieldList members={listSchemaFields(operation.output.extend({ meta: metaSchema }))} />
    </>
  )
}

function Cost({ operation }: { operation: Operation }) {
  const { limit, windowSeconds } = useSite()
  const link = useLink()
  if (!isPaid(operation)) {
    return (
      <p>
        Free: {limit} requests in any {windowSeconds} seconds for one caller, over all free
        endpoints together.
      </p>
    )
  }
  return (
    <p>
      <strong>{operation.price} USD</strong> by <a href={link(guidePath('payments'))}>x402</a>, and
      only for a report that is handed out.{' '}
      <a href={link(reportPagePath(operation))}>Buy one in the browser.</a>
      {operation.tool && (
        <>
          {' '}
          Over <a href={link(guidePath('mcp'))}>MCP</a>: <code>{operation.tool.name}</code>
        </>
      )}
    </p>
  )
}
