// The rejected rows that a command selects: by filter, by id, or all.
import type { Command } from 'commander'
import type { RejectedRowAnswer } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import type { RejectedSelection, WhoseRows } from '../../client/request-paths.ts'
import { given } from '../../lib/given.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { CommandError, UsageError } from '../command-error.ts'

export interface FilterOptions {
  readonly batch?: string
  readonly code?: string
  readonly field?: string
  readonly mine?: boolean
}

export interface ChoiceOptions extends FilterOptions {
  readonly all?: boolean
}

export function withFilters(command: Command): Command {
  return command
    .option('--batch <id>', 'only rows of one push')
    .option('--code <code>', 'only rows with this reason, such as wrong_type')
    .option('--field <name>', 'only rows where this pushed property is at fault')
}

export function filterOf({ batch, code, field }: FilterOptions): RejectedSelection {
  return given({ batch, code, field })
}

export const whoseRows = ({ mine }: FilterOptions): WhoseRows => (mine === true ? 'own' : 'all')

/** Pages of an ingest's rejected rows. A page may be empty without being the last. */
export async function* pagesOf(
  client: TidemarkClient,
  ingest: string,
  options: FilterOptions,
  limit?: number,
): AsyncGenerator<readonly RejectedRowAnswer[]> {
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.rejected(ingest, given({ ...filterOf(options), limit, token }), whoseRows(options))
    yield page.Items
    token = page.NextToken
  }
}

export const pageRowsMax = 10_000

/** The ids of the selected rows, or null for all rows. Throws `UsageError` unless exactly one of ids, filters and `--all` is given. */
export async function* chosenIds(
  client: TidemarkClient,
  ingest: string,
  ids: readonly string[],
  options: ChoiceOptions,
  what: string,
): AsyncGenerator<readonly string[] | null> {
  const isFiltered = Object.keys(filterOf(options)).length > 0
  const said = [options.all === true, ids.length > 0, isFiltered].filter(Boolean).length
  if (said > 1) {
    throw new UsageError(
      `Ids, filters (--batch, --code, --field) and --all exclude each other. Give one of them to say which rows to ${what}.`,
    )
  }
  if (said === 0) {
    throw new UsageError(
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

/** Throws `CommandError` if ids were given and none of them belongs to a rejected row. */
export function refuseUnknown(ingest: string, ids: readonly string[], found: number): void {
  if (ids.length === 0 || found > 0) return
  const named = ids.length === 1 ? `the id ${ids[0]}` : `one of the ${ids.length} ids`
  throw new CommandError(
    `No rejected row of ${ingest} has ${named}. "tidemark rejected list ${shellWord(ingest)}" shows the ids.`,
  )
}
