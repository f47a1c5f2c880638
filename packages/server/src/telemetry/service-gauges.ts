/** What stands still until somebody looks: read from the running service at every scrape. */
import { Gauge, type Registry } from 'prom-client'

export interface GaugeSources {
  readonly reports: { running(): number; waiting(): number; readonly limit: number }
  readonly resolvers: readonly { readonly name: string; isPaused(): boolean }[]
  /** Rejects where a store is shared and cannot be asked. */
  readonly ledger: { size(): Promise<number> }
  /** Null where nothing is shared. */
  readonly isStoreUp: (() => boolean) | null
  readonly isDraining: () => boolean
}

export function registerServiceGauges(register: Registry, watched: GaugeSources): void {
  const { reports, resolvers, ledger, isStoreUp, isDraining } = watched

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        this.set(read())
      },
    })
  }

  gauge('mailgrade_reports_running', 'Reports being made', reports.running)
  gauge('mailgrade_reports_waiting', 'Reports that wait for a place', reports.waiting)
  gauge('mailgrade_reports_limit', 'Reports that may be made at once', () => reports.limit)
  gauge('mailgrade_draining', '1 while it ends', () => Number(isDraining()))
  if (isStoreUp) gauge('mailgrade_store_up', '1 while the store answers', () => Number(isStoreUp()))
  new Gauge({
    name: 'mailgrade_resolver_available',
    help: '0 while no questions are sent there: it failed too often, or asked for rest',
    labelNames: ['resolver'],
    registers: [register],
    collect() {
      for (const { name, isPaused } of resolvers) {
        this.set({ resolver: name }, Number(!isPaused()))
      }
    },
  })
  new Gauge({
    name: 'mailgrade_ledger_entries',
    help: 'Payments remembered; absent while the store cannot be asked',
    registers: [register],
    async collect() {
      this.reset()
      const entries = await ledger.size().catch(() => null)
      if (entries === null) this.remove()
      else this.set(entries)
    },
  })
}
