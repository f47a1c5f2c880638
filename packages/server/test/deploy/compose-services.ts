/** The services of a compose file, with the variables of `.env` filled in. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface ComposeService {
  readonly user?: string
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly volumes?: string[]
  readonly ports?: string[]
  readonly profiles?: string[]
  readonly networks: Record<string, { ipv4_address?: string }>
  readonly read_only: boolean
  readonly cap_drop: string[]
  readonly security_opt: string[]
  readonly mem_limit: string
  readonly restart: string
  readonly stop_grace_period?: string
  readonly healthcheck?: { test: string[] }
}

export const COMPOSE_VARIABLES = {
  MAILGRADE_VERSION: '0.1.0',
  MAILGRADE_HOST: 'mailgrade.example',
  VALKEY_PASSWORD: 'secret-password',
} as const

export function readComposeServices(file: string): Record<string, ComposeService> {
  const variables: Readonly<Record<string, string>> = COMPOSE_VARIABLES
  const text = readFileSync(file, 'utf8').replaceAll(
    /\$\{(\w+)(?::\?[^}]*)?\}/g,
    (_, name: string) => variables[name] ?? '',
  )
  return parse(text, { merge: true }).services
}
