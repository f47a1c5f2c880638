/** Fails if a production package has a license that is not on the list. Reads the given lock file. */
import { readFileSync } from 'node:fs'

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

const [file = 'package-lock.json'] = process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(file, 'utf8'))
const installed = Object.entries(packages).filter(
  ([path, { dev }]) => !dev && !isWorkspacePackage(path),
)
const rejected = installed.filter(([, { license }]) => !isAllowed(license))

for (const [path, { version, license = 'no license' }] of rejected) {
  process.stderr.write(`${path.replace(/^.*node_modules\//, '')}@${version}: ${license}\n`)
}
if (rejected.length > 0) process.exitCode = 1
else process.stdout.write(`${installed.length} packages, all under ${ALLOWED.join(', ')}\n`)

/** An SPDX expression without exceptions: one part of OR or all parts of AND must be allowed. */
function isAllowed(expression = '') {
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((terms) => terms.split(' AND ').every((name) => ALLOWED.includes(name)))
}

/** The root, the packages of the workspace and the links to them. */
function isWorkspacePackage(path) {
  return path === '' || path.startsWith('packages/') || packages[path].link === true
}
