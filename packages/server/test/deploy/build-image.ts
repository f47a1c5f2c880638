/**
 * Does what an engine would do with our Dockerfile, step by step, into folders: `RUN` runs on this
 * machine's Node instead of the base image's, and there is no isolation.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  type Dockerfile,
  type DockerfileStage,
  parseDockerfile,
  stageEnvironment,
} from './parse-dockerfile.js'

export interface BuiltImage {
  /** The root of its file system, without what the base image brings. */
  readonly root: string
  readonly stage: DockerfileStage
  remove(): void
}

export function buildImage(): BuiltImage {
  const { stages } = readDockerfile()
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-image-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    for (const stage of stages) buildStage(stage, join(folder, stage.name), folder)
  } catch (error) {
    remove()
    throw error
  }
  const stage = stages.at(-1) as DockerfileStage
  const root = join(folder, stage.name)
  // An engine's root file system may be entered by any user; a temporary folder may not.
  chmodSync(folder, 0o755)
  return { root, stage, remove }
}

export function readDockerfile(): Dockerfile {
  return parseDockerfile(readFileSync('Dockerfile', 'utf8'))
}

function buildStage(stage: DockerfileStage, root: string, folder: string): void {
  // What `npm ci` has just fetched for these tests is as good as fetched again.
  const env = { ...process.env, npm_config_prefer_offline: 'true', ...stageEnvironment(stage) }
  let here = root
  for (const { keyword, value } of stage.instructions) {
    if (keyword === 'WORKDIR') {
      here = join(root, value)
      mkdirSync(here, { recursive: true })
    }
    if (keyword === 'COPY') copy(value, here, folder)
    if (keyword === 'RUN') execFileSync('/bin/sh', ['-c', value], { cwd: here, env, stdio: 'pipe' })
  }
}

function copy(rest: string, here: string, folder: string): void {
  const words = rest.split(/ +/)
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : null
  const target = join(here, words.pop() ?? '')
  for (const source of words) {
    const path = from ? join(folder, from, source) : fromContext(source)
    const isFolder = statSync(path).isDirectory()
    // The content of a folder is copied, not the folder.
    cpSync(path, isFolder ? target : join(target, basename(path)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: from ? () => true : isSent,
    })
  }
}

/** The folders that lines such as `packages/*\/dist` hold back again. */
function isSent(path: string): boolean {
  return !/^packages\/\w+\/(dist|test|node_modules)(\/|$)/.test(path)
}

/** What `.dockerignore` holds back is not there for the build. */
function fromContext(source: string): string {
  const [nothing, ...named] = ignoreLines()
  const top = source.split('/')[0]
  if (nothing !== '*' || !named.includes(`!${top}`)) throw new Error(`${source} is not sent along`)
  return source
}

function ignoreLines(): string[] {
  const lines = readFileSync('.dockerignore', 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
