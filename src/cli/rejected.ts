import type { Command } from 'commander'
import type { BatchAnswer, RejectedKindAnswer, RejectedRowAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import type { RejectedSelection, WhoseRows } from '../client/request-paths.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect, writeAll } from './context.ts'
import { parseCount } from './number-option.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

interface FilterOptions {
  readonly batch?: string
  readonly code?: string
  readonly field?: string
  readonly mine?: boolean
}

interface ListOptions extends FilterOptions, JsonOption {
  readonly limit: number
}

interface ChoiceOptions extends FilterOptions {
  readonly all?: boolean
}

const columns: readonly ItemColumn<RejectedRowAnswer>[] = [
  { title: 'id', cell: (row) => row.id },
  { title: 'received', cell: (row) => row.received },
  { title: 'row', align: 'right', cell: (row) => row.index + 1 },
  { title: 'field', cell: (row) => row.field },
  { title: 'code', cell: (row) => row.code },
  { title: 'message', cell: (row) => row.message },
  { title: 'text', cell: (row) => row.row },
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

/** `tidemark rejected`: rows that were pushed and not stored; of all pushers with an admin key, of one's own with the key that pushed them. */
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

function withFilters(command: Command): Command {
  return command
    .option('--batch <id>', 'only those of one push')
    .option('--code <code>', 'only those with this reason, as in wrong_type')
    .option('--field <name>', 'only those where this pushed property is at fault')
}

function filterOf({ batch, code, field }: FilterOptions): RejectedSelection {
  return {
    ...(batch === undefined ? {} : { batch }),
    ...(code === undefined ? {} : { code }),
    ...(field === undefined ? {} : { field }),
  }
}

const rowsOf = ({ mine }: FilterOptions): WhoseRows => (mine === true ? 'own' : 'all')

/** Pages of an ingest's rejected rows; each may be empty, and none is the last for that. */
async function* pagesOf(
  client: TidemarkClient,
  ingest: string,
  options: FilterOptions,
  limit?: number,
): AsyncGenerator<readonly RejectedRowAnswer[]> {
  const request = { ...filterOf(options), ...(limit === undefined ? {} : { limit }) }
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.rejected(
      ingest,
      { ...request, ...(token === undefined ? {} : { token }) },
      rowsOf(options),
    )
    yield page.Items
    token = page.NextToken
  }
}

const pageRowsMax = 10_000

function addList(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('list <ingest>', { isDefault: true })))
    .description('rejected rows as they were pushed, each with its reason; rows of a push are counted from 1')
    .option('--limit <count>', 'how many', parseCount, 20)
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
      printItems(context, options, { items: items.slice(0, options.limit), columns, none })
      if (more) context.stderr.write('There are more; --limit shows them.\n')
    })
}

async function printSummary(
  context: CliContext,
  client: TidemarkClient,
  ingest: string,
  options: FilterOptions,
): Promise<void> {
  printItems(context, {}, { items: await client.rejectedSummary(ingest, rowsOf(options)), columns: kindColumns, none })
  context.stdout.write('\n')
}

function addSummary(rejected: Command, context: CliContext): void {
  withMine(rejected.command('summary <ingest>'))
    .description('how many rows are rejected, by code and field')
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: FilterOptions & JsonOption, command: Command) => {
      const items = await connect(context, command.optsWithGlobals()).rejectedSummary(ingest, rowsOf(options))
      printItems(context, options, { items, columns: kindColumns, none })
    })
}

function addBatches(rejected: Command, context: CliContext): void {
  withMine(rejected.command('batches <ingest>'))
    .description('list the pushes that have, or had, rejected rows, newest first')
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: ListOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const page = await client.batches(ingest, { limit: Math.min(options.limit, 1000) }, rowsOf(options))
      if (options.json) printJson(context, page.Items)
      else printItems(context, {}, { items: page.Items, columns: batchColumns, none: 'No push had a rejected row.' })
      if (page.NextToken !== null) context.stderr.write('There are more; --limit shows them.\n')
    })
}

function addExport(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('export <ingest>')))
    .description('print all rejected rows as NDJSON, one a line, each with its reason')
    .action(async (ingest: string, options: FilterOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      await writeAll(context.stdout, linesOf(client, ingest, options))
    })
}

async function* linesOf(client: TidemarkClient, ingest: string, options: FilterOptions): AsyncGenerator<Uint8Array> {
  for await (const rows of pagesOf(client, ingest, options)) {
    if (rows.length > 0) yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }
}

/** The rows that are meant: by their ids, by a filter, or all of them (null). Throws `CommandError` where that is not said, or said twice. */
async function* chosenIds(
  client: TidemarkClient,
  ingest: string,
  ids: readonly string[],
  options: ChoiceOptions,
  what: string,
): AsyncGenerator<readonly string[] | null> {
  const isFiltered = Object.keys(filterOf(options)).length > 0
  if ([options.all === true, ids.length > 0, isFiltered].filter(Boolean).length !== 1) {
    throw new CommandError(
      `Give the ids of the rows to ${what} (tidemark rejected list shows them), or --batch, --code or --field, or --all.`,
    )
  }
  if (options.all === true) yield null
  for (let from = 0; from < ids.length; from += pageRowsMax) yield ids.slice(from, from + pageRowsMax)
  if (!isFiltered) return
  for await (const rows of pagesOf(client, ingest, options, pageRowsMax)) {
    if (rows.length > 0) yield rows.map(({ id }) => id)
  }
}

function addReplay(rejected: Command, context: CliContext): void {
  withFilters(rejected.command('replay <ingest> [ids...]'))
    .description(
      'judge rejected rows again, for example after a field was added: those with these ids, those that a filter lets in, or all',
    )
    .option('--all', 'all of them')
    .action(async (ingest: string, ids: readonly string[], options: ChoiceOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const total = { stored: 0, rejected: 0 }
      for await (const chosen of chosenIds(client, ingest, ids, options, 'replay')) {
        const { stored, rejected } = await client.replayRejected(ingest, chosen)
        total.stored += stored
        total.rejected += rejected
      }
      const { stored } = total
      const stay = total.rejected === 1 ? '1 is still rejected' : `${total.rejected} are still rejected`
      context.stdout.write(`${stored} ${stored === 1 ? 'row is' : 'rows are'} stored now, ${stay}.\n`)
    })
}

function addDiscard(rejected: Command, context: CliContext): void {
  withMine(withFilters(rejected.command('discard <ingest> [ids...]')))
    .description(
      'remove rejected rows from the list for good: those with these ids, those that a filter lets in, or all',
    )
    .option('--all', 'all of them')
    .action(async (ingest: string, ids: readonly string[], options: ChoiceOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      let discarded = 0
      for await (const chosen of chosenIds(client, ingest, ids, options, 'discard')) {
        discarded += await client.discardRejected(ingest, chosen, rowsOf(options))
      }
      context.stdout.write(`${discarded} ${discarded === 1 ? 'row is' : 'rows are'} discarded.\n`)
    })
}
