import type { Command } from 'commander'
import type { BatchAnswer, RejectedKindAnswer, RejectedRowAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { precisionNote, timedText } from '../file-push/rejected-lines.ts'
import type { LinePrecision } from '../model/line-format.ts'
import { type CliContext, connect, writeAll } from './context.ts'
import { parseCount } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson, type TableOptions } from './output.ts'
import {
  type ChoiceOptions,
  chosenIds,
  type FilterOptions,
  filterOf,
  pageRowsMax,
  pagesOf,
  refuseUnknown,
  whoseRows,
  withFilters,
} from './rejected/chosen-rows.ts'
import { addReplay } from './rejected/replay.ts'

interface ListOptions extends FilterOptions, TableOptions {
  readonly limit: number
}

interface ExportOptions extends FilterOptions {
  readonly rows?: boolean
}

const columns: readonly ItemColumn<RejectedRowAnswer>[] = [
  { title: 'id', cell: (row) => row.id },
  { title: 'received', cell: (row) => row.received },
  { title: 'batch', below: 'whole', cell: (row) => row.batch },
  { title: 'row', align: 'right', cell: (row) => row.index + 1 },
  { title: 'field', cell: (row) => row.field },
  { title: 'code', cell: (row) => row.code },
  { title: 'message', below: 'cut', cell: (row) => row.message },
  { title: 'text', below: 'cut', cell: (row) => row.row },
]

const kindColumns: readonly ItemColumn<RejectedKindAnswer>[] = [
  { title: 'rows', align: 'right', cell: (kind) => kind.count },
  { title: 'code', cell: (kind) => kind.code },
  { title: 'field', cell: (kind) => kind.field },
  { title: 'first', cell: (kind) => kind.first },
  { title: 'last', cell: (kind) => kind.last },
]

const batchColumns: readonly ItemColumn<BatchAnswer>[] = [
  { title: 'batch', cell: (batch) => batch.batch },
  { title: 'received', cell: (batch) => batch.received },
  { title: 'rows', align: 'right', cell: (batch) => batch.rows },
  { title: 'stored', align: 'right', cell: (batch) => batch.stored },
  { title: 'rejected', align: 'right', cell: (batch) => batch.rejected },
  { title: 'pending', align: 'right', cell: (batch) => batch.pending },
]

const none = 'No row is rejected.'

function noMatch(options: FilterOptions): string {
  const filters = Object.entries(filterOf(options)).map(([name, value]) => `--${name} ${value}`)
  return `No rejected row matches ${filters.join(' ')}.`
}

/** `tidemark rejected`: rows that were pushed but not stored; those of all pushers with an admin key, one's own with the key that pushed them. */
export function addRejected(program: Command, context: CliContext): void {
  const rejected = program
    .command('rejected')
    .description(
      'see, save, replay and discard the rows that were not stored (all with an admin key, your own with --mine; for summary and batches observe suffices)',
    )
  addList(rejected, context)
  addSummary(rejected, context)
  addBatches(rejected, context)
  addExport(rejected, context)
  addReplay(rejected, context)
  addDiscard(rejected, context)
}

function withMine(command: Command): Command {
  return command.option('--mine', 'show your own rows, with the key that pushes to the ingest')
}

function addList(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('list <ingest>', { isDefault: true })))
    .description('list rejected rows as they were pushed, each with its reason; rows of a push count from 1')
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--wide', 'print each row in full on one line, also in a terminal')
    .option('--json', 'print JSON, where index counts the rows of a push from 0')
    .action(async (ingest: string, options: ListOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const items: RejectedRowAnswer[] = []
      let more = false
      for await (const page of pagesOf(client, ingest, options, Math.min(options.limit + 1, pageRowsMax))) {
        items.push(...page)
        more = items.length > options.limit
        if (more) break
      }
      const isWhole = Object.keys(filterOf(options)).length === 0
      if (options.json !== true && isWhole && items.length > 0) await printSummary(context, client, ingest, options)
      printItems(context, options, {
        items: items.slice(0, options.limit),
        columns,
        none: isWhole ? none : noMatch(options),
      })
      if (more) context.stderr.write('There are more; --limit shows them.\n')
    })
}

async function printSummary(
  context: CliContext,
  client: TidemarkClient,
  ingest: string,
  options: FilterOptions,
): Promise<void> {
  printItems(
    context,
    {},
    { items: await client.rejectedSummary(ingest, whoseRows(options)), columns: kindColumns, none },
  )
  context.stdout.write('\n')
}

function addSummary(rejected: Command, context: CliContext): void {
  withMine(rejected.command('summary <ingest>'))
    .description('how many rows are rejected, by code and field')
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: FilterOptions & JsonOption, command: Command) => {
      const items = await connect(context, command.optsWithGlobals()).rejectedSummary(ingest, whoseRows(options))
      printItems(context, options, { items, columns: kindColumns, none })
    })
}

function addBatches(rejected: Command, context: CliContext): void {
  withMine(rejected.command('batches <ingest>'))
    .description('list the pushes with rejected rows, also past ones, newest first')
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: ListOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const page = await client.batches(ingest, { limit: Math.min(options.limit, 1000) }, whoseRows(options))
      if (options.json) printJson(context, page.Items)
      else printItems(context, {}, { items: page.Items, columns: batchColumns, none: 'No push had a rejected row.' })
      if (page.NextToken !== null) context.stderr.write('There are more; --limit shows them.\n')
    })
}

function addExport(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('export <ingest>')))
    .description('print all rejected rows as NDJSON, one a line, each with its reason')
    .option('--rows', 'only the rows as pushed, lines with their time: to correct in an editor and push again')
    .action(async (ingest: string, options: ExportOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const precisions = new Set<LinePrecision | undefined>()
      await writeAll(context.stdout, linesOf(client, ingest, options, precisions))
      const note = precisionNote(precisions)
      if (options.rows && note !== null) context.stderr.write(`${note}\n`)
    })
}

async function* linesOf(
  client: TidemarkClient,
  ingest: string,
  options: ExportOptions,
  precisions: Set<LinePrecision | undefined>,
): AsyncGenerator<Uint8Array> {
  // Line breaks within a row occur only between values: in strings they are escaped.
  const lineOf = (row: RejectedRowAnswer): string =>
    options.rows ? timedText(row).replace(/[\r\n]+/g, ' ') : JSON.stringify(row)
  for await (const rows of pagesOf(client, ingest, options)) {
    const shown = rows.filter(({ row }) => options.rows !== true || row !== '')
    for (const row of shown) precisions.add(row.precision)
    if (shown.length > 0) yield Buffer.from(shown.map((row) => `${lineOf(row)}\n`).join(''))
  }
}

function addDiscard(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('discard <ingest> [ids...]')))
    .description('remove rejected rows for good: rows with these ids, rows that match a filter, or all')
    .option('--all', 'all of them')
    .action(async (ingest: string, ids: readonly string[], options: ChoiceOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      let discarded = 0
      for await (const chosen of chosenIds(client, ingest, ids, options, 'discard')) {
        discarded += await client.discardRejected(ingest, chosen, whoseRows(options))
      }
      refuseUnknown(ingest, ids, discarded)
      context.stdout.write(`${discarded} ${discarded === 1 ? 'row is' : 'rows are'} discarded.\n`)
    })
}
