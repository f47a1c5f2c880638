/**
 * What the large mailbox providers ask of whoever sends thousands of messages a day:
 * https://support.google.com/a/answer/81126, https://senders.yahooinc.com/best-practices/.
 */
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import type { CheckReports } from '../check/check-reports.js'
import type { ScoreReport } from './score-report.js'

export function assessBulkSender({ spf, dmarc, dkim }: CheckReports): ScoreReport['bulkSender'] {
  const hasKey = dkim.keys.some(isAccepted)
  const isKeyOpen = !hasKey && dkim.presence === 'unknown'
  const missing: ScoreReport['bulkSender']['missing'] = [
    ...(spf.valid && spf.authorizesSenders ? [] : ['spf' as const]),
    ...(hasKey || isKeyOpen ? [] : ['dkim' as const]),
    ...(dmarc.policy === null ? ['dmarc' as const] : []),
  ]
  return { ready: hasKey && missing.length === 0, missing, unknown: isKeyOpen ? ['dkim'] : [] }
}

/**
 * They verify RSA keys of 1024 bits and more (RFC 8301 §3.2), none of them Ed25519 alone, and no
 * SHA-1 (§3.1); a key in test mode makes mail no better than unsigned (RFC 6376 §3.6.1).
 */
function isAccepted(key: DkimReport['keys'][number]): boolean {
  const { valid, testing, keyType, keySize, hashAlgorithms } = key
  const hasHash = hashAlgorithms === null || hashAlgorithms.includes('sha256')
  return valid && !testing && hasHash && keyType === 'rsa' && (keySize ?? 0) >= 1024
}
