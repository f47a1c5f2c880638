/** The whole check beside the least it can take, the same questions in sequence, and mailauth. */
import { createDohDns } from '../src/dns/doh/doh-dns.js'
import { benchCpu } from './check-cpu.js'
import { startProcesses } from './check-processes.js'
import { benchTime } from './check-time.js'
import { createVerifier, type VerifiedZone } from './check-verify.js'
import { ZONES } from './check-zones.js'

export async function benchCheck(): Promise<void> {
  const processes = await startProcesses()
  const { service, dohUrl, ca } = processes
  const dns = createDohDns({ urls: [dohUrl], tls: { ca } })
  try {
    const verify = createVerifier(service, dns)
    const zones: VerifiedZone[] = []
    for (const zone of ZONES) zones.push(await verify(zone))
    await benchTime(zones, service, dns)
    await benchCpu(service)
  } finally {
    dns.close()
    await processes.end()
  }
}
