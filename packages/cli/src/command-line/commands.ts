/** Every command, in the order of the help. */
import { addressCommand } from '../commands/address.js'
import { checkCommand } from '../commands/check.js'
import { completionCommand } from '../commands/completion.js'
import { dkimCommand } from '../commands/dkim.js'
import { dmarcCommand } from '../commands/dmarc.js'
import { mcpCommand } from '../commands/mcp.js'
import { mxCommand } from '../commands/mx.js'
import { planCommand } from '../commands/plan.js'
import { reportsCommand } from '../commands/reports.js'
import { scanCommand } from '../commands/scan.js'
import { scoreCommand } from '../commands/score.js'
import { spfCommand } from '../commands/spf.js'
import { watchCommand } from '../commands/watch.js'
import type { Command } from './command.js'

export const COMMANDS: readonly Command[] = [
  checkCommand,
  planCommand,
  scoreCommand,
  spfCommand,
  dkimCommand,
  dmarcCommand,
  mxCommand,
  addressCommand,
  scanCommand,
  reportsCommand,
  watchCommand,
  mcpCommand,
  completionCommand(() => COMMANDS),
]
