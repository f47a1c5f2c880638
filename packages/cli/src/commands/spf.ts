/** `mailgrade spf`: who may send as a domain, and whether one server may. */
import { describeSpf, parseIpAddress, type SpfEvaluation, type SpfReport } from '@mailgrade/core'
import { InvalidArgumentError, Option } from 'commander'
import { EXIT, type ExitCode, UsageError } from '../command-line/command.js'
import { documentText } from '../output/document-text.js'
import { defineDomainCommand } from './domain-command.js'

interface SpfOptions {
  readonly ip?: string
  readonly sender?: string
  readonly helo?: string
}

/** With `--ip`, a script wants to know whether the server passes. */
const EVALUATION_EXIT_CODES: Readonly<Record<SpfEvaluation['result'], ExitCode>> = {
  pass: EXIT.fine,
  fail: EXIT.findings,
  softfail: EXIT.findings,
  neutral: EXIT.findings,
  none: EXIT.findings,
  permerror: EXIT.findings,
  temperror: EXIT.unavailable,
}

export const spfCommand = defineDomainCommand<SpfOptions, SpfReport>({
  name: 'spf',
  summary: 'show who may send as a domain, with every DNS lookup',
  options: [
    new Option('--ip <address>', 'show whether mail from this server passes').argParser(parseIp),
    new Option('--sender <address>', 'with --ip: the MAIL FROM address or its domain'),
    new Option('--helo <name>', 'with --ip: the name that the server sends in HELO or EHLO'),
  ],
  examples: [
    { command: 'mailgrade spf example.com', explanation: 'Show the tree of includes.' },
    {
      command: 'mailgrade spf example.com --ip 192.0.2.1',
      explanation: 'Would mail from this server pass? If not, the exit code is 1.',
    },
  ],
  kind({ ip, sender, helo, exact }) {
    if (ip === undefined && (sender ?? helo) !== undefined) {
      throw new UsageError('--sender and --helo need --ip, the address of the sending server.')
    }
    return {
      request: (source, domain) => source.spf(domain, { exact, ip, sender, helo }),
      text: (report, _, layout) => documentText(describeSpf(report), layout),
      findings: ({ issues }) => issues,
      mechanisms: ['spf'],
      exitCode: ({ evaluation }) => EVALUATION_EXIT_CODES[evaluation?.result ?? 'pass'],
    }
  },
})

function parseIp(text: string): string {
  if (!parseIpAddress(text.trim())) {
    throw new InvalidArgumentError('Give an IP address such as 192.0.2.1 or 2001:db8::1.')
  }
  return text.trim()
}
