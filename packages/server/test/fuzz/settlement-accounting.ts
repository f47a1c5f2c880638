/** Which payment was settled by which transaction: no payment may have two. */
export interface SettlementAccounting {
  record(payment: unknown, receipt: unknown): void
  doubleSettlements(): string[]
  settledCount(): number
}

export function createSettlementAccounting(): SettlementAccounting {
  const byNonce = new Map<string, Set<string>>()
  return {
    record(payment, receipt) {
      const { success, transaction } = Object(receipt) as {
        success?: boolean
        transaction?: string
      }
      const { payload } = Object(payment) as { payload?: { authorization?: { nonce?: string } } }
      if (success !== true) return
      const nonce = String(payload?.authorization?.nonce)
      byNonce.set(nonce, (byNonce.get(nonce) ?? new Set()).add(String(transaction)))
    },
    doubleSettlements: () =>
      [...byNonce]
        .filter(([, transactions]) => transactions.size > 1)
        .map(
          ([nonce, transactions]) => `${nonce} was charged twice: ${[...transactions].join(' ')}`,
        ),
    settledCount: () => byNonce.size,
  }
}
