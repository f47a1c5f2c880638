/** Every file that `npm run docs` writes from the table of commands. */
import { COMMANDS } from '../command-line/commands.js'
import { describeCommands } from './command-reference.js'
import { manPage } from './man-page.js'
import {
  commandTable,
  exampleBlock,
  markdownReference,
  type RunExample,
  replacePart,
} from './markdown-reference.js'

/** The new text of each file, by its path in the repository. */
export async function writeDocuments(
  read: (file: string) => string,
  run: RunExample,
): Promise<Map<string, string>> {
  const reference = describeCommands(COMMANDS)
  const guide = 'docs/command-line.md'
  const readme = 'packages/cli/README.md'
  const example = await exampleBlock('npx mailgrade acme.example', run)
  return new Map([
    ['packages/cli/man/mailgrade.1', manPage(reference, latestRelease(read('CHANGELOG.md')))],
    [guide, replacePart(read(guide), 'commands', await markdownReference(reference, run))],
    [
      readme,
      replacePart(
        replacePart(read(readme), 'commands', commandTable(reference)),
        'example',
        example,
      ),
    ],
  ])
}

function latestRelease(changelog: string) {
  const [, version = '', date = ''] = /^## \[(.+)\] - (\d{4}-\d{2}-\d{2})$/m.exec(changelog) ?? []
  return { version, date }
}
