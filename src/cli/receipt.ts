import type { Command } from 'commander'
import type { Receipt, RowError } from '../client/answers.ts'
import { textTable } from '../lib/text-table.ts'
import { type CliContext, connect } from './context.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

const countColumns = [
  { title: 'rows', align: 'right' },
  { title: 'stored', align: 'right' },
  { title: 'rejected', align: 'right' },
  { title: 'pending', align: 'right' },
  { title: 'replaced', align: 'right' },
] as const

const errorColumns: readonly ItemColumn<RowError>[] = [
  { title: 'row', align: 'right', cell: (error) => error.index + 1 },
  { title: 'field', cell: (error) => error.field },
  { title: 'code', cell: (error) => error.code },
  { title: 'message', below: 'whole', cell: (error) => error.message },
]

function print(context: CliContext, { rows, stored, rejected, pending, replaced, errors }: Receipt): void {
  context.stdout.write(textTable(countColumns, [[rows, stored, rejected, pending, replaced].map(String)]))
  if (errors.length === 0) return
  context.stdout.write('\n')
  printItems(context, {}, { items: errors, columns: errorColumns, none: '' })
}

/** `tidemark receipt`: shows the outcome of one push, with the key that pushed. */
export function addReceipt(program: Command, context: CliContext): void {
  program
    .command('receipt <ingest> <batch>')
    .description('show the outcome of one push, rows counted from 1 (needs a key of the subscriber that pushed)')
    .option('--json', 'print JSON, where index counts the rows from 0')
    .action(async (ingest: string, batch: string, options: JsonOption, command: Command) => {
      const receipt = await connect(context, command.optsWithGlobals()).receipt(ingest, batch)
      if (options.json) printJson(context, receipt)
      else print(context, receipt)
    })
}
