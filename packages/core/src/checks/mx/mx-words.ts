/** Mail servers in words. */
export const PROVIDER_KIND_LABELS = {
  mailbox: 'Mailboxes',
  gateway: 'Filtered by',
  forwarder: 'Forwarded by',
} as const

export function describeAddresses(addresses: readonly string[] | null): string {
  if (addresses === null) return 'unknown'
  return addresses.length === 0 ? 'none' : addresses.join(', ')
}
