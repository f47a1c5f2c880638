/**
 * Writes man/mailgrade.1, and the parts of README.md and docs/command-line.md that come from the
 * table of commands. Needs a build. The examples run over example.zone, so nothing is looked up.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createZoneDns } from '@mailgrade/doh/zone'
import { runProgram } from '../build/command-line/program.js'
import { writeDocuments } from '../build/reference/documents.js'

const ROOT = new URL('../../../', import.meta.url)
const read = (file) => readFileSync(new URL(file, ROOT), 'utf8')

const dns = createZoneDns('cloudflare-dns.com', read('packages/cli/scripts/example.zone'))

async function run(commandLine) {
  const parts = []
  const output = { write: (text) => parts.push(text) > 0, once() {} }
  await runProgram(commandLine, {
    stdout: output,
    stderr: output,
    stdin: [],
    env: {},
    signal: new AbortController().signal,
    stopOnSigterm() {},
    now: () => new Date('2026-11-17T12:00:00Z'),
    openDns: () => ({ ...dns, close() {} }),
  })
  return parts.join('')
}

for (const [file, text] of await writeDocuments(read, run)) writeFileSync(new URL(file, ROOT), text)
