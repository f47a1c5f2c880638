/** Checks all domains at once, however long that takes, and prints how many reports there are. */
import { checkDomain, parseDomain } from '@mailgrade/core'
import { createDohDns, createReportDns } from '@mailgrade/doh'

const PATIENCE_MS = 600_000
const [url, ...names] = process.argv.slice(2)
const dns = createDohDns({ urls: [new URL(url)], queryTimeoutMs: PATIENCE_MS })

async function check(name, index) {
  const reportDns = createReportDns(dns, { deadlineMs: PATIENCE_MS })
  const { domain } = parseDomain(name)
  let labels = 0
  const randomLabel = () => `random-${index}-${labels++}`
  const { kind } = await checkDomain(reportDns, domain, { randomLabel })
  reportDns.close()
  return kind
}

const kinds = await Promise.all(names.map(check))
dns.close()
process.stdout.write(`${kinds.filter((kind) => kind === 'report').length} reports`)
