/** Every command, in the order of the help. */
import { checkCommand } from '../commands/check.js'
import type { Command } from './command.js'

export const COMMANDS: readonly Command[] = [checkCommand]
