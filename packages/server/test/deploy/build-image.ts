/**
 * Runs the steps of our Dockerfile into folders, without a container engine. `RUN` uses the Node of
 * this machine instead of the base image's, without isolation.
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
  /** The root of its file system, without the base image. */
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
  // Temporary folders are private, and the image runs as another user.
  chmodSync(folder, 0o755)
  return { root, stage, remove }
}

export function readDockerfile(): Dockerfile {
  return parseDockerfile(readFileSync('Dockerfile', 'utf8'))
}

function buildStage(stage: DockerfileStage, root: string, folder: string): void {
  // The packages are in the npm cache already.
  const env = { ...process.env, npm_config_prefer_offline: 'true', ...stageEnvironment(stage) }
  let workdir = root
  for (const { keyword, value } of stage.instructions) {
    if (keyword === 'WORKDIR') {
      workdir = join(root, value)
      mkdirSync(workdir, { recursive: true })
    }
    if (keyword === 'COPY') copy(value, workdir, folder)
    // Only root can change owners; another user owns every folder here.
    const isSkipped = value.startsWith('chown ') && process.getuid?.() !== 0
    if (keyword === 'RUN' && !isSkipped)
      execFileSync('/bin/sh', ['-c', value], { cwd: workdir, env, stdio: 'pipe' })
  }
}

function copy(value: string, workdir: string, folder: string): void {
  const words = value.split(/ +/)
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : null
  const target = join(workdir, words.pop() ?? '')
  for (const source of words) {
    const path = from ? join(folder, from, source) : requireInContext(source)
    const isFolder = statSync(path).isDirectory()
    // COPY copies the content of a folder, not the folder.
    cpSync(path, isFolder ? target : join(target, basename(path)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: from ? () => true : isInContext,
    })
  }
}

/** Applies the lines of `.dockerignore` such as `packages/*\/dist`. */
function isInContext(path: string): boolean {
  return !/^packages\/(\w+\/(build|dist|test|node_modules)|(cli|server)\/data)(\/|$)/.test(path)
}

/** Throws unless `.dockerignore` lets this path into the build context. */
function requireInContext(source: string): string {
  const [everything, ...exceptions] = ignoreLines()
  const top = source.split('/')[0]
  if (everything !== '*' || !exceptions.includes(`!${top}`)) {
    throw new Error(`.dockerignore excludes ${source}`)
  }
  return source
}

function ignoreLines(): string[] {
  const lines = readFileSync('.dockerignore', 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
