import { expect, test } from 'vitest'
import { z } from 'zod'
import { dkimReportSchema } from './dkim/dkim-report.js'
import { mxReportSchema } from './mx/mx-report.js'
import { transportReportSchema } from './transport/transport-report.js'

interface SchemaNode {
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
}

/** The paths of all fields without a description; findings are described in one place. */
function findUndescribed(node: SchemaNode, path = ''): string[] {
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}${name}`]),
    ...(name === 'issues' ? [] : findUndescribed(field, `${path}${name}.`)),
  ])
  const inner = [...(node.items ? [node.items] : []), ...(node.anyOf ?? [])]
  return [...fields, ...inner.flatMap((each) => findUndescribed(each, path))]
}

test.each([
  ['MX', mxReportSchema],
  ['DKIM', dkimReportSchema],
  ['transport', transportReportSchema],
])('every field of the %s report has a description', (_, schema) => {
  expect(findUndescribed(z.toJSONSchema(schema, { reused: 'inline' }) as SchemaNode)).toEqual([])
})
