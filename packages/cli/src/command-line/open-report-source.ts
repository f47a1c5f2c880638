/** The source that the options of a command name: DNS, or a running service. */
import { type CommandContext, UsageError } from './command.js'
import { openDnsSource, type ReportSource } from './report-source.js'
import type { SourceOptions } from './shared-options.js'

export async function openReportSource(
  options: SourceOptions,
  context: CommandContext,
): Promise<ReportSource> {
  const { server, resolver, timeout, yes, maxUsd } = options
  if (!server) {
    if (yes || maxUsd !== undefined) {
      throw new UsageError(
        '--yes and --max-usd only work with --server. Without it, reports are free.',
      )
    }
    return openDnsSource(options, context)
  }
  if (resolver) {
    throw new UsageError('Use --server or --resolver, not both. A service uses its own resolvers.')
  }
  if (yes && maxUsd === undefined) {
    throw new UsageError('--yes needs a spending limit. Add --max-usd, such as --max-usd 0.05.')
  }
  const { openRemoteSource } = await import('../remote/remote-source.js')
  return openRemoteSource({ server, timeout, yes, maxUsd }, context)
}
