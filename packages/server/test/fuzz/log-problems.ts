/** What is wrong with what the service wrote: a line that is no JSON, a fault, or somebody's data. */

/** Names, addresses of people and of wallets, payments, and every mark that was sent. */
const PRIVATE =
  /\.test|xn--|[^\s"]@[^\s"]|0x[0-9a-f]{40}|eyJ|fz|jndi|passwd|169\.254|localhost(?!:0")/i
const LEVELS = ['info', 'warn']

export function findLogProblems(stdout: string): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  return [...new Set(lines.flatMap(faultsInLine))].slice(0, 20)
}

function faultsInLine(line: string): string[] {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return [`no JSON: ${line}`]
  }
  // A caller's own, if it is a sane one.
  const { requestId: _, time: __, durationMs: ___, ...rest } = entry
  const words = JSON.stringify(rest)
  return [
    ...(LEVELS.includes(String(entry.level)) ? [] : [`a fault: ${words}`]),
    ...(PRIVATE.test(words) ? [`not for a log: ${words}`] : []),
  ]
}
