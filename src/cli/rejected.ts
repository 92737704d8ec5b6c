import type { Command } from 'commander'
import type { RejectedRowAnswer } from '../client/answers.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount } from './number-option.ts'
import { type ItemColumn, type JsonOption, printItems } from './output.ts'

interface ListOptions extends JsonOption {
  readonly batch?: string
  readonly code?: string
  readonly limit: number
}

const columns: readonly ItemColumn<RejectedRowAnswer>[] = [
  { title: 'received', cell: (row) => row.received },
  { title: 'index', align: 'right', cell: (row) => row.index },
  { title: 'field', cell: (row) => row.field },
  { title: 'code', cell: (row) => row.code },
  { title: 'message', cell: (row) => row.message },
  { title: 'row', cell: (row) => row.row },
]

/** `tidemark rejected`: rows that were pushed and not stored, with an admin key. */
export function addRejected(program: Command, context: CliContext): void {
  const rejected = program.command('rejected').description('see the rows that were not stored (needs an admin key)')
  rejected
    .command('list <ingest>')
    .description('rejected rows as they were pushed, each with its reason')
    .option('--batch <id>', 'only those of one push')
    .option('--code <code>', 'only those with this reason, as in wrong_type')
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: ListOptions, command: Command) => {
      const { batch, code, limit } = options
      const page = await connect(context, command.optsWithGlobals()).rejected(ingest, {
        limit,
        ...(batch === undefined ? {} : { batch }),
        ...(code === undefined ? {} : { code }),
      })
      printItems(context, options, { items: page.Items, columns, none: 'No row is rejected.' })
      if (page.NextToken !== null) context.stderr.write('There are more; --limit shows them.\n')
    })
}
