/** Completion for fish 3 and newer, with descriptions. */
import { DEFAULT_COMMAND } from '../command-line/program-facts.js'
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

function __mailgrade_command
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
            case ${commands.map(({ name }) => name).join(' ')}
                echo $word
                return
            case '*'
                echo ${DEFAULT_COMMAND}
                return
        end
    end
    echo ${NONE}
end

function __mailgrade_is
    contains -- (__mailgrade_command) $argv
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

function argumentLine({ name, argument }: CompletionCommand): string[] {
  switch (argument.kind) {
    case 'words':
      return [line([name], `-k -a ${quote(argument.words.join(' '))}`)]
    case 'file':
      return [line([name], '-F')]
    case 'folder':
      return [line([name], "-a '(__fish_complete_directories)'")]
    case 'unknown':
      return []
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
  switch (values.kind) {
    case 'words':
      return `-x -k -a ${quote(values.words.join(' '))}`
    case 'file':
      return '-r -F'
    case 'folder':
      return "-x -a '(__fish_complete_directories)'"
    case 'unknown':
      return '-x'
  }
}

function line(commandNames: readonly string[], spec: string): string {
  return `complete -c mailgrade -n '__mailgrade_is ${commandNames.join(' ')}' ${spec}`
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
