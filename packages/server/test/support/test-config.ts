import { type Config, type ConfigFault, loadConfig } from '../../src/config.js'

export function testConfig(env: Record<string, string>): Config {
  const loaded = loadConfig(env)
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.faults))
  return loaded.config
}

export function testConfigFaults(env: Record<string, string>): ConfigFault[] {
  const loaded = loadConfig(env)
  return loaded.kind === 'faults' ? loaded.faults : []
}
