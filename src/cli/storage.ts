import type { Command } from 'commander'
import type { StorageAnswer } from '../client/answers.ts'
import { allItems } from './all-items.ts'
import { type CliContext, connect } from './context.ts'
import { type ItemColumn, type JsonOption, printItems } from './output.ts'

const columns: readonly ItemColumn<StorageAnswer>[] = [
  { title: 'entity', cell: ({ entity }) => entity },
  { title: 'files', align: 'right', cell: ({ files }) => files },
  { title: 'rows', align: 'right', cell: ({ rows }) => rows },
  { title: 'bytes', align: 'right', cell: ({ bytes }) => bytes },
  { title: 'first', cell: ({ first_date }) => first_date },
  { title: 'last', cell: ({ last_date }) => last_date },
]

/** `tidemark storage`: what each entity has on disk. */
export function addStorage(program: Command, context: CliContext): void {
  program
    .command('storage')
    .description(
      'list the files, rows and bytes that each entity has on disk (needs a key with the right observe or admin)',
    )
    .option('--json', 'print JSON')
    .action(async (options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const items = await allItems((page) => client.storage(page))
      printItems(context, options, { items, columns, none: 'There is no entity.' })
    })
}
