/**
 * Asks the registry for known weaknesses in what is installed. Of those that run in production, high
 * and critical ones fail; of the others, critical ones. Where the registry does not answer, nothing
 * is known: it says so, and fails with AUDIT_REQUIRED=1.
 */
import { spawnSync } from 'node:child_process'

const FAILING = { production: ['high', 'critical'], development: ['critical'] }
/** An offline machine should learn at once that it is one. */
const QUICKLY = ['--fetch-retries=0', '--fetch-timeout=30000']

const production = audit('--omit=dev')
const all = production && audit()
if (!production || !all) leave()
const others = Object.entries(all).filter(([name]) => !(name in production))
const isBad = [
  report('production', Object.entries(production)),
  report('development', others),
].includes(true)
process.exitCode = isBad ? 1 : 0

/** The weak packages by name; null when nobody could be asked. */
function audit(...args) {
  const { stdout } = spawnSync('npm', ['audit', '--json', ...QUICKLY, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  })
  try {
    const answer = JSON.parse(stdout)
    if (answer.vulnerabilities) return answer.vulnerabilities
    process.stderr.write(`${answer.message}\n`)
  } catch {
    process.stderr.write('npm audit gave no answer\n')
  }
  return null
}

function leave() {
  process.stderr.write(
    'ADVISORIES COULD NOT BE LOOKED AT. That is not the same as none: run this where the registry answers.\n',
  )
  process.exit(process.env.AUDIT_REQUIRED === '1' ? 1 : 0)
}

/** True when one of them must not stay. */
function report(where, weak) {
  for (const [name, { severity, range, via }] of weak) {
    const titles = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : inWords(cause)))
    process.stdout.write(`${where}: ${name} ${range}, ${severity}: ${titles.join('; ')}\n`)
  }
  if (weak.length === 0) process.stdout.write(`${where}: no advisories\n`)
  return weak.some(([, { severity }]) => FAILING[where].includes(severity))
}

function inWords({ title, url }) {
  return `${title} (${url})`
}
