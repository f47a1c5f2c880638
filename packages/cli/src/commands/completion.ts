/** `mailgrade completion`: a script that makes a shell complete our commands and options. */
import { type Command, defineCommand, EXIT, UsageError } from '../command-line/command.js'
import { bashCompletion } from '../completion/bash-completion.js'
import { type CompletionCommand, describeCompletion } from '../completion/completion-model.js'
import { fishCompletion } from '../completion/fish-completion.js'
import { zshCompletion } from '../completion/zsh-completion.js'

type WriteScript = (commands: readonly CompletionCommand[]) => string

const SHELLS = new Map<string, WriteScript>([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
])

/** A function returns the table, because this command is in the table too. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completion',
    summary: 'print a script that completes commands in bash, zsh, or fish',
    argument: `<${[...SHELLS.keys()].join('|')}>`,
    argumentDescription: 'your shell',
    options: [],
    examples: [
      {
        command: 'eval "$(mailgrade completion bash)"',
        explanation: 'For bash, add this line to ~/.bashrc.',
      },
      {
        command: 'mailgrade completion zsh > "$fpath[1]/_mailgrade"',
        explanation: 'For zsh. It works once you start a new shell.',
      },
      {
        command: 'mailgrade completion fish > ~/.config/fish/completions/mailgrade.fish',
        explanation: 'For fish. It works right away.',
      },
    ],
    async run([shell = ''], _options, { stdout }) {
      const write = SHELLS.get(shell)
      if (!write) {
        const names = [...SHELLS.keys()].join(', ')
        throw new UsageError(
          `We don’t support completion for ${shell}. Use one of these: ${names}.`,
        )
      }
      stdout.write(write(describeCompletion(commands())))
      return EXIT.fine
    },
  })
}
