/** Runs `action.yml` as a runner does: resolves its expressions, starts its steps, reads what they wrote. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: unknown }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: {
    readonly using: string
    readonly steps: readonly {
      readonly id: string
      readonly shell: string
      readonly run: string
      readonly env: Readonly<Record<string, string>>
    }[]
  }
}

export interface ActionRun {
  readonly exitCode: number | null
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly annotations: readonly Annotation[]
  readonly log: string
}

interface Annotation {
  readonly level: string
  readonly title: string
  readonly message: string
}

export const ACTION: Action = parse(readFileSync('action.yml', 'utf8'))

/** `folder` is the checkout of the user. */
export async function runAction(
  folder: string,
  given: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<ActionRun> {
  const [step, ...others] = ACTION.runs.steps
  if (!step || others.length > 0) throw new Error('The action has one step')
  const context = Object.entries(ACTION.inputs).map(([name, input]) => [
    `inputs.${name}`,
    given[name] ?? `${input.default}`,
  ])
  const inputs = Object.fromEntries(context)
  const files = Object.fromEntries(
    ['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT'].map((name) => [name, join(folder, randomUUID())]),
  )
  for (const path of Object.values(files)) writeFileSync(path, '')
  const script = join(folder, `${randomUUID()}.sh`)
  writeFileSync(script, resolveExpressions(step.run, inputs))
  const { exitCode, log } = await runBash(script, folder, {
    PATH: process.env.PATH ?? '',
    RUNNER_TEMP: folder,
    GITHUB_ACTION_PATH: resolve('.'),
    ...files,
    ...Object.fromEntries(
      Object.entries(step.env).map(([name, text]) => [name, resolveExpressions(text, inputs)]),
    ),
    ...env,
  })
  const written = readOutputs(readFileSync(files.GITHUB_OUTPUT ?? '', 'utf8'))
  const outputs = Object.entries(ACTION.outputs).map(([name, { value }]) => [
    name,
    resolveExpressions(value, written),
  ])
  return {
    exitCode,
    outputs: Object.fromEntries(outputs),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY ?? '', 'utf8'),
    annotations: readAnnotations(log),
    log,
  }
}

function resolveExpressions(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name] ?? '')
}

/** As `shell: bash` means it. */
function runBash(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', script]
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  }
  return new Promise<{ exitCode: number | null; log: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, log: parts.join('') }))
  })
}

/** `name<<end`, lines, `end`. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {}
  const lines = text.split('\n')
  while (lines.length > 1) {
    const [name = '', end = ''] = lines.shift()?.split('<<') ?? []
    outputs[`steps.check.outputs.${name}`] = lines.splice(0, lines.indexOf(end)).join('\n')
    lines.shift()
  }
  return outputs
}

/** A runner takes commands at the start of a line, after white space, unless they are stopped. */
function readAnnotations(log: string): Annotation[] {
  const annotations: Annotation[] = []
  let stoppedBy: string | null = null
  for (const line of log.split(/\r?\n/).map((text) => text.trimStart())) {
    const [, name = '', properties = '', text = ''] =
      /^::([^ :]+)(?: (.*?))?::(.*)$/.exec(line) ?? []
    if (stoppedBy !== null) {
      if (name === stoppedBy) stoppedBy = null
    } else if (name === 'stop-commands') stoppedBy = text
    else if (name) {
      const title = /^title=(.*)$/.exec(properties)?.[1] ?? ''
      annotations.push({
        level: name,
        title: unescapeCommand(title),
        message: unescapeCommand(text),
      })
    }
  }
  return annotations
}

function unescapeCommand(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%')
}
