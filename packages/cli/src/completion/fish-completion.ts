/** Completion for fish 3 and newer, with descriptions. */
import { DEFAULT_COMMAND } from '../command-line/command.js'
import {
  type CompletionCommand,
  type CompletionOption,
  flagsWithValue,
  type Values,
  VERSION,
} from './completion-model.js'

/** What the script calls the command before one is typed. */
const NONE = 'none'

export function fishCompletion(commands: readonly CompletionCommand[]): string {
  return `# Completion for fish. Write it to the folder that fish reads:
#   mailgrade completion fish > ~/.config/fish/completions/mailgrade.fish

function __mailgrade_words
    set -l is_value 0
    for word in (commandline -opc)[2..]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case ${flagsWithValue(commands).join(' ')}
                set is_value 1
            case '-*'
            case '*'
                echo $word
        end
    end
end

function __mailgrade_command
    set -l words (__mailgrade_words)
    if not set -q words[1]
        echo ${NONE}
    else if contains -- $words[1] ${commands.map(({ name }) => name).join(' ')}
        echo $words[1]
    else
        echo ${DEFAULT_COMMAND}
    end
end

function __mailgrade_is
    contains -- (__mailgrade_command) $argv
end

function __mailgrade_has_argument
    set -l words (__mailgrade_words)
    set -q words[2]
end

# The formats, and after one of them the files.
function __mailgrade_format_file
    set -l parts (string split -m 1 = -- (string replace -r '^--[a-z]+=' '' -- (commandline -ct)))
    if not set -q parts[2]
        printf '%s=\\n' $argv
        return
    end
    for path in (__fish_complete_path $parts[2])
        echo $parts[1]=$path
    end
end

complete -c mailgrade -f
${commands.map(commandLine).join('\n')}
${commands.flatMap(argumentLine).join('\n')}
${optionLines(commands).join('\n')}
`
}

function commandLine({ name, summary }: CompletionCommand): string {
  return line([NONE], `-a ${name} -d ${quote(summary)}`)
}

function argumentLine({ name, argument, isRepeatable }: CompletionCommand): string[] {
  const spec = argumentSpec(argument)
  if (spec === null) return []
  return [line([name], spec, isRepeatable ? '' : '; and not __mailgrade_has_argument')]
}

function argumentSpec(values: Values): string | null {
  switch (values.kind) {
    case 'words':
      return `-k -a ${quote(values.words.join(' '))}`
    case 'format-file':
      return `-k -a '(__mailgrade_format_file ${values.words.join(' ')})'`
    case 'file':
      return '-F'
    case 'folder':
      return "-a '(__fish_complete_directories)'"
    case 'unknown':
      return null
  }
}

/** An option that several commands have is one line. */
function optionLines(commands: readonly CompletionCommand[]): string[] {
  const names = new Map([[optionSpec(VERSION), [NONE]]])
  for (const { name, options } of commands) {
    for (const spec of options.map(optionSpec)) {
      const own = name === DEFAULT_COMMAND ? [NONE, name] : [name]
      names.set(spec, [...(names.get(spec) ?? []), ...own])
    }
  }
  return [...names].map(([spec, commandNames]) => line(commandNames, spec))
}

function optionSpec({ flags, description, value }: CompletionOption): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag[1]}`,
  )
  return [...names, ...(value ? [valueSpec(value.values)] : []), `-d ${quote(description)}`].join(
    ' ',
  )
}

function valueSpec(values: Values): string {
  const spec = argumentSpec(values)
  if (spec === null) return '-x'
  return `${values.kind === 'file' ? '-r' : '-x'} ${spec}`
}

function line(commandNames: readonly string[], spec: string, also = ''): string {
  return `complete -c mailgrade -n '__mailgrade_is ${commandNames.join(' ')}${also}' ${spec}`
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
