/** `npm run bench` prints what an instance can do, in one table; `npm run bench -- dns` goes into detail. */
import { rmSync, symlinkSync } from 'node:fs'
import { benchCheck } from './bench-check.js'
import { benchDns } from './bench-dns.js'
import { benchMcp } from './bench-mcp.js'
import { benchPage } from './bench-page.js'
import { benchPayment } from './bench-payment.js'
import { benchService } from './bench-service.js'
import { benchStartup } from './bench-startup.js'

/** Read while it runs, from beside its own build, of which the benchmarks make another. */
for (const name of ['docs', 'packages/server/public', 'packages/server/zones']) {
  const link = new URL(`../${name}`, import.meta.url)
  rmSync(link, { force: true })
  symlinkSync(new URL(`../../../${name}`, import.meta.url), link)
}

const BENCHES: Record<string, () => Promise<void>> = {
  check: benchCheck,
  dns: benchDns,
  mcp: benchMcp,
  page: benchPage,
  pay: benchPayment,
  service: benchService,
  start: benchStartup,
}

const [, , ...named] = process.argv
const chosen = named.length > 0 ? named : ['service']
const unknown = chosen.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
  )
  process.exit(1)
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (chosen.includes(name)) await bench()
}
