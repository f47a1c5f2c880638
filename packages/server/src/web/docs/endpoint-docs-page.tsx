/** The documentation of one endpoint: an example, a form to try it, parameters and results. */

import { isPaid, metaSchema, type Operation } from '@mailgrade/operations/operation'
import { problemPagePath } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { listSchemaFields } from '@mailgrade/operations/schema-fields'
import { reportPagePath } from '@mailgrade/operations/service-paths'
import type { DocumentedResponses } from '../../discovery/documented-responses.js'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { formatAmount } from '../parts/format-amount.js'
import { TextWithCode } from '../parts/inline-text.js'
import { useLink, useSite } from '../site-context.js'
import { ExampleTabs } from './example-tabs.js'
import { FieldList } from './field-list.js'
import { TRY_IT_SCRIPT, TryItForm } from './try-it-form.js'

const NO_RESPONSES: DocumentedResponses = { result: undefined, problems: [] }

export function endpointDocsPage(operation: Operation, responses = NO_RESPONSES): Page {
  return {
    title: operation.path,
    description: `${operation.summary}. ${operation.description}`,
    scripts: [TRY_IT_SCRIPT],
    body: <Endpoint operation={operation} responses={responses} />,
  }
}

interface EndpointProps {
  readonly operation: Operation
  readonly responses: DocumentedResponses
}

function Endpoint({ operation, responses }: EndpointProps) {
  return (
    <>
      <h1>
        <code>GET {operation.path}</code>
      </h1>
      <p class="summary">{operation.summary}.</p>
      <p>
        <TextWithCode text={operation.description} />
      </p>
      <Price operation={operation} />
      <h2>Example</h2>
      <ExampleTabs operation={operation} />
      {responses.result && <ExampleResult operation={operation} result={responses.result} />}
      <h2>Try it</h2>
      <TryItForm operation={operation} />
      <h2>Parameters</h2>
      <FieldList fields={listParameters(operation)} areParameters />
      <h2>Result fields</h2>
      <FieldList fields={listSchemaFields(operation.output.extend({ meta: metaSchema }))} />
      <h2>Responses</h2>
      <ResponseList codes={responses.problems.map(({ problem }) => problem.code)} />
    </>
  )
}

/** The example of the operation is also that of its parameters. */
function listParameters({ input, example }: Operation) {
  return listSchemaFields(input).map((field) => ({
    ...field,
    example: example[field.name] ?? field.example,
  }))
}

function ExampleResult({ operation, result }: { operation: Operation; result: object }) {
  const { isSandbox } = useSite()
  return (
    <>
      <p>
        {isPaid(operation)
          ? 'Without a payment, the response is 402 with the price. With a payment it is this report'
          : 'The response'}
        {!isSandbox && ', here for a demo domain'}
        {', formatted:'}
      </p>
      <CopyableBlock text={JSON.stringify(result, null, 2)} what="the response" />
    </>
  )
}

function Price({ operation }: { operation: Operation }) {
  const { limit, windowSeconds } = useSite()
  const link = useLink()
  if (!isPaid(operation)) {
    return (
      <p>
        Free: {limit} requests in any {windowSeconds} seconds per caller, over all free endpoints
        together.
      </p>
    )
  }
  return (
    <p>
      <strong>{formatAmount(operation.price)} USD</strong>, paid with{' '}
      <a href={link(guidePath('payments'))}>x402</a> and charged only when you get a report.{' '}
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

/** Lists each code once, even if it has several cases. */
function ResponseList({ codes }: { codes: readonly ProblemCode[] }) {
  const link = useLink()
  return (
    <ul>
      <li>
        <strong>200</strong>: the result
      </li>
      {[...new Set(codes)].map((code) => (
        <li>
          <strong>{PROBLEM_TYPES[code].status}</strong>{' '}
          <a href={link(problemPagePath(code))}>{code}</a>: {PROBLEM_TYPES[code].title}
        </li>
      ))}
    </ul>
  )
}
