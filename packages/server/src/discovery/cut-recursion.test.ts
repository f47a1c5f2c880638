import { expect, test } from 'vitest'
import { cutRecursion } from './cut-recursion.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const treeOf = (items: object) => ({
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items } },
})

test('a tree has branches, and those have something like them', () => {
  expect(cutRecursion({ Tree: treeOf(ref('Tree')) })).toEqual({
    Tree: treeOf(ref('TreeBranch')),
    TreeBranch: treeOf({
      type: 'object',
      additionalProperties: true,
      description: 'With the same members as the one above it, and so on',
    }),
  })
})

test('what only refers to others stays as it is', () => {
  const schemas = { Leaf: { type: 'string' }, Flat: treeOf(ref('Leaf')) }
  expect(cutRecursion(schemas)).toEqual(schemas)
})
