import type { Command } from 'commander'
import type { RejectedRowAnswer } from '../client/answers.ts'
import type { RejectedSelection, TidemarkClient } from '../client/client.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect, writeAll } from './context.ts'
import { parseCount } from './number-option.ts'
import { type ItemColumn, type JsonOption, printItems } from './output.ts'

interface FilterOptions {
  readonly batch?: string
  readonly code?: string
}

interface ListOptions extends FilterOptions, JsonOption {
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
  const rejected = program
    .command('rejected')
    .description('see, save, replay and discard the rows that were not stored (needs an admin key)')
  addList(rejected, context)
  addExport(rejected, context)
  addReplay(rejected, context)
  addDiscard(rejected, context)
}

function withFilters(command: Command): Command {
  return command
    .option('--batch <id>', 'only those of one push')
    .option('--code <code>', 'only those with this reason, as in wrong_type')
}

function filterOf({ batch, code }: FilterOptions): RejectedSelection {
  return { ...(batch === undefined ? {} : { batch }), ...(code === undefined ? {} : { code }) }
}

function addList(rejected: Command, context: CliContext): void {
  withFilters(rejected.command('list <ingest>'))
    .description('rejected rows as they were pushed, each with its reason')
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (ingest: string, options: ListOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const page = await client.rejected(ingest, { limit: options.limit, ...filterOf(options) })
      printItems(context, options, { items: page.Items, columns, none: 'No row is rejected.' })
      if (page.NextToken !== null) context.stderr.write('There are more; --limit shows them.\n')
    })
}

function addExport(rejected: Command, context: CliContext): void {
  withFilters(rejected.command('export <ingest>'))
    .description('all rejected rows as NDJSON: one a line, each with its reason')
    .action(async (ingest: string, options: FilterOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      await writeAll(context.stdout, linesOf(client, ingest, filterOf(options)))
    })
}

async function* linesOf(client: TidemarkClient, ingest: string, filter: RejectedSelection): AsyncGenerator<Uint8Array> {
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.rejected(ingest, { ...filter, ...(token === undefined ? {} : { token }) })
    if (page.Items.length > 0) yield Buffer.from(page.Items.map((row) => `${JSON.stringify(row)}\n`).join(''))
    token = page.NextToken
  }
}

const idsAtOnce = 10_000

/** Some rows or all: neither is taken for the other. */
function checkChoice(ids: readonly string[], { all }: { readonly all?: boolean }, what: string): void {
  if ((all === true) !== ids.length > 0) return
  throw new CommandError(`Give the ids of the rows to ${what} (tidemark rejected list --json shows them), or --all.`)
}

function addReplay(rejected: Command, context: CliContext): void {
  rejected
    .command('replay <ingest> [ids...]')
    .description('judge rejected rows again, after a field was added, say: those with these ids, or all')
    .option('--all', 'all of them')
    .action(async (ingest: string, ids: readonly string[], options: { readonly all?: boolean }, command: Command) => {
      checkChoice(ids, options, 'replay')
      const client = connect(context, command.optsWithGlobals())
      const total = { stored: 0, rejected: 0 }
      for (let from = 0; from === 0 || from < ids.length; from += idsAtOnce) {
        const chosen = options.all === true ? null : ids.slice(from, from + idsAtOnce)
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
  rejected
    .command('discard <ingest> [ids...]')
    .description('take rejected rows out of the list for good: those with these ids, or all')
    .option('--all', 'all of them')
    .action(async (ingest: string, ids: readonly string[], options: { readonly all?: boolean }, command: Command) => {
      checkChoice(ids, options, 'discard')
      const client = connect(context, command.optsWithGlobals())
      let discarded = options.all === true ? await client.discardRejected(ingest, null) : 0
      for (let from = 0; from < ids.length; from += idsAtOnce) {
        discarded += await client.discardRejected(ingest, ids.slice(from, from + idsAtOnce))
      }
      context.stdout.write(`${discarded} ${discarded === 1 ? 'row is' : 'rows are'} discarded.\n`)
    })
}
