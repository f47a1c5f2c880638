/** A table with every kind of value that a shell can complete. */
import { Option } from 'commander'
import { type Command, EXIT } from '../../src/command-line/command.js'
import { describeCompletion } from '../../src/completion/completion-model.js'

const unused = { argumentDescription: '', examples: [], run: async () => EXIT.fine }
const format = (choices: readonly string[]) =>
  new Option('--format <format>', "how to write the domain's result").choices(choices)

export const COMPLETION_FIXTURE = describeCompletion([
  {
    ...unused,
    name: 'check',
    summary: 'check domains',
    argument: '<domain...>',
    options: [
      new Option('--resolver <url>', 'resolver [DoH]: a URL'),
      new Option('--exact', 'keep www.'),
      new Option('--secret <text>', 'for no one to see').hideHelp(),
      format(['text', 'json', 'sarif']),
      new Option('--report <format=file>', 'file to write as well'),
    ],
  },
  {
    ...unused,
    name: 'scan',
    summary: "check a file's domains",
    argument: '<file|->',
    options: [
      new Option('-o, --out <folder>', 'folder to write to'),
      new Option('--html <file>', 'page to write'),
      format(['ndjson', 'csv']),
    ],
  },
  {
    ...unused,
    name: 'completion',
    summary: 'print a script',
    argument: '<bash|zsh|fish>',
    options: [],
  },
] satisfies Command[])
