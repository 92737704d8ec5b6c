import type { Command } from 'commander'
import type { IngestAnswer, NewField } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { given } from '../lib/given.ts'
import { shellWord } from '../lib/shell-word.ts'
import { type Field, fieldTypes, metadataRoles, seriesRoles } from '../model/field.ts'
import type { IngestKind } from '../model/ingest.ts'
import { qualityCodings } from '../model/quality.ts'
import { allItems } from './all-items.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { collectList, parseWord } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

interface CreateOptions extends JsonOption {
  readonly kind: IngestKind
  readonly entity?: string
  readonly field?: readonly string[]
  readonly replaceDuplicates?: boolean
  readonly lines?: string
  readonly unknown?: 'reject' | 'add'
}

interface DeleteOptions {
  readonly dropData?: boolean
  readonly yes?: boolean
}

const createExamples = `
A field is name:type:role, or name:type:role:source if the pushed property has another name.
Types: timestamp, string, double, long, boolean. Roles: time (one), tag, dimension, metric, quality (one at most; quality/opcua where its numbers are those of OPC UA).
Without fields the ingest takes rows {D, T, V}: a date, a tag and a number.
An ingest of kind metadata takes items; a newer item replaces that with the same identifier. Roles: index (one), attribute, which may also be json.

Examples:
  tidemark ingests create plant
  tidemark ingests create plant --field D:timestamp:time,T:string:tag,unit:string:dimension,V:double:metric
  tidemark ingests create plant --field date:timestamp:time:D,id_tag:string:tag:T,value:double:metric:V
  tidemark ingests create hosts --lines '{measurement}.{host}.{field}'
  tidemark ingests create tags --kind metadata --field id:string:index,unit:string:attribute,limits:json:attribute
`

const roles = [...seriesRoles, ...metadataRoles]
const kinds = ['series', 'metadata'] as const
const unknownRules = ['reject', 'add'] as const

/** Parses a field of the command line: `name:type:role[/coding][:source]`. */
export function parseField(text: string): NewField {
  const [name, type, role, ...source] = text.split(':')
  if (name === undefined || name === '' || role === undefined) {
    throw new UsageError(`"${text}" is not a field. Write name:type:role, as in V:double:metric.`)
  }
  const [roleName, coding] = role.split('/', 2)
  const field = {
    name,
    type: parseWord(fieldTypes, type, 'type'),
    role: parseWord(roles, roleName, 'role'),
    ...(coding === undefined ? {} : { coding: parseWord(qualityCodings, coding, 'coding') }),
  }
  return source.length === 0 ? field : { ...field, source: source.join(':') }
}

/** An ingest with the number of rows that still need repair: some of the rejected rows may have been replayed or discarded. */
type ListedIngest = IngestAnswer & { readonly to_repair: number }

async function listed(client: TidemarkClient, ingest: IngestAnswer): Promise<ListedIngest> {
  return { ...ingest, to_repair: await rowsToRepair(client, ingest.alias, ingest.counters) }
}

function fieldText({ name, type, role, coding, source }: Field): string {
  return `${name}:${type}:${role}${coding === undefined ? '' : `/${coding}`}${source === name ? '' : `:${source}`}`
}

const columns: readonly ItemColumn<ListedIngest>[] = [
  { title: 'ingest', cell: (ingest) => ingest.alias },
  { title: 'state', cell: (ingest) => ingest.state },
  { title: 'entity', cell: (ingest) => ingest.entity },
  { title: 'received', align: 'right', cell: (ingest) => ingest.counters.received },
  { title: 'stored', align: 'right', cell: (ingest) => ingest.counters.stored },
  { title: 'rejected', align: 'right', cell: (ingest) => ingest.counters.rejected },
  { title: 'to repair', align: 'right', cell: (ingest) => ingest.to_repair },
  { title: 'pending', align: 'right', cell: (ingest) => ingest.counters.pending },
  { title: 'fields', below: 'whole', cell: ({ fields }) => fields.map(fieldText).join(' ') },
]

/** The settings for which the table has no space: the kind, and the rules for rows. */
function rulesText({ kind, duplicates, unknown, lines }: IngestAnswer): string {
  const rules = [
    ['kind', kind],
    ['duplicates', duplicates],
    ['unknown', unknown],
    ['lines', lines?.tag],
  ]
  return `${rules.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ')}\n`
}

async function print(
  context: CliContext,
  client: TidemarkClient,
  options: JsonOption,
  ingest: IngestAnswer,
): Promise<void> {
  if (options.json) return printJson(context, ingest)
  printItems(context, {}, { items: [await listed(client, ingest)], columns, none: '' })
  context.stdout.write(rulesText(ingest))
  if (ingest.state === 'blocked') context.stdout.write(`It is blocked. Reason: ${ingest.reason ?? 'none was given'}\n`)
}

function addCreate(ingests: Command, context: CliContext): void {
  ingests
    .command('create <alias>')
    .description('create an ingest')
    .option('--kind <kind>', 'series or metadata', (text) => parseWord(kinds, text, 'kind'), 'series')
    .option('--entity <name>', 'the entity that it feeds (default: named like the ingest)')
    .option('--field <fields>', 'its fields, separated by commas; may be repeated', collectList)
    .option('--replace-duplicates', 'a row of the same time and tags replaces the earlier one')
    .option('--unknown <rule>', 'reject rows with unknown properties (the default), or add them as fields', (text) =>
      parseWord(unknownRules, text, 'rule'),
    )
    .option('--lines <template>', 'turn each field of a line protocol line into a row, with this template as its tag')
    .option('--json', 'print JSON')
    .addHelpText('after', createExamples)
    .action(async (alias: string, options: CreateOptions, command: Command) => {
      const { kind, entity, field, replaceDuplicates, unknown, lines } = options
      const ingest = await connect(context, command.optsWithGlobals()).createIngest({
        alias,
        kind,
        ...(replaceDuplicates ? { duplicates: 'replace' } : {}),
        ...given({
          entity,
          fields: field?.map(parseField),
          unknown,
          lines: lines === undefined ? undefined : { tag: lines },
        }),
      })
      // A new ingest has no rows to repair.
      if (options.json) return printJson(context, ingest)
      printItems(context, {}, { items: [{ ...ingest, to_repair: 0 }], columns, none: '' })
      const words = shellWord(alias)
      context.stderr.write(
        `Next: tidemark subscriptions add SUBSCRIBER --ingest ${words} (for the sender); then tidemark push ${words} ${lines === undefined ? 'FILE' : 'FILE.lp'}\n`,
      )
    })
}

/** `tidemark ingests`: manages the targets of pushed rows, with an admin key. */
export function addIngests(program: Command, context: CliContext): void {
  const ingests = program
    .command('ingests')
    .description('create, list, change and delete ingests (needs an admin key; observe is enough to list and show)')
  addCreate(ingests, context)
  ingests
    .command('list')
    .description('list all ingests with their counters')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const ingests = await allItems((page) => client.ingests(page))
      if (options.json) {
        printJson(context, ingests)
        return
      }
      const items: ListedIngest[] = []
      for (const ingest of ingests) items.push(await listed(client, ingest))
      printItems(context, options, {
        items,
        columns,
        none: 'There is no ingest. "tidemark ingests create plant" makes one.',
      })
    })
  ingests
    .command('show <alias>')
    .description('show one ingest')
    .option('--json', 'print JSON')
    .action(async (alias: string, options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      await print(context, client, options, await client.ingest(alias))
    })
  addChanges(ingests, context)
}

/** Explains how to delete the data that a deleted ingest leaves: an ingest that is created again takes it over, and can be deleted with it. */
function keptText({ alias, kind, entity, fields, duplicates }: IngestAnswer): string {
  const name = shellWord(alias)
  const words = [
    `tidemark ingests create ${name}`,
    ...(kind === 'metadata' ? ['--kind metadata'] : []),
    ...(entity === undefined || entity === alias ? [] : [`--entity ${shellWord(entity)}`]),
    ...(duplicates === 'replace' ? ['--replace-duplicates'] : []),
    `--field ${shellWord(fields.map(fieldText).join(','))}`,
  ]
  return `It can still be queried as ${entity ?? alias}. To delete its data too: ${words.join(' ')} && tidemark ingests delete ${name} --drop-data`
}

const addFieldsNote = `
Once you add a tag, every row must have it: rows without it are rejected. A dimension or metric may be left out.
`

function neededTags(alias: string, tags: readonly string[]): string {
  const named = tags.map((tag) => `"${tag}"`).join(' and ')
  return `From now on ${alias} rejects rows without ${named}: a row must have all tags. Every sender must push ${tags.length === 1 ? 'it' : 'them'}.\n`
}

/** Adds the commands that change an existing ingest. */
function addChanges(ingests: Command, context: CliContext): void {
  ingests
    .command('add-fields <alias>')
    .description('add fields; rows that are already stored have null in them')
    .requiredOption('--field <fields>', 'name:type:role, separated by commas; may be repeated', collectList)
    .option('--json', 'print JSON')
    .addHelpText('after', addFieldsNote)
    .action(async (alias: string, options: JsonOption & { readonly field: readonly string[] }, command: Command) => {
      const change = { add_fields: options.field.map(parseField) }
      const client = connect(context, command.optsWithGlobals())
      await print(context, client, options, await client.changeIngest(alias, change))
      const tags = change.add_fields.filter(({ role }) => role === 'tag').map(({ name, source = name }) => source)
      if (tags.length > 0) context.stderr.write(neededTags(alias, tags))
    })
  ingests
    .command('unknown <alias> <rule>')
    .description('reject rows with unknown properties, or add the properties as fields')
    .action(async (alias: string, text: string, _options: object, command: Command) => {
      const unknown = parseWord(unknownRules, text, 'rule')
      await connect(context, command.optsWithGlobals()).changeIngest(alias, { unknown })
      const outcome = unknown === 'add' ? 'becomes a field when a first row has it' : 'makes its row rejected'
      context.stdout.write(`${alias}: an unknown property ${outcome}.\n`)
    })
  ingests
    .command('delete <alias>')
    .description('delete an ingest; its rows stay unless --drop-data is given')
    .option('--drop-data', 'also delete its entity with all its data')
    .option('--yes', 'even if it has rejected rows, or, with --drop-data, rows or items')
    .action(async (alias: string, { dropData, yes }: DeleteOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      if (yes !== true) await refuseToDelete(client, alias, dropData === true)
      const before = await client.ingest(alias)
      await client.deleteIngest(alias, dropData === true ? 'drop' : 'keep')
      const outcome = dropData === true ? 'with all its data' : 'its data is kept'
      context.stdout.write(`${alias} is deleted, ${outcome}.\n`)
      if (dropData !== true) context.stderr.write(`${keptText(before)}\n`)
    })
  ingests
    .command('block <alias>')
    .description('accept no more rows; stored rows stay readable')
    .option('--reason <text>', 'the reason, shown to callers who push')
    .action(async (alias: string, { reason }: { reason?: string }, command: Command) => {
      const change = { state: 'blocked' as const, ...given({ reason }) }
      await connect(context, command.optsWithGlobals()).changeIngest(alias, change)
      context.stdout.write(`${alias} is blocked: pushes to it are answered with 423.\n`)
    })
  ingests
    .command('unblock <alias>')
    .description('accept rows again')
    .action(async (alias: string, _options: object, command: Command) => {
      await connect(context, command.optsWithGlobals()).changeIngest(alias, { state: 'active' })
      context.stdout.write(`${alias} accepts rows again.\n`)
    })
}

/**
 * Throws `CommandError` if the deletion would destroy something for good: with `dropsData` all rows or items of the ingest's entity, and in any case its
 * rejected rows.
 */
async function refuseToDelete(client: TidemarkClient, alias: string, dropsData: boolean): Promise<void> {
  const { kind, entity, counters } = await client.ingest(alias)
  if (dropsData) {
    // Metadata is not in this list. The rows of an entity may be more than this ingest stored, if an earlier ingest fed it.
    const kept = (await client.entities()).find((one) => one.entity === entity)?.rows ?? counters.stored
    const { items, them } = wordsFor(kept + counters.pending, kind === 'metadata' ? 'item' : 'row')
    if (kept + counters.pending > 0)
      throw new CommandError(
        `${entity} has ${items}. --drop-data would delete ${them} now, for good: only a backup restores ${them}. Give --yes to delete ${them}, or leave --drop-data out to keep ${them}.`,
      )
  }
  const rejected = await rowsToRepair(client, alias, counters)
  const { items, them } = wordsFor(rejected, 'rejected row')
  if (rejected > 0)
    throw new CommandError(
      `${alias} has ${items} to repair. ${rejected === 1 ? 'It is' : 'They are'} deleted with the ingest, for good. To save ${them}: tidemark rejected export ${alias}. To repair ${them}: tidemark rejected replay ${alias}. Give --yes to delete ${them} too.`,
    )
}

const wordsFor = (count: number, word: string): { readonly items: string; readonly them: string } =>
  count === 1 ? { items: `1 ${word}`, them: 'it' } : { items: `${count} ${word}s`, them: 'them' }

/** The number of rejected rows that still exist. */
async function rowsToRepair(
  client: TidemarkClient,
  alias: string,
  { rejected }: { readonly rejected: number },
): Promise<number> {
  // The counter includes all rows ever rejected: at 0 no request is needed.
  const kinds = rejected === 0 ? [] : await client.rejectedSummary(alias)
  return kinds.reduce((sum, { count }) => sum + count, 0)
}
