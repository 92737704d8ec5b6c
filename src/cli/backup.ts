import type { Command } from 'commander'
import type { ListedBackup } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { allItems } from './all-items.ts'
import { type CliContext, connect } from './context.ts'
import { type ItemColumn, type JsonOption, printJson, showsList } from './output.ts'

const examples = `
Examples:
  tidemark backup
  tidemark restore data/backups/tidemark-20260101T120000.000Z --data ./restored

The service makes the backup while it runs, in a folder on its own machine (backup.directory). On the same disk it links
files instead of copying them: to survive the loss of the disk, copy the folder to another one, with any tool.
`

const backupColumns: readonly ItemColumn<ListedBackup>[] = [
  { title: 'made', cell: ({ made }) => made },
  { title: 'bytes', align: 'right', cell: ({ bytes }) => bytes },
  { title: 'files', align: 'right', cell: ({ files }) => files },
  { title: 'path', cell: ({ path }) => path },
]

/** `tidemark backups`: lists the backups in the folder of a running service. */
export function addBackups(program: Command, context: CliContext): void {
  const command = program
    .command('backups')
    .description("list the backups in the service's folder, newest first (needs an admin key)")
  const items = (client: TidemarkClient) => allItems((page) => client.backups(page))
  showsList(command, context, { items, columns: backupColumns, none: 'There is no backup.' })
}

/** `tidemark backup`: makes a backup of a running service, with an admin key. */
export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('make a backup of the running service (needs an admin key)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (options: JsonOption, command: Command) => {
      const made = await connect(context, command.optsWithGlobals()).makeBackup()
      if (options.json) return printJson(context, made)
      context.stdout.write(`path   ${made.path}\nbytes  ${made.bytes}\n`)
    })
}
