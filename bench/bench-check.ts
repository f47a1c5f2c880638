/** The whole check beside the least it can take, the same questions in sequence, and mailauth. */
import { createDohDns } from '@mailgrade/doh'
import { openBenchEnvironment } from './bench-environment.js'
import { RESOLVER_DELAY_MS } from './bench-targets.js'
import { BENCH_ZONES } from './bench-zones.js'
import { benchCheckCpu } from './check-cpu.js'
import { benchCheckLatency } from './check-time.js'
import { createZoneVerifier, type VerifiedZone } from './check-verify.js'

export async function benchCheck(): Promise<void> {
  const stand = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const { dohUrl, ca } = stand
  const dns = createDohDns({ urls: [dohUrl], tls: { ca } })
  try {
    const service = await stand.startService()
    const verify = createZoneVerifier(service, dns)
    const zones: VerifiedZone[] = []
    for (const zone of BENCH_ZONES) zones.push(await verify(zone))
    await benchCheckLatency(zones, service, dns)
    await benchCheckCpu(service)
  } finally {
    dns.close()
    await stand.stop()
  }
}
