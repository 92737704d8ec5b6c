import type { Command } from 'commander'
import type { StorageAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { allItems } from './all-items.ts'
import type { CliContext } from './context.ts'
import { type ItemColumn, showsList } from './output.ts'

const columns: readonly ItemColumn<StorageAnswer>[] = [
  { title: 'entity', cell: ({ entity }) => entity },
  { title: 'files', align: 'right', cell: ({ files }) => files },
  { title: 'rows', align: 'right', cell: ({ rows }) => rows },
  { title: 'bytes', align: 'right', cell: ({ bytes }) => bytes },
  { title: 'first', cell: ({ first_date }) => first_date },
  { title: 'last', cell: ({ last_date }) => last_date },
]

/** `tidemark storage`: lists the disk usage of each entity. */
export function addStorage(program: Command, context: CliContext): void {
  const command = program
    .command('storage')
    .description(
      'list the files, rows and bytes that each entity has on disk (needs a key with the right observe or admin)',
    )
  const items = (client: TidemarkClient) => allItems((page) => client.storage(page))
  showsList(command, context, { items, columns, none: 'There is no entity.' })
}
