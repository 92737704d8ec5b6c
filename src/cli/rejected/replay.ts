import { type Command, Option } from 'commander'
import type { PreviewAnswer, ReplayAnswer, ReplayChanges } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import { given } from '../../lib/given.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { printable } from '../../lib/text-table.ts'
import { conversions } from '../../model/row-mapping.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { type CliContext, connect } from '../context.ts'
import { collectList, parsePairs, parseWord } from '../option-values.ts'
import { type JsonOption, printJson } from '../output.ts'
import { type ChoiceOptions, chosenIds, pageRowsMax, pagesOf, refuseUnknown, withFilters } from './chosen-rows.ts'

interface ReplayOptions extends ChoiceOptions, JsonOption {
  readonly into?: string
  readonly drop?: readonly string[]
  readonly rename?: readonly string[]
  readonly set?: readonly string[]
  readonly setMissing?: readonly string[]
  readonly convert?: readonly string[]
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly mine?: boolean
}

const examples = `
Properties are dropped first, then renamed, then set, then converted. A change that does not fit a row leaves the row unchanged. --convert accepts ${conversions.join(', ')}.
Those from iso on make times, as --time-format of a push does. --set changes all chosen rows. If it would overwrite valid values, the
replay is refused without --yes. --set-missing changes only rows without a value. --code and --field choose rows.
A valid row is stored once and leaves the list. The others stay, with their new reason. Rows that were changed, or sent to another
ingest, stay as they were pushed, with their old reason; --dry-run shows the new one.
A row that goes into another ingest counts as pushed now; any other keeps the order of its push.

Exit codes: 0 all these rows are stored; 2 some are still rejected, or would be; 1 failure; 64 wrong usage.

Examples:
  tidemark rejected replay plant --all
  tidemark rejected replay plant --code wrong_type --field V --convert V=number --dry-run
  tidemark rejected replay plant --code invalid_time --convert D=seconds --dry-run
  tidemark rejected replay plant --all --rename value=V --set T=boiler.temp
  tidemark rejected replay plant --field V --set V=null
  tidemark rejected replay plant --all --drop comment --set-missing T=boiler.temp
  tidemark rejected replay plant --all --into plant2
`

export function addReplay(rejected: Command, context: CliContext): void {
  withFilters(rejected.command('replay <ingest> [ids...]'))
    .description(
      'validate rejected rows again, changed or for another ingest: rows with these ids, rows that match a filter, or all',
    )
    .option('--all', 'all of them')
    .addOption(new Option('--mine').hideHelp())
    .option('--into <ingest>', 'validate them against the fields of another ingest, and store them there')
    .option('--drop <properties>', 'properties to leave out, as they were pushed, separated by commas', collectList)
    .option('--rename <pairs>', 'old=new names of properties, separated by commas', collectList)
    .option(
      '--set <pairs>',
      'property=value for every row; a number with a point, true, false, null or text; \\, is a comma within it',
      collectList,
    )
    .option('--set-missing <pairs>', 'as --set, only for rows where the property is missing or null', collectList)
    .option('--convert <pairs>', 'property=number, text, seconds and so on', collectList)
    .option('--dry-run', 'show the outcome for the first rows, and change nothing')
    .option('--yes', 'overwrite valid values with --set')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((ingest: string, ids: readonly string[], options: ReplayOptions, command: Command) => {
      if (options.mine === true) throw new UsageError(ownRowsText(ingest))
      const client = connect(context, command.optsWithGlobals())
      const rows = { client, ingest, ids, options, changes: changesOf(options) }
      return options.dryRun === true ? preview(context, rows) : replay(context, rows)
    })
}

/** The error for `--mine`, which the other commands for rejected rows accept. */
function ownRowsText(ingest: string): string {
  const name = shellWord(ingest)
  return (
    'A replay needs an admin key, and has no --mine. Correct your own rows in a file and push them again: ' +
    `tidemark rejected export ${name} --mine --rows > mend.ndjson, then tidemark push ${name} mend.ndjson, then tidemark rejected discard ${name} --mine with options that choose the old rows.`
  )
}

interface RowsToReplay {
  readonly client: TidemarkClient
  readonly ingest: string
  readonly ids: readonly string[]
  readonly options: ReplayOptions
  readonly changes: ReplayChanges
}

const someRejected = 2

async function preview(context: CliContext, { client, ingest, ids, options, changes }: RowsToReplay): Promise<void> {
  // Previews only the first part of the selected rows, which contains nearly all of them.
  for await (const chosen of chosenIds(client, ingest, ids, options, 'replay')) {
    const answer = await client.previewReplay(ingest, chosen, changes)
    refuseUnknown(ingest, ids, answer.rows)
    if (options.json) printJson(context, answer)
    else context.stdout.write(previewText(answer))
    if (answer.rejected > 0) context.exitWith(someRejected)
    return
  }
  context.stdout.write('There is no such row.\n')
}

async function replay(context: CliContext, rows: RowsToReplay): Promise<void> {
  const { client, ingest, ids, options, changes } = rows
  const total: Total = { stored: 0, rejected: 0 }
  for await (const chosen of idsToReplay(rows)) add(total, await client.replayRejected(ingest, chosen, changes))
  refuseUnknown(ingest, ids, total.stored + total.rejected)
  if (options.json) printJson(context, total)
  else {
    context.stdout.write(replayText(total, options))
    for (const line of unusedLines(total.unused ?? [])) context.stderr.write(`${printable(line)}\n`)
  }
  if (total.rejected > 0) context.exitWith(someRejected)
}

/** If values may be overwritten, checks all selected rows first, and then replays exactly those. Throws `CommandError`. */
async function* idsToReplay({
  client,
  ingest,
  ids,
  options,
  changes,
}: RowsToReplay): AsyncGenerator<readonly string[] | null> {
  const batches = chosenIds(client, ingest, ids, options, 'replay')
  if (changes.set === undefined || options.yes === true) {
    yield* batches
    return
  }
  const all: string[] = []
  for await (const chosen of batches) {
    if (chosen !== null) all.push(...chosen)
    else for await (const page of pagesOf(client, ingest, {}, pageRowsMax)) all.push(...page.map(({ id }) => id))
  }
  const overwriting = await overwritingOf(all, (some) => client.previewReplay(ingest, some, changes))
  refuseToOverwrite(overwriting)
  for (let from = 0; from < all.length; from += pageRowsMax) yield all.slice(from, from + pageRowsMax)
}

interface Total {
  stored: number
  rejected: number
  unused?: UnusedNames
}

type UnusedNames = PreviewAnswer['unused']

/** Adds the counts of a part. A name counts as unused only if no part of the rows has it. */
function add(total: Total, { stored, rejected, unused = [] }: ReplayAnswer): void {
  const isFirst = total.stored + total.rejected === 0
  total.stored += stored
  total.rejected += rejected
  const left = isFirst
    ? unused
    : unused.filter((one) => total.unused?.some(({ of, name }) => of === one.of && name === one.name))
  if (left.length > 0) total.unused = left
  else delete total.unused
}

// Values that `--set` would overwrite, found in all selected rows before any of them is validated again.

/** Overwritten values and the number of rows that were checked. */
type Overwriting = Pick<PreviewAnswer, 'rows' | 'overwritten'>

/** A preview is limited by limits.checkRows and the size of a page, so the remaining rows need further requests. */
async function overwritingOf(
  ids: readonly string[],
  preview: (ids: readonly string[]) => Promise<PreviewAnswer>,
): Promise<Overwriting> {
  if (ids.length === 0) return { rows: 0, overwritten: [] }
  const answer = await preview(ids)
  if (!answer.more || ids.length === 1) return answer
  const half = Math.ceil(ids.length / 2)
  const partRows = answer.rows === 0 ? half : Math.min(answer.rows, half)
  let all: Overwriting = { rows: 0, overwritten: [] }
  for (let from = 0; from < ids.length; from += partRows)
    all = both(all, await overwritingOf(ids.slice(from, from + partRows), preview))
  return all
}

function both(one: Overwriting, other: Overwriting): Overwriting {
  const found = new Map(one.overwritten.map((entry) => [entry.name, entry]))
  for (const entry of other.overwritten) {
    const { name, rows } = entry
    const known = found.get(name)
    found.set(name, known === undefined ? entry : { ...known, rows: known.rows + rows })
  }
  return { rows: one.rows + other.rows, overwritten: [...found.values()] }
}

/** Throws `CommandError` if stored rows would lose overwritten values, since these are kept nowhere else. */
function refuseToOverwrite(overwriting: Overwriting): void {
  const { overwritten } = overwriting
  if (overwritten.length === 0) return
  const names = overwritten.map(({ name }) => name).join(', ')
  throw new CommandError(
    [
      ...overwrittenLines({ ...overwriting, more: false }),
      `Nothing was changed. --field ${overwritten[0]!.name} chooses the rows where it is at fault, --set-missing ${names}=... the rows without it; --yes overwrites.`,
    ].join(' '),
  )
}

function overwrittenLines({ rows, more, overwritten }: Overwriting & Pick<PreviewAnswer, 'more'>): readonly string[] {
  const of = more ? `the first ${rows} rows` : `${rows === 1 ? 'the 1 row' : `the ${rows} rows`}`
  return overwritten.map(({ name, rows: count, first }) => {
    return `--set overwrites a good value of ${name} in ${count} of ${of}, the first of them ${first}.`
  })
}

function unusedLines(unused: UnusedNames): readonly string[] {
  return unused.map(({ of, name, likely }) => {
    const suggestion = likely === null ? '' : ` "${likely}" may be meant.`
    return `--${of} ${name}: none of the rows has it.${suggestion}`
  })
}

function replayText(
  { stored, rejected }: Readonly<Total>,
  { into, drop, rename, set, setMissing, convert }: ReplayOptions,
): string {
  const stay = rejected === 1 ? '1 is still rejected' : `${rejected} are still rejected`
  const where = into === undefined ? '' : ` in ${into}`
  const isOtherwise = [into, drop, rename, set, setMissing, convert].some((option) => option !== undefined)
  const why =
    isOtherwise && rejected > 0
      ? ' The list shows them as they were pushed; --dry-run shows why they are rejected.'
      : ''
  return `${stored} ${stored === 1 ? 'row is' : 'rows are'} stored now${where}, ${stay}.${why}\n`
}

function changesOf({ into, drop, rename, set, setMissing, convert }: ReplayOptions): ReplayChanges {
  return given({
    into,
    drop,
    rename: namedValues('--rename', rename, (text) => text),
    set: namedValues('--set', set, jsonOrText),
    set_missing: namedValues('--set-missing', setMissing, jsonOrText),
    convert: namedValues('--convert', convert, (text) => parseWord(conversions, text, 'conversion')),
  })
}

/** The `name=value` pairs, by name. Throws `UsageError` for a text that is not a pair. */
function namedValues<Value>(
  option: string,
  pairs: readonly string[] | undefined,
  valueOfText: (text: string) => Value,
): Record<string, Value> | undefined {
  if (pairs === undefined) return undefined
  return Object.fromEntries([...parsePairs(option, pairs)].map(([name, text]) => [name, valueOfText(text)]))
}

/** A number, true, false, null or a quoted string in JSON notation; any other text is a string as it is. */
function jsonOrText(text: string): string | number | boolean | null {
  if (!/^(?:-?\d|true$|false$|null$|")/.test(text)) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (typeof value !== 'number') return value as string | boolean | null
  // A JavaScript number would lose digits; the service can convert the string.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new UsageError(`${text} has too many digits for --set: give it in quotes and convert it to a number.`)
  }
  return value
}

function previewText(answer: PreviewAnswer): string {
  const { rows, stored, rejected, more, Items } = answer
  const lines = Items.flatMap(({ id, before, after, code, message }) => [
    `${id}  ${before}`,
    ...(after === before ? [] : [`  -> ${after}`]),
    `  ${code === null ? 'would be stored' : `would be rejected: ${message} (${code})`}`,
  ])
  const validated = `Of ${more ? `the first ${rows}` : rows} rows ${stored} would be stored, ${rejected} would still be rejected. Nothing was changed.`
  return [...lines, ...overwrittenLines(answer), ...unusedLines(answer.unused), validated]
    .map((line) => `${printable(line)}\n`)
    .join('')
}
