/**
 * Checks the installed packages for known vulnerabilities with `npm audit`. High and critical ones
 * fail in packages that ship (production), critical ones in the others (development). Without an answer from the
 * registry it prints a warning, and fails with AUDIT_REQUIRED=1.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findShipped } from './shipped-packages.mjs'

const FAILING = { production: ['high', 'critical'], development: ['critical'] }
/** Offline, fail fast. */
const FETCH_OPTIONS = ['--fetch-retries=0', '--fetch-timeout=30000']

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const shipped = new Set(findShipped(packages))
const vulnerable = audit()
if (!vulnerable) exitUnknown()
const isShipped = ([, { nodes }]) => nodes.some((path) => shipped.has(path))
const hasFailed = [
  report('production', Object.entries(vulnerable).filter(isShipped)),
  report(
    'development',
    Object.entries(vulnerable).filter((entry) => !isShipped(entry)),
  ),
].includes(true)
process.exitCode = hasFailed ? 1 : 0

/** Vulnerable packages by name; null if the registry did not answer. */
function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--json', ...FETCH_OPTIONS], {
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
function report(where, entries) {
  for (const [name, { severity, range, via }] of entries) {
    const titles = via.map((cause) =>
      typeof cause === 'string' ? `via ${cause}` : formatAdvisory(cause),
    )
    process.stdout.write(`${where}: ${name} ${range}, ${severity}: ${titles.join('; ')}\n`)
  }
  if (entries.length === 0) process.stdout.write(`${where}: no advisories\n`)
  return entries.some(([, { severity }]) => FAILING[where].includes(severity))
}

function formatAdvisory({ title, url }) {
  return `${title} (${url})`
}
