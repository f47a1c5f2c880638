/**
 * What `action.yml` runs: one check of all domains, with a job summary, annotations and SARIF. It
 * imports no packages, because an action runs from a plain checkout of this repository.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const { env } = process
/** The exit codes of the command line. */
const RESULTS = { 0: 'fine', 1: 'findings', 3: 'unavailable' }
const SEVERITIES = ['critical', 'high', 'medium', 'low']

const input = (name) => (env[`INPUT_${name}`] ?? '').trim()

try {
  process.exitCode = main()
} catch (error) {
  process.exitCode = stop(`${error.message}.`)
}

function main() {
  const domains = readDomains()
  if (domains.problem) return stop(domains.problem)
  const version = input('VERSION')
  if (!/^[\w.-]+$/.test(version)) return stop(`"${version}" isn’t a version of mailgrade.`)

  const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'mailgrade-'))
  const summary = join(folder, 'summary.md')
  const sarif = join(folder, 'mailgrade.sarif')
  const exitCode = runMailgrade(version, [
    'check',
    `--fail-on=${input('FAIL_ON')}`,
    `--report=markdown=${summary}`,
    `--report=sarif=${sarif}`,
    ...words(input('SELECTORS')).map((selector) => `--selector=${selector}`),
    ...words(input('RESOLVER')).map((url) => `--resolver=${url}`),
    '--',
    ...domains.names,
  ])
  if (!existsSync(sarif)) {
    return stop(
      'Mailgrade didn’t run, so there’s no result. See the log above for the reason.',
      exitCode,
    )
  }
  appendFileSync(env.GITHUB_STEP_SUMMARY, readFileSync(summary))
  const [run] = JSON.parse(readFileSync(sarif, 'utf8')).runs
  annotate(run)
  return finish(exitCode, keepSarif(sarif, run))
}

/** The path to upload. Empty if a domain has no report: GitHub would close the alerts of that domain. */
function keepSarif(sarif, { invocations: [{ executionSuccessful }] }) {
  const path = input('SARIF_FILE')
  if (!path) return ''
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(sarif, path)
  return executionSuccessful ? path : ''
}

function readDomains() {
  const path = input('DOMAINS_FILE')
  if (path && !existsSync(path)) return { problem: `The domains-file ${path} doesn’t exist.` }
  const lines = path ? decode(readFileSync(path)).replace(/#.*/g, '') : ''
  // It cannot be part of an argument.
  if (lines.includes('\0')) {
    return { problem: `The domains-file ${path} isn’t a text file. Save it as UTF-8 text.` }
  }
  const names = [...new Set([...words(input('DOMAINS')), ...words(lines)])]
  return names.length > 0 ? { names } : { problem: 'Set domains or domains-file.' }
}

/** PowerShell writes UTF-16. The decoders remove the mark at the start. */
function decode(bytes) {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

function words(text) {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

function runMailgrade(version, args) {
  const [program, ...first] = env.MAILGRADE_BIN
    ? [process.execPath, env.MAILGRADE_BIN]
    : // Through a shell only because Windows cannot start npx without one. Inputs are its arguments.
      ['bash', '-c', 'exec npx "$@"', 'npx', '--yes', `mailgrade@${version}`]
  const { status, error } = runWithoutCommands(program, [...first, ...args])
  if (error) print(command('error', {}, `We couldn’t start Mailgrade: ${error.message}`))
  return status ?? 1
}

/** DNS text in the log could look like a workflow command, so the runner ignores commands meanwhile. */
function runWithoutCommands(program, args) {
  const token = randomUUID()
  print(`::stop-commands::${token}`)
  try {
    return spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  } finally {
    // Also after an exception, which becomes an annotation.
    print(`\n::${token}::`)
  }
}

function annotate({ results, invocations: [{ toolExecutionNotifications }] }) {
  const limit = SEVERITIES.indexOf(input('FAIL_ON'))
  for (const { ruleId, message, locations, properties } of results) {
    if (SEVERITIES.indexOf(properties.severity) > limit) continue
    const domain = locations[0].physicalLocation.artifactLocation.uri.replace('dns/', '')
    print(command('error', { title: `${domain}: ${ruleId}` }, plainText(message)))
  }
  for (const { message } of toolExecutionNotifications) {
    print(command('error', { title: 'Not checked' }, plainText(message)))
  }
}

/** SARIF escapes brackets and backslashes. */
function plainText({ text }) {
  return text.replace(/\\([\\[\]])/g, '$1')
}

function finish(exitCode, sarifFile) {
  const result = RESULTS[exitCode] ?? 'error'
  setOutput('result', result)
  setOutput('exit-code', `${exitCode}`)
  setOutput('sarif-file', sarifFile)
  if (result !== 'unavailable') return exitCode
  const isAllowed = input('ALLOW_UNAVAILABLE') === 'true'
  const next = isAllowed
    ? 'This step passes because allow-unavailable is set.'
    : 'Run the job again in a few minutes.'
  const text = `We couldn’t reach DNS, so some results are unknown. ${next}`
  print(command(isAllowed ? 'warning' : 'error', { title: 'Mailgrade' }, text))
  return isAllowed ? 0 : exitCode
}

function stop(problem, exitCode = 2) {
  print(command('error', { title: 'Mailgrade' }, problem))
  setOutput('result', 'error')
  setOutput('exit-code', `${exitCode}`)
  setOutput('sarif-file', '')
  return exitCode === 0 ? 2 : exitCode
}

function setOutput(name, value) {
  const end = randomUUID()
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`)
}

/** A workflow command, escaped as the runner expects it. */
function command(name, properties, text) {
  const data = (value) =>
    value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const pairs = Object.entries(properties).map(
    ([key, value]) => `${key}=${data(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  )
  return `::${name}${pairs.length > 0 ? ' ' : ''}${pairs.join(',')}::${data(text)}`
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
