import type { Command } from 'commander'
import type { SubscriberAnswer } from '../client/answers.ts'
import { type CliContext, connect } from './context.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'
import { allItems } from './pages.ts'

const columns: readonly ItemColumn<SubscriberAnswer>[] = [
  { title: 'subscriber', cell: (subscriber) => subscriber.name },
  { title: 'keys', cell: ({ keys = [] }) => keys.map((key) => `${key.id} (${key.rights.join(', ')})`).join(', ') },
]

/** `tidemark subscribers`: whom keys and subscriptions belong to, with an admin key. */
export function addSubscribers(program: Command, context: CliContext): void {
  const subscribers = program
    .command('subscribers')
    .description('create, list and delete subscribers (needs an admin key)')
  subscribers
    .command('create <name>')
    .description('create a subscriber without keys and subscriptions')
    .option('--json', 'print JSON')
    .action(async (name: string, options: JsonOption, command: Command) => {
      const subscriber = await connect(context, command.optsWithGlobals()).createSubscriber(name)
      if (options.json) return printJson(context, subscriber)
      context.stdout.write(`${name} is created. Next: tidemark keys create ${name} --rights ingest,consume\n`)
    })
  subscribers
    .command('list')
    .description('list all subscribers with their keys')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const items = await allItems((page) => client.subscribers(page))
      printItems(context, options, { items, columns, none: 'There is no subscriber.' })
    })
  subscribers
    .command('delete <name>')
    .description('delete a subscriber, its keys and its subscriptions')
    .action(async (name: string, _options: object, command: Command) => {
      await connect(context, command.optsWithGlobals()).deleteSubscriber(name)
      context.stdout.write(`${name} and its keys are deleted.\n`)
    })
}
