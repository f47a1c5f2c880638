/** Whether names such as `nas.internal` may be checked: the variable that the service reads too. */
import { type CommandContext, UsageError } from './command.js'

const PRIVATE_NAMES_VARIABLE = 'ALLOW_PRIVATE_NAMES'

export function readAllowPrivateNames(env: CommandContext['env']): boolean {
  const value = env[PRIVATE_NAMES_VARIABLE] || 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new UsageError(`The environment variable ${PRIVATE_NAMES_VARIABLE} must be true or false.`)
}
