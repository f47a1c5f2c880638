/** The report on an address in a few sentences, for whoever reads no further. */
import { ADDRESS_REASONS } from '../../catalog/address-reasons.js'
import type { EmailReport } from './email-report.js'

export function summarizeAddress({ email, verdict, reasons, suggestion }: EmailReport): string {
  const sentences = [
    verdict === 'ok'
      ? `${email} is ok: its domain takes mail, and nothing speaks against the address.`
      : `${email} is ${verdict}.`,
    ...reasons.map((reason) => ADDRESS_REASONS[reason].meaning),
    ...(suggestion === null ? [] : [`Probably meant: ${suggestion}.`]),
    ...(verdict === 'undeliverable'
      ? []
      : ['No mail server was asked, so whether the mailbox exists is not known.']),
  ]
  return sentences.join(' ')
}
