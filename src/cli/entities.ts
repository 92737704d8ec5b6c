import type { Command } from 'commander'
import type { EntityAnswer, EntityDescription } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import { formatInstant, msPerDay } from '../model/instant.ts'
import { allItems } from './all-items.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { addDeletions } from './deletions.ts'
import { fieldsColumn, type ItemColumn, type JsonOption, printJson, showsList } from './output.ts'

const examples = `
Examples:
  tidemark entities retain plant P90D      items older than 90 days expire, in whole UTC days
  tidemark entities retain plant P2Y
  tidemark entities retain plant none      keep all items from now on
  tidemark entities retain plant --rows P90D --hours P10Y   keep the hours of items that expire
  tidemark entities retain plant --hours ever               for ever; --hours none keeps no hours
Expired items never come back, even if you make the retention longer.
`

/** Shows the entities that the key may read. */
export function showsEntities(command: Command, context: CliContext, betweenIngests: string): void {
  const columns: readonly ItemColumn<EntityDescription>[] = [
    { title: 'entity', cell: (entity) => entity.entity },
    { title: 'ingests', cell: (entity) => entity.ingests.join(betweenIngests) },
    { title: 'rows', align: 'right', cell: (entity) => entity.rows },
    { title: 'first', cell: (entity) => entity.first_date },
    { title: 'last', cell: (entity) => entity.last_date },
    fieldsColumn,
  ]
  const none = 'There is no entity that this key may read.'
  showsList(command, context, { items: (client) => client.entities(), columns, none })
}

const retentionColumns: readonly ItemColumn<EntityAnswer>[] = [
  { title: 'entity', cell: (entity) => entity.entity },
  { title: 'ingests', cell: (entity) => entity.ingests.join(' ') },
  { title: 'duplicates', cell: (entity) => entity.duplicates },
  { title: 'retention', cell: (entity) => entity.retention ?? 'none' },
  { title: 'hours', cell: (entity) => (entity.hours_retention === null ? 'ever' : (entity.hours_retention ?? 'none')) },
]

const zoneExamples = `
Examples:
  tidemark entities zone plant Europe/Madrid   days and hours begin in the time of Madrid
  tidemark entities zone plant none            in UTC
A request that names a zone uses that zone.
`

interface RetainOptions extends JsonOption {
  readonly yes?: boolean
  readonly rows?: string
  readonly hours?: string
}

/** Throws `CommandError` if the entity has items or hours beyond the new retention: they would be deleted at once, for good. */
async function refuseRelease(
  client: TidemarkClient,
  entity: string,
  { retention, hours, nowMs }: { retention?: string | null; hours?: string | null; nowMs: number },
): Promise<void> {
  // The service reports an unknown entity itself.
  const described = (await client.entities()).find((one) => one.entity === entity)
  const kept = [
    { what: 'items', first: described?.first_date, oldestMs: oldestKeptMs(retention, nowMs) },
    { what: 'hours', first: described?.hours_from, oldestMs: hours === 'none' ? Infinity : oldestKeptMs(hours, nowMs) },
  ]
  for (const { what, first, oldestMs } of kept) {
    if (first == null || Date.parse(first) >= oldestMs) continue
    const those =
      oldestMs === Infinity ? 'They' : `${what === 'items' ? 'Items' : 'Hours'} before ${formatInstant(oldestMs)}`
    throw new CommandError(
      `${entity} has ${what} since ${first}. ${those} would expire now, for good: a longer retention does not restore them. Give --yes to delete them.`,
    )
  }
}

/** The oldest time that is kept. The service deletes whole UTC days. */
function oldestKeptMs(retention: string | null | undefined, nowMs: number): number {
  const duration = retention == null ? null : parseDuration(retention)
  if (duration === null) return Number.NEGATIVE_INFINITY
  return Math.floor(addDuration(nowMs, duration, -1) / msPerDay) * msPerDay
}

/** Null for the word, undefined if the option is missing. */
function durationOf(text: string | undefined, word: string, words: string): string | null | undefined {
  if (text === undefined || parseDuration(text) !== null) return text
  if (text === word) return null
  throw new UsageError(`"${text}" is not a duration. Write P90D for 90 days, or ${words}.`)
}

function keptText({ entity, retention, hours_retention: hours }: EntityAnswer): string {
  if (retention === null) return `${entity} keeps its items for ever.\n`
  const stay = hours === undefined ? '' : ` Their hours are kept ${hours === null ? 'for ever' : `for ${hours}`}.`
  return `${entity} keeps its items for ${retention}; older ones expire, whole UTC days at a time.${stay}\n`
}

/** `tidemark entities`: entities that can be queried, and their retention. */
export function addEntities(program: Command, context: CliContext): void {
  const entities = program.command('entities').description('list the entities, set their retention, delete rows')
  const list = entities.command('list').description('list the entities that the key may read, with rows and dates')
  showsEntities(list, context, ' ')
  const retentions = entities
    .command('retentions')
    .description('list the retention of each entity (needs a key with the right observe or admin)')
  showsList(retentions, context, {
    items: (client) => allItems((page) => client.adminEntities(page)),
    columns: retentionColumns,
    none: 'There is no entity.',
  })
  entities
    .command('retain <entity> [duration]')
    .description(
      'set how long an entity keeps its items: an ISO 8601 duration, or none to keep them for ever (needs an admin key)',
    )
    .option('--rows <duration>', 'the same as the argument')
    .option('--hours <duration>', 'how long the hours of expired items are kept: a duration, ever, or none')
    .option('--yes', 'even if items or hours expire at once')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (entity: string, argument: string | undefined, options: RetainOptions, command: Command) => {
      if (argument !== undefined && options.rows !== undefined)
        throw new UsageError('Give the duration once: as the argument, or with --rows.')
      const retention = durationOf(argument ?? options.rows, 'none', 'none to keep items for ever')
      const hours =
        options.hours === 'none' ? 'none' : durationOf(options.hours, 'ever', 'ever, or none to keep no hours')
      if (retention === undefined && hours === undefined) throw new UsageError('Give a duration, or --hours.')
      const client = connect(context, command.optsWithGlobals())
      if ((retention ?? hours) != null && !options.yes)
        await refuseRelease(client, entity, { retention, hours, nowMs: context.nowMs() })
      const changed = await client.retain(entity, retention, hours)
      if (options.json) printJson(context, changed)
      else context.stdout.write(keptText(changed))
    })
  entities
    .command('zone <entity> <zone>')
    .description(
      'set the time zone in which the buckets of an entity begin: an IANA name, or none for UTC (needs an admin key)',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', zoneExamples)
    .action(async (entity: string, zone: string, options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const changed = await client.setReading(entity, { time_zone: zone === 'none' ? null : zone })
      if (options.json) printJson(context, changed)
      else context.stdout.write(`The buckets of ${entity} begin in the time zone ${changed.time_zone ?? 'UTC'}.\n`)
    })
  addDeletions(entities, context)
}
