/** A Dockerfile as stages of instructions: as much of the language as ours uses, and no more. */

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
    .map(instructionOf)
  const firstStage = lines.findIndex(({ keyword }) => keyword === 'FROM')
  const args = Object.fromEntries(lines.slice(0, firstStage).map(({ value: rest }) => pairOf(rest)))
  const stages: (DockerfileStage & { instructions: Instruction[] })[] = []
  for (const line of lines.slice(firstStage)) {
    if (line.keyword === 'FROM') stages.push(stageOf(line.value, args))
    else stages.at(-1)?.instructions.push(line)
  }
  return { args, stages }
}

function instructionOf(line: string): Instruction {
  const [, word = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
  if (word === '') throw new Error(`not an instruction: ${line}`)
  return { keyword: word, value: rest }
}

function stageOf(rest: string, args: Dockerfile['args']) {
  const [image = '', , name = ''] = rest.split(/ +/)
  const resolved = image.replace(/\$\{(\w+)\}/g, (_, arg: string) => args[arg] ?? '')
  return { name, image: resolved, instructions: [] }
}

function pairOf(text: string): [string, string] {
  const [name = '', ...value] = text.split('=')
  return [name, value.join('=')]
}

/** What the last of these instructions says: the one that counts. */
export function lastInstruction({ instructions }: DockerfileStage, word: string): string {
  const rest = instructions.findLast((instruction) => instruction.keyword === word)?.value
  if (rest === undefined) throw new Error(`there is no ${word}`)
  return rest
}

export function stageEnvironment({ instructions }: DockerfileStage): Record<string, string> {
  const pairs = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .map(({ value: rest }) => pairOf(rest))
  return Object.fromEntries(pairs)
}

/** A command that runs without a shell. */
export function parseExecForm(json: string): [string, ...string[]] {
  return JSON.parse(json.replace(/^.*?CMD (?=\[)/, ''))
}
