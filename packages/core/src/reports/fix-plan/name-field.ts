/** What goes into the name field of a panel. */
import type { DnsPanel } from '../../catalog/find-dns-host.js'
import type { Zone } from './planned-record.js'

export function nameField(
  name: string,
  zone: Zone,
  panel: Pick<DnsPanel, 'apexName' | 'subdomainName'>,
): string {
  const relative = nameRelativeToZone(name, zone)
  // Another zone has a panel of its own, which is not known.
  if (relative === null) return name
  const form = relative === '' ? panel.apexName : panel.subdomainName
  return form.replace(/\{(\w+)\}/, (_, part) => (part === 'name' ? relative : name))
}

/** The part before the zone, empty for the zone itself; null for a name that is not in it. */
export function nameRelativeToZone(name: string, { apex }: Zone): string | null {
  const [below, zone] = [name.toLowerCase(), apex.toLowerCase()]
  if (below === zone) return ''
  return below.endsWith(`.${zone}`) ? name.slice(0, -apex.length - 1) : null
}
