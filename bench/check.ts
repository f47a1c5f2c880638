/** The whole check beside the least it can take, the same questions in sequence, and mailauth. */
import { createDohDns } from '@mailgrade/doh'
import { DELAY_MS } from './check-aims.js'
import { benchCpu } from './check-cpu.js'
import { benchTime } from './check-time.js'
import { createVerifier, type VerifiedZone } from './check-verify.js'
import { ZONES } from './check-zones.js'
import { openStand } from './stand.js'

export async function benchCheck(): Promise<void> {
  const stand = await openStand(DELAY_MS)
  const { dohUrl, ca } = stand
  const dns = createDohDns({ urls: [dohUrl], tls: { ca } })
  try {
    const service = await stand.startService()
    const verify = createVerifier(service, dns)
    const zones: VerifiedZone[] = []
    for (const zone of ZONES) zones.push(await verify(zone))
    await benchTime(zones, service, dns)
    await benchCpu(service)
  } finally {
    dns.close()
    await stand.end()
  }
}
