import { type Command, Option } from 'commander'
import type { TidemarkClient } from '../../client/client.ts'
import type { CsvMapping } from '../../file-push/csv-rows.ts'
import { propertyTypes } from '../../file-push/property-types.ts'
import { type AmbiguousChoice, ambiguousChoices, type TimeRules, timeRules } from '../../file-push/time-rules.ts'
import { CommandError } from '../command-error.ts'
import { collectList } from '../list-option.ts'
import { parseTypes } from './parse-types.ts'
import type { RowsSource } from './source.ts'

/** The options of `tidemark push` that are for CSV alone. */
export interface CsvOptions {
  readonly map?: readonly string[]
  readonly set?: readonly string[]
  readonly drop?: readonly string[]
  readonly types?: readonly string[]
  readonly timeFormat?: string
  readonly timeZone?: string
  readonly ambiguous?: AmbiguousChoice
}

export function addCsvOptions(command: Command): Command {
  return command
    .option('--map <pairs>', 'CSV: column=property, separated by commas', collectList)
    .option('--set <pairs>', 'CSV: property=value for every row; @filename is the name of the file', collectList)
    .option('--drop <columns>', 'CSV: columns to leave out, separated by commas', collectList)
    .option('--types <pairs>', "CSV: property=type, instead of asking for the ingest's definition", collectList)
    .option(
      '--time-format <format>',
      'CSV: how times are written: iso, seconds, milliseconds, microseconds or nanoseconds since 1970, or a pattern like "dd/MM/yyyy HH:mm" (default: iso)',
    )
    .option('--time-zone <zone>', 'CSV: whose clock times are of that name no zone, like Europe/Madrid (default: UTC)')
    .addOption(
      new Option(
        '--ambiguous <choice>',
        'CSV: which moment is meant where the clock shows a time twice, or never (default: an error)',
      ).choices(ambiguousChoices),
    )
}

/** `--time-format` for `timeFormat`. */
const optionNames: Readonly<Record<keyof CsvOptions, string>> = {
  map: '--map',
  set: '--set',
  drop: '--drop',
  types: '--types',
  timeFormat: '--time-format',
  timeZone: '--time-zone',
  ambiguous: '--ambiguous',
}

/** Throws `CommandError` where an option for CSV is given, for rows that go as they are. */
export function refuseCsvOptions(options: CsvOptions): void {
  const given = Object.entries(optionNames).flatMap(([key, name]) =>
    options[key as keyof CsvOptions] === undefined ? [] : [name],
  )
  if (given.length === 0) return
  throw new CommandError(`${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} for CSV: JSON rows go as they are.`)
}

/** `a=b` pairs by what stands before the equals sign. */
function parsePairs(option: string, pairs: readonly string[] = []): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CommandError(`${option} takes name=value, and not "${pair}".`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function constantsOf(options: CsvOptions, source: RowsSource): Map<string, string> {
  const constants = parsePairs('--set', options.set)
  for (const [property, value] of constants) {
    if (value !== '@filename') continue
    if (source.name === null) throw new CommandError('--set with @filename needs a file, and not standard input.')
    constants.set(property, source.name)
  }
  return constants
}

function timesOf({ timeFormat, timeZone, ambiguous }: CsvOptions): TimeRules {
  try {
    return timeRules(timeFormat ?? '', timeZone ?? '', ambiguous ?? null)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** What the options, and the ingest's definition, make of the columns. */
export async function csvMappingOf(
  client: TidemarkClient,
  ingest: string,
  options: CsvOptions,
  source: RowsSource,
): Promise<CsvMapping> {
  const given = parseTypes(parsePairs('--types', options.types))
  const times = timesOf(options)
  const known = await propertyTypes(client, ingest)
  return {
    columns: parsePairs('--map', options.map),
    constants: constantsOf(options, source),
    dropped: new Set(options.drop),
    typeOf: (property) => given.get(property) ?? known.get(property) ?? 'guess',
    times,
  }
}
