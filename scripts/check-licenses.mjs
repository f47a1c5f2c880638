/**
 * Fails when a package that runs in production has a licence that nobody has agreed to. It reads
 * the lock file, or the one that is given: what is not in there is not installed.
 */
import { readFileSync } from 'node:fs'

/** They ask for no more than that their text comes along. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT']

const [file = 'package-lock.json'] = process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(file, 'utf8'))
const installed = Object.entries(packages).filter(([path, { dev }]) => !dev && !isOurs(path))
const refused = installed.filter(([, { license }]) => !isAllowed(license))

for (const [path, { version, license = 'no licence' }] of refused) {
  process.stderr.write(`${path.replace(/^.*node_modules\//, '')}@${version}: ${license}\n`)
}
if (refused.length > 0) process.exitCode = 1
else
  process.stdout.write(`${installed.length} packages, under no licence but ${ALLOWED.join(', ')}\n`)

/** An expression of SPDX without exceptions: of alternatives one will do, of a sum all must. */
function isAllowed(expression = '') {
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((sum) => sum.split(' AND ').every((name) => ALLOWED.includes(name)))
}

/** The workspace itself, its packages and the links to them. */
function isOurs(path) {
  return path === '' || path.startsWith('packages/') || packages[path].link === true
}
