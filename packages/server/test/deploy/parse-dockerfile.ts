/** Parses the subset of the Dockerfile language that our Dockerfile uses. */

interface Instruction {
  readonly keyword: string
  readonly value: string
}

export interface DockerfileStage {
  readonly name: string
  readonly image: string
  readonly instructions: readonly Instruction[]
}

export interface Dockerfile {
  readonly args: Readonly<Record<string, string>>
  readonly stages: readonly DockerfileStage[]
}

export function parseDockerfile(text: string): Dockerfile {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map(parseInstruction)
  const firstStage = lines.findIndex(({ keyword }) => keyword === 'FROM')
  const args = Object.fromEntries(lines.slice(0, firstStage).map(({ value }) => parsePair(value)))
  const stages: (DockerfileStage & { instructions: Instruction[] })[] = []
  for (const line of lines.slice(firstStage)) {
    if (line.keyword === 'FROM') stages.push(parseStage(line.value, args))
    else stages.at(-1)?.instructions.push(line)
  }
  return { args, stages }
}

function parseInstruction(line: string): Instruction {
  const [, keyword = '', value = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
  if (keyword === '') throw new Error(`not an instruction: ${line}`)
  return { keyword, value }
}

function parseStage(value: string, args: Dockerfile['args']) {
  const [image = '', , name = ''] = value.split(/ +/)
  const resolved = image.replace(/\$\{(\w+)\}/g, (_, arg: string) => args[arg] ?? '')
  return { name, image: resolved, instructions: [] }
}

function parsePair(text: string): [string, string] {
  const [name = '', ...parts] = text.split('=')
  return [name, parts.join('=')]
}

/** The value of the last instruction with this keyword, which overrides the others. */
export function lastInstruction({ instructions }: DockerfileStage, keyword: string): string {
  const last = instructions.findLast((instruction) => instruction.keyword === keyword)
  if (!last) throw new Error(`the Dockerfile has no ${keyword}`)
  return last.value
}

export function stageEnvironment({ instructions }: DockerfileStage): Record<string, string> {
  const pairs = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .map(({ value }) => parsePair(value))
  return Object.fromEntries(pairs)
}

/** A command in exec form, which runs without a shell. */
export function parseExecForm(json: string): [string, ...string[]] {
  return JSON.parse(json.replace(/^.*?CMD (?=\[)/, ''))
}
