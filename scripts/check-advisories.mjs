/**
 * Checks the installed packages for known vulnerabilities with `npm audit`. High and critical ones
 * fail in production packages, critical ones in development packages. Without an answer from the
 * registry it prints a warning, and fails with AUDIT_REQUIRED=1.
 */
import { spawnSync } from 'node:child_process'

const FAILING = { production: ['high', 'critical'], development: ['critical'] }
/** Offline, fail fast. */
const FETCH_OPTIONS = ['--fetch-retries=0', '--fetch-timeout=30000']

const production = audit('--omit=dev')
const all = production && audit()
if (!production || !all) exitUnknown()
const development = Object.entries(all).filter(([name]) => !(name in production))
const hasFailed = [
  report('production', Object.entries(production)),
  report('development', development),
].includes(true)
process.exitCode = hasFailed ? 1 : 0

/** Vulnerable packages by name; null if the registry did not answer. */
function audit(...args) {
  const { stdout } = spawnSync('npm', ['audit', '--json', ...FETCH_OPTIONS, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  })
  try {
    const result = JSON.parse(stdout)
    if (result.vulnerabilities) return result.vulnerabilities
    process.stderr.write(`${result.message}\n`)
  } catch {
    process.stderr.write('npm audit returned no result\n')
  }
  return null
}

function exitUnknown() {
  process.stderr.write(
    'ADVISORIES UNKNOWN: the registry did not answer. Run this again where it is reachable.\n',
  )
  process.exit(process.env.AUDIT_REQUIRED === '1' ? 1 : 0)
}

/** Returns true if one of them must be fixed. */
function report(where, vulnerable) {
  for (const [name, { severity, range, via }] of vulnerable) {
    const titles = via.map((cause) =>
      typeof cause === 'string' ? `via ${cause}` : formatAdvisory(cause),
    )
    process.stdout.write(`${where}: ${name} ${range}, ${severity}: ${titles.join('; ')}\n`)
  }
  if (vulnerable.length === 0) process.stdout.write(`${where}: no advisories\n`)
  return vulnerable.some(([, { severity }]) => FAILING[where].includes(severity))
}

function formatAdvisory({ title, url }) {
  return `${title} (${url})`
}
