/** `0.01`, `1.00`: amounts of money always have two decimals for people. */
export function formatAmount(price: string): string {
  return Number(price).toFixed(2)
}
