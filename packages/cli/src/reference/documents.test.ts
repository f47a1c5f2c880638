import { readFileSync } from 'node:fs'
import { createZoneDns } from '@mailgrade/doh/zone'
import { expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { writeDocuments } from './documents.js'

const read = (file: string) => readFileSync(file, 'utf8')
const dns = createZoneDns('cloudflare-dns.com', read('packages/cli/scripts/example.zone'))

const documents = await writeDocuments(read, async (commandLine) => {
  const openDns = () => ({ ...dns, close() {} })
  const { stdout, stderr } = await runMailgrade(commandLine, { openDns })
  return `${stdout}${stderr}`
})

test.each([...documents])('%s is up to date; if not, run: npm run docs', (file, text) => {
  expect(read(file)).toBe(text)
})
