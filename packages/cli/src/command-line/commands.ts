/** Every command, in the order of the help. */
import { addressCommand } from '../commands/address.js'
import { completionCommand } from '../commands/completion.js'
import {
  checkCommand,
  dkimCommand,
  dmarcCommand,
  mxCommand,
  scoreCommand,
  spfCommand,
} from '../commands/domain-commands.js'
import { mcpCommand } from '../commands/mcp.js'
import { planCommand } from '../commands/plan.js'
import { reportsCommand } from '../commands/reports.js'
import { scanCommand } from '../commands/scan.js'
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
