import type { Command } from 'commander'
import type { KeySummary, SubscriberAnswer, SubscriptionEntry } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import { given } from '../lib/given.ts'
import { shellWord } from '../lib/shell-word.ts'
import { rightNames } from '../model/right.ts'
import { allItems } from './all-items.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { collectList, parseDate, parseWord } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

interface CreateOptions extends JsonOption {
  readonly rights: readonly string[]
  readonly expires?: string
}

/** `tidemark keys`: manages the keys of subscribers, with an admin key. */
export function addKeys(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('create, list and revoke keys (needs an admin key)')
  addCreate(keys, context)
  addList(keys, context)
  addRevoke(keys, context)
}

function addCreate(keys: Command, context: CliContext): void {
  keys
    .command('create <subscriber>')
    .description('create a key and show it once')
    .requiredOption('--rights <rights>', 'ingest, consume, correct, observe or admin, separated by commas', collectList)
    .option(
      '--expires <date>',
      'when it expires: ISO 8601, or a duration from now such as P90D (default: never)',
      parseDate(context.nowMs),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  tidemark keys create line-3 --rights ingest,consume --expires 2027-01-01\n  tidemark keys create line-3 --rights consume --expires P90D\n',
    )
    .action(async (subscriber: string, options: CreateOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const created = await client.createKey(subscriber, {
        rights: options.rights.map((text) => parseWord(rightNames, text, 'right')),
        ...given({ expires: options.expires }),
      })
      if (options.json) return printJson(context, created)
      context.stdout.write(`id   ${created.id}\nkey  ${created.key}\n`)
      const expiry = options.expires === undefined ? '' : ` It expires on ${options.expires}.`
      // The key exists and is shown; a hint that cannot be queried now is omitted.
      const present = await client.subscriptions(subscriber).catch(() => null)
      const next = nextStep(subscriber, options.rights, present?.Items ?? null)
      context.stderr.write(`Keep the key now: it is not shown again.${expiry}${next}\n`)
      if (options.rights.includes('consume')) context.stderr.write(await publicReading(client))
    })
}

/** The hint for the next step: without a subscription a key can neither push nor read. */
function nextStep(
  subscriber: string,
  rights: readonly string[],
  present: readonly Pick<SubscriptionEntry, 'ingest' | 'entity'>[] | null,
): string {
  const lacks = (right: string, of: 'ingest' | 'entity') =>
    rights.includes(right) && (present ?? []).every((one) => (one[of] ?? null) === null)
  const targets = [
    lacks('ingest', 'ingest') ? ' --ingest INGEST' : '',
    lacks('consume', 'entity') ? ' --entity ENTITY' : '',
  ]
  const needed = targets.join('')
  return needed === ''
    ? ''
    : ` The subscriber needs subscriptions too${present === null ? ', unless it has them' : ''}: tidemark subscriptions add ${shellWord(subscriber)}${needed}`
}

function addList(keys: Command, context: CliContext): void {
  keys
    .command('list [subscriber]')
    .description('list the keys of all subscribers, or of one, with their rights and dates')
    .option('--json', 'print JSON')
    .action(async (subscriber: string | undefined, options: JsonOption, command: Command) => {
      const all = await allSubscribers(connect(context, command.optsWithGlobals()))
      const asked = all.filter(({ name }) => subscriber === undefined || name === subscriber)
      if (subscriber !== undefined && asked.length === 0) {
        throw new CommandError(`There is no subscriber "${subscriber}". "tidemark subscribers list" shows all.`)
      }
      printItems(context, options, {
        items: keysOf(asked),
        columns: listedKeyColumns(context.nowMs()),
        none: 'There is no key. "tidemark keys create --help" shows how to create one.',
      })
    })
}

interface RevokeOptions {
  readonly yes?: boolean
}

function addRevoke(keys: Command, context: CliContext): void {
  keys
    .command('revoke <id>')
    .description('revoke a key at once; "tidemark keys list" shows the ids')
    .option('--yes', 'even if it is the last key with the right admin')
    .action(async (id: string, options: RevokeOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      if (!options.yes) refuseLast(await allSubscribers(client), context.nowMs(), (key) => key.id === id)
      await client.deleteKey(id).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error
        throw new CommandError(`There is no key with the id "${id}". "tidemark keys list" shows all.`, { cause: error })
      })
      context.stdout.write(`${id} is revoked.\n`)
      if (id === 'first-admin-key') {
        context.stderr.write(
          'Where TIDEMARK_ADMIN_KEY is set, change or remove it too: a start with the same key makes it valid again.\n',
        )
      }
    })
}

export function allSubscribers(client: TidemarkClient): Promise<SubscriberAnswer[]> {
  return allItems((page) => client.subscribers(page))
}

/** Throws `CommandError` if no key with the right `admin` would remain after the keys selected by `goes` are removed. */
export function refuseLast(
  subscribers: readonly SubscriberAnswer[],
  nowMs: number,
  goes: (key: ListedKey) => boolean,
): void {
  const admins = keysOf(subscribers).filter((key) => key.rights.includes('admin') && !hasExpired(key, nowMs))
  const [last] = admins
  if (last === undefined || !admins.every(goes)) return
  throw new CommandError(
    `${last.id} is the last key with the right admin: without it nobody can make keys, ingests or backups. ` +
      'To continue anyway, give --yes. To regain access, restart the service with another TIDEMARK_ADMIN_KEY, or without one: it then makes a key and prints it once.',
  )
}

/** A note, shown after creating a key or subscription for reading, that reading is public; empty if it is not, or if the service does not say. */
export async function publicReading(client: Pick<TidemarkClient, 'settings'>): Promise<string> {
  // The main request succeeded; a note that cannot be queried now is omitted.
  const settings = await client.settings().catch(() => null)
  const consumption = settings?.Items.find(({ setting }) => setting === 'access.consumption')?.value
  if (consumption !== 'public') return ''
  return 'Reading needs no key now: anyone can read everything. With access.consumption=key reading needs a key.\n'
}

/** A key as lists show it, with its subscriber. */
type ListedKey = KeySummary & { readonly subscriber: string }
type Expiry = Pick<KeySummary, 'expires'>

function keysOf(subscribers: readonly SubscriberAnswer[]): readonly ListedKey[] {
  return subscribers.flatMap(({ name, keys = [] }) => keys.map((key) => ({ ...key, subscriber: name })))
}

function hasExpired({ expires }: Expiry, nowMs: number): boolean {
  return expires !== null && Date.parse(expires) <= nowMs
}

/** The expiry of a key in readable form. */
export function expiryText(key: Expiry, nowMs: number): string {
  if (key.expires === null) return 'never'
  return hasExpired(key, nowMs) ? `${key.expires} (expired)` : key.expires
}

function listedKeyColumns(nowMs: number): readonly ItemColumn<ListedKey>[] {
  return [
    { title: 'id', cell: ({ id }) => id },
    { title: 'subscriber', cell: ({ subscriber }) => subscriber },
    { title: 'rights', cell: ({ rights }) => rights.join(', ') },
    { title: 'created', cell: ({ created }) => created },
    { title: 'expires', cell: (key) => expiryText(key, nowMs) },
  ]
}
