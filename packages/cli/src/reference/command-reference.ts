/** The commands as the man page and the documentation describe them, derived from the table. */
import type { Option } from 'commander'
import type { Command } from '../command-line/command.js'

export interface CommandReference {
  readonly commands: readonly CommandEntry[]
  /** Described once, because they mean the same in many commands. */
  readonly sharedOptions: readonly OptionEntry[]
}

export interface CommandEntry {
  readonly name: string
  /** Such as `<domain...>`; empty if there is none. */
  readonly argument: string
  readonly argumentDescription: string
  readonly summary: string
  readonly ownOptions: readonly OptionEntry[]
  /** Flags of the shared options that the command has. */
  readonly sharedFlags: readonly string[]
  readonly examples: Command['examples']
}

export interface OptionEntry {
  /** Such as `--timeout <seconds>`. */
  readonly flags: string
  readonly description: string
}

/** An option that this many commands have is described once. */
const SHARED_BY = 3

export function describeCommands(commands: readonly Command[]): CommandReference {
  const sharedOptions = findSharedOptions(commands)
  const isShared = (option: OptionEntry) => sharedOptions.some((shared) => isSame(shared, option))
  return {
    commands: commands.map((command) => {
      const options = visibleOptions(command).map(describeOption)
      return {
        name: command.name,
        argument: command.argument,
        argumentDescription: toSentence(command.argumentDescription),
        summary: toSentence(command.summary),
        ownOptions: options.filter((option) => !isShared(option)),
        sharedFlags: options
          .filter(isShared)
          .map(({ flags }) => /--[\w-]+/.exec(flags)?.[0] ?? flags),
        examples: command.examples,
      }
    }),
    sharedOptions,
  }
}

/** Where commands describe an option in several ways, only the most common one is shared. */
function findSharedOptions(commands: readonly Command[]): OptionEntry[] {
  const all = commands.flatMap(visibleOptions).map(describeOption)
  const shared = new Map<string, OptionEntry>()
  const count = (entry?: OptionEntry) => all.filter((other) => entry && isSame(entry, other)).length
  for (const option of all) {
    if (count(option) < SHARED_BY) continue
    if (count(option) > count(shared.get(option.flags))) shared.set(option.flags, option)
  }
  return [...shared.values()]
}

function visibleOptions({ options }: Command): Option[] {
  return options.filter(({ hidden }) => !hidden)
}

function describeOption({ flags, description, argChoices, defaultValue }: Option): OptionEntry {
  const choices = argChoices ? ` One of: ${argChoices.join(', ')}.` : ''
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const preset = isShown ? ` Default: ${defaultValue}.` : ''
  return { flags, description: `${toSentence(description)}${choices}${preset}` }
}

function isSame(one: OptionEntry, other: OptionEntry): boolean {
  return one.flags === other.flags && one.description === other.description
}

export function toSentence(text: string): string {
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`
}
