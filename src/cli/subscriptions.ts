import type { Command } from 'commander'
import type { SubscriptionEntry } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import { given } from '../lib/given.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { shellWord } from '../lib/shell-word.ts'
import { parseInstant } from '../model/instant.ts'
import { allItems } from './all-items.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { publicReading } from './keys.ts'
import { collectList, parseDate } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

interface SetOptions extends NewSubscriptions {
  readonly none?: boolean
}

const addExamples = `
A subscription to the same ingest or entity is replaced; all others stay.

Examples:
  tidemark subscriptions add line-3 --ingest plant --entity plant
  tidemark subscriptions add line-3 --ingest plant --until 2028-01-01
`

const setExamples = `
The command replaces all subscriptions of the subscriber. "add" and "remove" leave the others as they are. --none leaves none.

Examples:
  tidemark subscriptions set line-3 --ingest plant --entity plant
  tidemark subscriptions set reports --entity '*' --until 2027-01-01
`

const none = 'There is no subscription, so the subscriber cannot push.'

const columns: readonly ItemColumn<SubscriptionEntry & { readonly valid?: boolean }>[] = [
  { title: 'ingest', cell: (entry) => entry.ingest },
  { title: 'entity', cell: (entry) => entry.entity },
  { title: 'from', cell: (entry) => entry.from },
  { title: 'until', cell: (entry) => entry.until },
  { title: 'suspended', cell: (entry) => (entry.suspended ? 'yes' : '') },
]

type Dates = Pick<SubscriptionEntry, 'from' | 'until' | 'suspended'>

function isPast(date: string | null | undefined, nowMs: number): boolean {
  const ms = typeof date === 'string' ? parseInstant(date) : null
  return ms !== null && ms <= nowMs
}

const hasEnded = ({ until }: Dates, nowMs: number): boolean => isPast(until, nowMs)

/** Validity by the service's rule: `from` is inclusive, `until` exclusive. */
function isValid(entry: Dates, nowMs: number): boolean {
  const hasBegun = typeof entry.from !== 'string' || isPast(entry.from, nowMs)
  return hasBegun && !hasEnded(entry, nowMs) && entry.suspended !== true
}

/** `tidemark subscriptions`: manages the ingests and entities that a subscriber's keys may use. */
export function addSubscriptions(program: Command, context: CliContext): void {
  const subscriptions = program
    .command('subscriptions')
    .description('list and change the ingests and entities that subscribers may use')
  addList(subscriptions, context)
  addAdd(subscriptions, context)
  addRemove(subscriptions, context)
  addSet(subscriptions, context)
  addMine(subscriptions, context)
}

function addList(subscriptions: Command, context: CliContext): void {
  subscriptions
    .command('list <subscriber>')
    .description("list a subscriber's subscriptions (needs an admin key)")
    .option('--json', 'print JSON')
    .action(async (subscriber: string, options: JsonOption, command: Command) => {
      const { Items: items } = await connect(context, command.optsWithGlobals()).subscriptions(subscriber)
      const nowMs = context.nowMs()
      const valid: ItemColumn<SubscriptionEntry> = {
        title: 'valid',
        cell: (entry) => (isValid(entry, nowMs) ? 'yes' : hasEnded(entry, nowMs) ? 'no, ended' : 'no'),
      }
      printItems(context, options, { items, columns: [...columns, valid], none })
    })
}

function withTargets(command: Command): Command {
  return command
    .option('--ingest <aliases>', 'ingests, separated by commas; * is every ingest', collectList)
    .option('--entity <names>', 'entities, separated by commas; * is every entity', collectList)
}

function withDates(command: Command, { nowMs }: CliContext): Command {
  return command
    .option('--from <date>', 'valid from: ISO 8601, or a duration from now such as P1D', parseDate(nowMs))
    .option('--until <date>', 'valid until: ISO 8601, or a duration from now such as P90D', parseDate(nowMs))
    .option('--suspended', 'set the subscriptions, but suspend them')
}

function addAdd(subscriptions: Command, context: CliContext): void {
  withDates(withTargets(subscriptions.command('add <subscriber>')), context)
    .description('add ingests that a subscriber may push to and entities that it may read (needs an admin key)')
    .addHelpText('after', addExamples)
    .action(async (subscriber: string, options: NewSubscriptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const added = newEntries(options)
      const { Items: present } = await client.subscriptions(subscriber)
      await put(context, client, subscriber, [...withoutEntries(present, options), ...added])
      await printTargets(context, client, options)
      if (hasEnded(options, context.nowMs()))
        context.stderr.write(`It already ended at ${options.until}, so it allows nothing. Give a later --until.\n`)
      else context.stderr.write(nextStep(subscriber, options, await isMetadata(client, options)))
    })
}

/** Notes about new subscriptions that may not have the expected effect. */
async function printTargets({ stderr }: CliContext, client: TidemarkClient, targets: Targets): Promise<void> {
  for (const line of await unknownTargets(client, targets)) stderr.write(`${line}\n`)
  if (targets.entity !== undefined) stderr.write(await publicReading(client))
}

/** Whether the first entity is a metadata table, according to its ingest of the same name. */
async function isMetadata(client: TidemarkClient, { entity: [entity] = [] }: Targets): Promise<boolean> {
  if (entity === undefined || entity === '*') return false
  return client.ingest(entity).then(
    ({ kind }) => kind === 'metadata',
    () => false,
  )
}

/** A hint: what a key of the subscriber may do now, and how to create one. */
function nextStep(
  subscriber: string,
  { ingest: [ingest] = [], entity: [entity] = [] }: Targets,
  metadata: boolean,
): string {
  const word = (name: string, any: string) => (name === '*' ? any : shellWord(name))
  const commands = [
    ...(ingest === undefined ? [] : [`tidemark push ${word(ingest, 'INGEST')} FILE`]),
    ...(entity === undefined
      ? []
      : [`tidemark ${metadata ? 'metadata items' : 'query latest --entity'} ${word(entity, 'ENTITY')}`]),
  ]
  const rights = [...(ingest === undefined ? [] : ['ingest']), ...(entity === undefined ? [] : ['consume'])]
  const key = `tidemark keys create ${shellWord(subscriber)} --rights ${rights.join(',')}`
  return `Next, with a key of the subscriber ("${key}" makes one): ${commands.join('; ')}\n`
}

function addRemove(subscriptions: Command, context: CliContext): void {
  withTargets(subscriptions.command('remove <subscriber>'))
    .description('end the subscriptions to ingests and entities; the others stay (needs an admin key)')
    .addHelpText('after', '\nExample:\n  tidemark subscriptions remove line-3 --ingest plant\n')
    .action(async (subscriber: string, options: Targets, command: Command) => {
      if (options.ingest === undefined && options.entity === undefined) {
        throw new UsageError('Name the subscriptions to end with --ingest and --entity.')
      }
      const client = connect(context, command.optsWithGlobals())
      const { Items: present } = await client.subscriptions(subscriber)
      const missing = missingTargets(present, options)
      if (missing.length > 0) {
        throw new CommandError(
          `${subscriber} has no subscription to ${missing.join(', ')}; nothing was changed. "tidemark subscriptions list ${subscriber}" shows its subscriptions.`,
        )
      }
      await put(context, client, subscriber, withoutEntries(present, options))
    })
}

function addSet(subscriptions: Command, context: CliContext): void {
  withDates(withTargets(subscriptions.command('set <subscriber>')), context)
    .description("replace all of a subscriber's subscriptions (needs an admin key)")
    .option('--none', 'end all subscriptions')
    .addHelpText('after', setExamples)
    .action(async (subscriber: string, options: SetOptions, command: Command) => {
      const isEmpty = options.ingest === undefined && options.entity === undefined
      if (isEmpty !== (options.none === true)) {
        throw new UsageError('Name what to subscribe to with --ingest and --entity, or give only --none to end all.')
      }
      const client = connect(context, command.optsWithGlobals())
      await put(context, client, subscriber, isEmpty ? [] : newEntries(options))
      await printTargets(context, client, options)
    })
}

function addMine(subscriptions: Command, context: CliContext): void {
  subscriptions
    .command('mine')
    .description('show what the key of --key or TIDEMARK_KEY may do')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption, command: Command) => {
      const own = await connect(context, command.optsWithGlobals()).subscription()
      if (options.json) return printJson(context, own)
      context.stdout.write(`subscriber ${own.subscriber}, rights ${own.rights.join(', ')}\n`)
      const valid = { title: 'valid', cell: (entry: { readonly valid?: boolean }) => (entry.valid ? 'yes' : 'no') }
      printItems(context, options, { items: own.subscriptions, columns: [...columns, valid], none })
    })
}

async function put(
  context: CliContext,
  client: TidemarkClient,
  subscriber: string,
  entries: readonly SubscriptionEntry[],
): Promise<void> {
  await client.putSubscriptions(subscriber, entries)
  const count = `${entries.length} ${entries.length === 1 ? 'subscription' : 'subscriptions'}`
  context.stdout.write(`${subscriber} has ${count}.\n`)
}

// A subscription may be created before its target, but the name may also be misspelled.
/** A sentence for each target that does not exist yet. */
async function unknownTargets(client: TidemarkClient, targets: Targets): Promise<readonly string[]> {
  return [...(await unknownIngests(client, targets)), ...(await unknownEntities(client, targets))]
}

async function unknownIngests(client: TidemarkClient, { ingest = [] }: Targets): Promise<readonly string[]> {
  const unknown: string[] = []
  for (const alias of ingest.filter((one) => one !== '*')) {
    await client.ingest(alias).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) unknown.push(alias)
    })
  }
  return unknown.map(
    (alias) => `There is no ingest "${alias}" yet: tidemark ingests create ${shellWord(alias)} makes it.`,
  )
}

async function unknownEntities(client: TidemarkClient, { entity = [] }: Targets): Promise<readonly string[]> {
  const asked = entity.filter((one) => one !== '*')
  if (asked.length === 0) return []
  const names = await entityNames(client).catch(() => null)
  if (names === null) return []
  return asked
    .filter((name) => !names.includes(name))
    .map((name) => `There is no entity "${name}" yet.${didYouMean(name, names)}`)
}

/** The names of series entities and metadata tables. */
async function entityNames(client: TidemarkClient): Promise<readonly string[]> {
  const series = await allItems((page) => client.adminEntities(page))
  return [...series, ...(await client.metadata())].map(({ entity }) => entity)
}

/** The ingests and entities of subscriptions. */
interface Targets {
  readonly ingest?: readonly string[]
  readonly entity?: readonly string[]
}

interface NewSubscriptions extends Targets {
  readonly from?: string
  readonly until?: string
  readonly suspended?: boolean
}

/** One entry for each ingest and each entity, all with the same dates. Throws `UsageError` if there is no target. */
function newEntries(options: NewSubscriptions): SubscriptionEntry[] {
  const { from, until, suspended } = options
  const shared = given({ from, until, suspended })
  const entries = targetsOf(options).map((target) => ({ ...target, ...shared }))
  if (entries.length === 0) throw new UsageError('Name what to subscribe to with --ingest and --entity.')
  return entries
}

/** The entries without these targets. An entry for both an ingest and an entity keeps the other one. */
function withoutEntries(present: readonly SubscriptionEntry[], targets: Targets): SubscriptionEntry[] {
  const isGone = (names: readonly string[] | undefined, name: string | null | undefined): boolean =>
    typeof name === 'string' && names?.includes(name) === true
  return present.flatMap(({ ingest, entity, ...dates }) => {
    const left = {
      ...(typeof ingest === 'string' && !isGone(targets.ingest, ingest) ? { ingest } : {}),
      ...(typeof entity === 'string' && !isGone(targets.entity, entity) ? { entity } : {}),
    }
    return Object.keys(left).length === 0 ? [] : [{ ...left, ...dates }]
  })
}

/** The targets that have no entry, in readable form: `the ingest "a"`. */
function missingTargets(present: readonly SubscriptionEntry[], targets: Targets): readonly string[] {
  const missing = (what: 'ingest' | 'entity') =>
    (targets[what] ?? [])
      .filter((name) => !present.some((entry) => entry[what] === name))
      .map((name) => `the ${what} "${name}"`)
  return [...missing('ingest'), ...missing('entity')]
}

function targetsOf({ ingest = [], entity = [] }: Targets): readonly SubscriptionEntry[] {
  return [...ingest.map((name) => ({ ingest: name })), ...entity.map((name) => ({ entity: name }))]
}
