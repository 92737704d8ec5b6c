import type { Command } from 'commander'
import type { SubscriptionEntry } from '../client/answers.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { collectList } from './list-option.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

interface SetOptions {
  readonly ingest?: readonly string[]
  readonly entity?: readonly string[]
  readonly from?: string
  readonly until?: string
  readonly suspended?: boolean
  readonly none?: boolean
}

const setExamples = `
The command replaces all subscriptions of the subscriber. --none leaves none.

Examples:
  tidemark subscriptions set line-3 --ingest plant --entity plant
  tidemark subscriptions set reports --entity '*' --until 2027-01-01
`

const columns: readonly ItemColumn<SubscriptionEntry & { readonly valid?: boolean }>[] = [
  { title: 'ingest', cell: (entry) => entry.ingest },
  { title: 'entity', cell: (entry) => entry.entity },
  { title: 'from', cell: (entry) => entry.from },
  { title: 'until', cell: (entry) => entry.until },
  { title: 'suspended', cell: (entry) => (entry.suspended ? 'yes' : '') },
]

const none = 'There is no subscription, so the subscriber may push nothing.'

/** The entries that `subscriptions set` asks for: one for each ingest and entity, all with the same dates. */
export function entriesOf(options: SetOptions): SubscriptionEntry[] {
  const shared = {
    ...(options.from === undefined ? {} : { from: options.from }),
    ...(options.until === undefined ? {} : { until: options.until }),
    ...(options.suspended ? { suspended: true } : {}),
  }
  const entries = [
    ...(options.ingest ?? []).map((ingest) => ({ ingest, ...shared })),
    ...(options.entity ?? []).map((entity) => ({ entity, ...shared })),
  ]
  if ((entries.length === 0) !== (options.none === true)) {
    throw new CommandError('Say what to subscribe to with --ingest and --entity, or give --none alone to end all.')
  }
  return entries
}

/** `tidemark subscriptions`: what a subscriber's keys may push to and read. */
export function addSubscriptions(program: Command, context: CliContext): void {
  const subscriptions = program
    .command('subscriptions')
    .description('list and set what subscribers may push to and read')
  subscriptions
    .command('list <subscriber>')
    .description("list a subscriber's subscriptions (needs an admin key)")
    .option('--json', 'print JSON')
    .action(async (subscriber: string, options: JsonOption, command: Command) => {
      const { Items: items } = await connect(context, command.optsWithGlobals()).subscriptions(subscriber)
      printItems(context, options, { items, columns, none })
    })
  subscriptions
    .command('set <subscriber>')
    .description("set a subscriber's subscriptions (needs an admin key)")
    .option('--ingest <aliases>', 'ingests that it may push to, separated by commas; * is every ingest', collectList)
    .option('--entity <names>', 'entities that it may read, separated by commas; * is every entity', collectList)
    .option('--from <date>', 'valid from, ISO 8601')
    .option('--until <date>', 'valid until, ISO 8601')
    .option('--suspended', 'set the subscriptions, but suspend them')
    .option('--none', 'end all subscriptions')
    .addHelpText('after', setExamples)
    .action(async (subscriber: string, options: SetOptions, command: Command) => {
      const entries = entriesOf(options)
      await connect(context, command.optsWithGlobals()).putSubscriptions(subscriber, entries)
      context.stdout.write(
        `${subscriber} has ${entries.length} ${entries.length === 1 ? 'subscription' : 'subscriptions'}.\n`,
      )
    })
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
