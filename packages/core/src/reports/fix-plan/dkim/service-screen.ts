/** Where a service shows its DNS records and turns on signing. */
import type { MailService } from '../../../catalog/mail-services.js'

/** `Mailchimp: Website > Domains`, with the month in which the path was last confirmed. */
export function describeScreen({ name, setup }: Pick<MailService, 'name' | 'setup'>): string {
  const { screen } = setup.dkim ?? {}
  if (!screen) return `${name}: the DKIM or domain settings`
  const path = screen.path.startsWith(name) ? screen.path : `${name}: ${screen.path}`
  return `${path}${screen.confirmed ? ` (as of ${screen.confirmed})` : ''}`
}
