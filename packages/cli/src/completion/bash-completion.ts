/** Completion for bash 3.2 and newer, without the package bash-completion. */
import { DEFAULT_COMMAND } from '../command-line/command.js'
import { type CompletionCommand, flagsWithValue, type Values, VERSION } from './completion-model.js'

export function bashCompletion(commands: readonly CompletionCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `# Completion for bash. Add this line to ~/.bashrc:
#   eval "$(mailgrade completion bash)"

_mailgrade_reply() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@")
}

_mailgrade_files() {
  compopt -o filenames 2>/dev/null
  _mailgrade_reply "$@"
}

_mailgrade_formats() {
  compopt -o nospace 2>/dev/null
  _mailgrade_reply "$@"
}

_mailgrade() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) equals= prev command= words=0 i
  COMPREPLY=()

  # Bash makes three words of --format=json, and of a URL.
  if [[ $cur == '=' ]]; then
    cur= equals='='
  elif [[ \${COMP_WORDS[at]} == '=' ]]; then
    at=$((at - 1)) equals='='
  fi
  prev=\${COMP_WORDS[at]}

  # The file in --report json=file.
  if [[ $equals && $prev != -* ]]; then
    [[ \${COMP_WORDS[at-1]} == '=' ]] && at=$((at - 1))
    prev=\${COMP_WORDS[at-1]}=
  fi

  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      '=' | ':') ((i++)) ;;
      ${flagsWithValue(commands).join(' | ')})
        [[ \${COMP_WORDS[i+1]} == '=' ]] || ((i++)) ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then
          case \${COMP_WORDS[i]} in
            ${names.join(' | ')}) command=\${COMP_WORDS[i]}; continue ;;
            *) command=${DEFAULT_COMMAND} ;;
          esac
        fi
        words=$((words + 1)) ;;
    esac
  done

  case "\${command:-${DEFAULT_COMMAND}} $prev" in
${optionValueCases(commands)}
  esac

  case "$cur,$command" in
${flagCases(commands)}
    -*) ;;
    *,) ${reply({ kind: 'words', words: names })} ;;
${argumentCases(commands)}
  esac
}

complete -F _mailgrade mailgrade
`
}

/** Options with the same values share a case. */
function optionValueCases(commands: readonly CompletionCommand[]): string {
  const patterns = new Map<string, string[]>()
  for (const { name, options } of commands) {
    for (const { flags, value } of options) {
      if (!value) continue
      addPatterns(value.values, flags, name)
      if (value.values.kind === 'format-file') {
        const afterFormat = flags.map((flag) => `${flag}=`)
        addPatterns({ kind: 'file' }, afterFormat, name)
      }
    }
  }
  return [...patterns]
    .map(([action, options]) => `    ${options.join(' | ')}) ${action}return ;;`)
    .join('\n')

  function addPatterns(values: Values, flags: readonly string[], name: string): void {
    const action = values.kind === 'unknown' ? '' : `${reply(values)}; `
    const shared = patterns.get(action) ?? []
    patterns.set(action, [...shared, ...flags.map((flag) => `'${name} ${flag}'`)])
  }
}

function flagCases(commands: readonly CompletionCommand[]): string {
  return commands
    .filter(({ options }) => options.length > 0)
    .flatMap(({ name, options }) => {
      const flags = options.flatMap((option) => option.flags)
      const own = `    -*,${name}) ${reply({ kind: 'words', words: flags })} ;;`
      if (name !== DEFAULT_COMMAND) return [own]
      const words = [...flags, ...VERSION.flags]
      return [own, `    -*,) ${reply({ kind: 'words', words })} ;;`]
    })
    .join('\n')
}

function argumentCases(commands: readonly CompletionCommand[]): string {
  return commands
    .filter(({ argument }) => argument.kind !== 'unknown')
    .map(({ name, argument, isRepeatable }) => {
      const condition = isRepeatable ? '' : '((words)) || '
      return `    *,${name}) ${condition}${reply(argument)} ;;`
    })
    .join('\n')
}

function reply(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `_mailgrade_reply -W '${values.words.join(' ')}' -- "$cur"`
    case 'format-file':
      return `_mailgrade_formats -W '${values.words.map((word) => `${word}=`).join(' ')}' -- "$cur"`
    case 'file':
      return '_mailgrade_files -f -- "$cur"'
    case 'folder':
      return '_mailgrade_files -d -- "$cur"'
    case 'unknown':
      return ''
  }
}
