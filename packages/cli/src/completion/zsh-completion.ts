/** Completion for zsh, with descriptions. */
import { DEFAULT_COMMAND } from '../command-line/command.js'
import {
  type CompletionCommand,
  type CompletionOption,
  flagsWithValue,
  type Values,
  VERSION,
} from './completion-model.js'

export function zshCompletion(commands: readonly CompletionCommand[]): string {
  return `#compdef mailgrade
# Completion for zsh. Write it to a folder of your fpath:
#   mailgrade completion zsh > "$fpath[1]/_mailgrade"

_mailgrade_commands() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  _describe command commands
}

_mailgrade_format_file() {
  if compset -P '*='; then _files; else compadd -q -S '=' -- "$@"; fi
}

_mailgrade() {
  local command=
  integer i
  for (( i = 2; i < CURRENT; i++ )); do
    case $words[i] in
      (${flagsWithValue(commands).join('|')}) (( i++ )) ;;
      (-*) ;;
      (${commands.map(({ name }) => name).join('|')})
        command=$words[i]
        words[i]=()
        (( CURRENT-- ))
        break ;;
      (*) command=${DEFAULT_COMMAND}; break ;;
    esac
  done

  case $command in
${commands.flatMap(commandCases).join('\n')}
  esac
}

if [[ $funcstack[1] == _mailgrade ]]; then
  _mailgrade "$@"
else
  compdef _mailgrade mailgrade
fi
`
}

function commandCases(command: CompletionCommand): string[] {
  const { name, options, argument, isRepeatable } = command
  const specs = options.map(optionSpec)
  const position = isRepeatable ? '*' : '1'
  const own = caseOf(name, [...specs, quote(`${position}:argument:${action(argument)}`)])
  if (name !== DEFAULT_COMMAND) return [own]
  return [
    caseOf("''", [...specs, optionSpec(VERSION), quote('*:command:_mailgrade_commands')]),
    own,
  ]
}

function caseOf(pattern: string, specs: readonly string[]): string {
  return `    (${pattern})
      _arguments -s -S : \\
${specs.map((spec) => `        ${spec}`).join(' \\\n')} ;;`
}

/** An option with a value may be repeated: for several values, or to replace the first. */
function optionSpec({ flags, description, value }: CompletionOption): string {
  const text = `[${escapeSpec(description)}]`
  if (value) {
    const end = `${text}:${value.name}:${action(value.values)}`
    return flags.map((flag) => quote(`*${flag}${flag.startsWith('--') ? '=' : ''}${end}`)).join(' ')
  }
  if (flags.length === 1) return quote(`${flags[0]}${text}`)
  return `${quote(`(${flags.join(' ')})`)}{${flags.join(',')}}${quote(text)}`
}

function action(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `(${values.words.join(' ')})`
    case 'format-file':
      // The space keeps zsh from adding words of its own.
      return ` _mailgrade_format_file ${values.words.join(' ')}`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'unknown':
      return ' '
  }
}

function escapeSpec(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
