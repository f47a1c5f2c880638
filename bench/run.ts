/** `npm run bench` measures everything; `npm run bench -- dns` one thing. */
import { benchCheck } from './check.js'
import { benchDns } from './dns.js'
import { benchMcp } from './mcp.js'
import { benchPage } from './page.js'
import { benchPay } from './pay.js'
import { benchStart } from './start.js'

const BENCHES: Record<string, () => Promise<void>> = {
  check: benchCheck,
  dns: benchDns,
  mcp: benchMcp,
  page: benchPage,
  pay: benchPay,
  start: benchStart,
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
  )
  process.exit(1)
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (chosen.length === 0 || chosen.includes(name)) await bench()
}
