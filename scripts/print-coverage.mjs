/** Prints the line coverage of each package from coverage/coverage-summary.json. */
import { readFileSync } from 'node:fs'

const { total, ...files } = JSON.parse(readFileSync('coverage/coverage-summary.json', 'utf8'))
for (const name of ['doh', 'core']) {
  const lines = Object.entries(files)
    .filter(([path]) => path.includes(`/packages/${name}/src/`))
    .map(([, coverage]) => coverage.lines)
  const sum = (key) => lines.reduce((count, line) => count + line[key], 0)
  const percent = ((100 * sum('covered')) / sum('total')).toFixed(1)
  process.stdout.write(`packages/${name}: ${percent} % of ${sum('total')} lines (at least 95 %)\n`)
}
process.stdout.write(`together: ${total.lines.pct} %\n`)
