/**
 * Fails if a package that ships, or one that a list in data/ was taken from, has a license that is
 * not on the list. Reads the given lock file and the given sources of lists.
 */
import { readFileSync } from 'node:fs'
import { findShipped } from './shipped-packages.mjs'

/** Licenses that require only their text to be included. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

const [lockFile = 'package-lock.json', sourcesFile = 'packages/core/data/sources.json'] =
  process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
const shipped = findShipped(packages).map((path) => ({
  ...packages[path],
  package: path.replace(/^.*node_modules\//, ''),
}))
const sources = JSON.parse(readFileSync(sourcesFile, 'utf8'))
const rejected = [...shipped, ...sources].filter(({ license }) => !isAllowed(license))

for (const { package: name, version, license = 'no license' } of rejected) {
  process.stderr.write(`${name}@${version}: ${license}\n`)
}
if (rejected.length > 0) process.exitCode = 1
else {
  const count = `${shipped.length} packages and ${sources.length} sources of lists`
  process.stdout.write(`${count}, all under ${ALLOWED.join(', ')}\n`)
}

/** An SPDX expression without exceptions: one part of OR or all parts of AND must be allowed. */
function isAllowed(expression = '') {
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((terms) => terms.split(' AND ').every((name) => ALLOWED.includes(name)))
}
