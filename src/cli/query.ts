import { type Command, Option } from 'commander'
import type { TidemarkClient } from '../client/client.ts'
import { queryAddress } from '../client/query-address.ts'
import { given } from '../lib/given.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { printable } from '../lib/text-table.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { shapes } from '../model/entity.ts'
import { aggregateNames, fillKinds } from '../model/plan.ts'
import { type QueryKind, queryKinds } from '../model/query-kind.ts'
import { type AnswerOptions, withFormats, writeAnswer } from './answer-output.ts'
import { UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { showsEntities } from './entities.ts'
import { addressText, exampleUrl, fieldOf, requestOf } from './option-names.ts'
import { collectList, parseOffset } from './option-values.ts'

/** The options that are processed here; the others are passed on in the request unchanged. */
interface QueryOptions extends AnswerOptions {
  readonly entity: string
  readonly ids?: readonly string[]
  readonly idName?: string
}

const endText = `
A range includes both of its ends: two hours from 08:00 (--end PT2H) include the item of 10:00. So means of rows have
three buckets of an hour, and --end PT1H59M59.999S leaves the end out. Values over time (--weight time, aggregate, states)
have two: the third has no length.
`

type Taken =
  | ('fields' | 'granularity' | 'range' | 'date' | 'offset' | 'fill')
  | ('zone' | 'weight' | 'shape' | 'gap' | 'aggregates' | 'points')

interface KindHelp {
  readonly description: string
  readonly takes: readonly Taken[]
  readonly example: string
}

const kinds: Record<QueryKind, KindHelp> = {
  average: {
    description: 'the mean of each tag in each bucket of time',
    takes: ['granularity', 'range', 'zone', 'fill', 'weight', 'shape', 'gap'],
    example: 'average --entity plant --granularity hour --start 2026-01-01 --end PT23H59M',
  },
  'average-dimensions': {
    description: 'the mean of each tag and combination of dimensions',
    takes: ['fields', 'granularity', 'range', 'zone', 'fill', 'weight', 'shape', 'gap'],
    example: 'average-dimensions --entity plant --fields unit,area --granularity day',
  },
  'average-granularity': {
    description: 'the mean of all tags together, for each combination of dimensions',
    takes: ['fields', 'granularity', 'range', 'zone', 'fill', 'gap'],
    example: 'average-granularity --entity plant --fields area --granularity hour --start P1D --end 2026-01-02',
  },
  select: {
    description: 'the items in a range of time',
    takes: ['fields', 'range'],
    example: 'select --entity plant --ids 01PHD.OSL101.PV --start 2026-01-01T08:00 --end PT15M',
  },
  latest: {
    description: 'the newest item of each tag',
    takes: ['date'],
    example: 'latest --entity plant --date PT1H',
  },
  last: {
    description: 'the newest item of each tag before a date',
    takes: ['fields', 'date', 'offset'],
    example: 'last --entity plant --date 2026-01-01T12:00',
  },
  next: {
    description: 'the first item of each tag after a date',
    takes: ['fields', 'date', 'offset'],
    example: 'next --entity plant --date 2026-01-01T12:00 --offset 1',
  },
  snap: {
    description: 'the state of each tag at each tick',
    takes: ['granularity', 'range', 'zone', 'shape', 'gap'],
    example: 'snap --entity plant --granularity hour --start 2026-01-01 --end PT23H',
  },
  aggregate: {
    description: 'aggregates of each tag in each bucket: of its items, of its value over time, of a counter',
    takes: ['fields', 'granularity', 'range', 'zone', 'fill', 'shape', 'gap', 'aggregates'],
    example: 'aggregate --entity plant --aggregates time_mean,covered --granularity hour --start 2026-01-01 --end P1D',
  },
  plot: {
    description: 'the items that a chart needs: the first, last, least and greatest of each of its pixels',
    takes: ['range', 'zone', 'points'],
    example: 'plot --entity plant --points 800 --start 2026-01-01 --end P1D',
  },
  states: {
    description: 'how long each metric had each value, and how often it changed to it',
    takes: ['granularity', 'range', 'zone', 'fill', 'gap'],
    example: 'states --entity plant --granularity day --start 2026-01-01 --end P1D',
  },
}

async function runQuery(
  context: CliContext,
  kind: QueryKind,
  { format, output, json, ...asked }: QueryOptions,
  command: Command,
): Promise<void> {
  const client = connect(context, command.optsWithGlobals())
  const { entity, ids, idName } = asked
  const request = { ...requestOf(asked), entity }
  const ask = (format: AnswerFormat) => client.queryBytes(kind, request, format)
  const isEmpty = await writeAnswer(context, given({ format, output, json }), ask)
  if (!isEmpty || ids === undefined) return
  for (const reason of await reasonsOfNoRows(client, { entity, ids, idName }))
    context.stderr.write(`${printable(reason)}\n`)
}

/** The address that is equivalent to an example of a command: each option becomes a parameter. */
function addressOf(example: string): string {
  const [kind, ...words] = example.split(' ')
  const asked = words.flatMap((word, place) =>
    word.startsWith('--') ? [[fieldOf(word.slice(2)), words[place + 1]]] : [],
  )
  return `${exampleUrl}/consumer/data/${kind}?${queryAddress(Object.fromEntries(asked))}`
}

/** A hidden option for kinds without `--fields`, which users type because other kinds have it: its error names the alternatives. */
function noFields(kind: QueryKind): Option {
  const others = queryKinds.filter((other) => kinds[other].takes.includes('fields'))
  const taken = `${others.slice(0, -1).join(', ')} and ${others.at(-1)}`
  return new Option('--fields <fields>').hideHelp().argParser(() => {
    throw new UsageError(
      `"query ${kind}" has no --fields. --metrics selects its metrics; dimensions are shown by ${taken}.`,
    )
  })
}

function addOverTime(command: Command, takes: readonly Taken[]): void {
  if (takes.includes('zone')) {
    command.option(
      '--time-zone <name>',
      'buckets begin in this time zone, such as Europe/Madrid, and dates without a zone are in it',
    )
  }
  if (takes.includes('aggregates')) {
    command
      .requiredOption(
        '--aggregates <names>',
        `the aggregates, separated by commas: ${aggregateNames.join(', ')}`,
        collectList,
      )
      .addOption(new Option('--total-unit <unit>', 'of total').choices(['second', 'minute', 'hour', 'day']))
      .addOption(new Option('--reset <how>', 'the meaning of a fall of a counter, for rise').choices(['zero', 'skip']))
      .option('--wrap <count>', 'where a counter begins at 0 again', Number)
  }
  if (takes.includes('weight'))
    command.addOption(new Option('--weight <what>', 'the mean of the rows, or over time').choices(['rows', 'time']))
  if (takes.includes('shape'))
    command.addOption(new Option('--shape <shape>', 'how values change between items').choices([...shapes]))
  if (takes.includes('points')) command.option('--points <count>', 'how many parts (default: 800)', Number)
  if (takes.includes('fill')) {
    const help = 'show empty buckets, with nulls, the value before, or one on the line'
    command.addOption(new Option('--fill <how>', help).choices(['none', ...fillKinds]))
  }
  if (takes.includes('gap'))
    command.option('--max-gap <duration>', 'how far from an item, or a bucket, values are known, such as PT1H')
}

function addKind(query: Command, context: CliContext, kind: QueryKind): void {
  const { description, takes, example } = kinds[kind]
  const command = query
    .command(kind)
    .description(description)
    .requiredOption('--entity <name>', 'the entity to query')
    .option('--ids <tags>', 'only these tags, separated by commas', collectList)
    .option('--prefixes <prefixes>', 'only tags that begin with one of these, separated by commas', collectList)
    .option(
      '--id-name <field>',
      'group by this tag only. Without it: by each combination of all tags, and --ids and --prefixes filter the first',
    )
    .option('--metrics <fields>', 'only these metrics, separated by commas (default: all)', collectList)
    .option('--quality <words>', 'items of these qualities: good, uncertain, bad (default: good)', collectList)
  if (takes.includes('fields'))
    command.option('--fields <fields>', 'dimensions and tags to show as well, separated by commas', collectList)
  else command.addOption(noFields(kind))
  if (takes.includes('granularity'))
    command.option('--granularity <name>', 'minute, hour, day, ..., PT5M or 5m (default: all)')
  if (takes.includes('range')) {
    command
      .option('--start <date>', 'first date, ISO 8601, or a duration before the end, such as PT15M (default end: now)')
      .option('--end <date>', 'last date, ISO 8601, or a duration after the start; the end is included')
  }
  if (takes.includes('date')) command.option('--date <date>', 'ISO 8601, or a duration before now, such as PT1H')
  if (takes.includes('offset')) command.option('--offset <count>', 'how many items to skip (default: 0)', parseOffset)
  addOverTime(command, takes)
  withFormats(command)
    .addHelpText(
      'after',
      `${takes.includes('granularity') ? endText : ''}\nExample:\n  tidemark query ${example}\n${addressText}\n  ${addressOf(example)}\n`,
    )
    .action((options: QueryOptions, self: Command) => runQuery(context, kind, options, self))
}

/** `tidemark query`: a command for each kind of data query, and one for the list of entities. */
export function addQuery(program: Command, context: CliContext): void {
  const query = program.command('query').description('query data')
  showsEntities(query.command('entities').description('list the entities, with rows and dates'), context, ', ')
  for (const kind of queryKinds) addKind(query, context, kind)
}

// Possible reasons that a query by ids finds nothing.

interface AskedIds {
  readonly entity: string
  readonly ids: readonly string[]
  /** The tag field of the query; undefined means the first one. */
  readonly idName: string | undefined
}

type Reader = Pick<TidemarkClient, 'tags' | 'entities'>

/** A sentence for each reason. Errors are ignored, since the query itself succeeded. */
async function reasonsOfNoRows(client: Reader, asked: AskedIds): Promise<readonly string[]> {
  const unknown = await unknownIds(client, asked).catch(() => [])
  const otherTags = asked.idName === undefined ? await hintOtherTags(client, asked).catch(() => []) : []
  return [...unknown, ...otherTags]
}

/** The most tags to check. */
const tagsMax = 2000
/** The most unknown ids to report. */
const idsMax = 3

async function unknownIds(client: Reader, { entity, ids, idName }: AskedIds): Promise<readonly string[]> {
  const named = given({ limit: tagsMax, id_name_field: idName })
  const all = await client.tags(entity, named)
  const said = (id: string, tags: readonly string[]): readonly string[] =>
    tags.includes(id) ? [] : [`There is no tag ${JSON.stringify(id)} in ${entity}.${didYouMean(id, tags)}`]
  if (all.NextToken === null) return ids.flatMap((id) => said(id, all.Items)).slice(0, idsMax)
  // If there are more tags, read those with the same beginning as the first id, in one more small request.
  const [first = ''] = ids
  const characters = [...first]
  const prefix = characters.slice(0, Math.ceil(characters.length / 2)).join('')
  const alike = await client.tags(entity, { ...named, prefix })
  return alike.NextToken === null ? said(first, alike.Items) : []
}

/** Ids match only the first tag. If that finds nothing, this names the other tags. */
async function hintOtherTags(client: Reader, { entity, ids }: AskedIds): Promise<readonly string[]> {
  const described = (await client.entities()).find((one) => one.entity === entity)
  const [first, ...others] = (described?.fields ?? []).filter(({ role }) => role === 'tag').map(({ name }) => name)
  if (first === undefined || others.length === 0) return []
  const names = others.map((name) => `--id-name ${name}`).join(' or ')
  const looked = ids.length === 1 ? 'The id was' : 'The ids were'
  return [`${looked} looked up in the tag ${first}. Choose another tag with ${names}.`]
}
