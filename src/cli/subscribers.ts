import type { Command } from 'commander'
import type { SubscriberAnswer } from '../client/answers.ts'
import { shellWord } from '../lib/shell-word.ts'
import { type CliContext, connect } from './context.ts'
import { allSubscribers, expiryText, refuseLast } from './keys.ts'
import { type ItemColumn, type JsonOption, printJson, showsList } from './output.ts'

function columns(nowMs: () => number): readonly ItemColumn<SubscriberAnswer>[] {
  return [
    { title: 'subscriber', cell: (subscriber) => subscriber.name },
    { title: 'created', cell: (subscriber) => subscriber.created },
    {
      title: 'keys',
      cell: ({ keys = [] }) =>
        keys.map((key) => `${key.id} (${key.rights.join(', ')}; expires ${expiryText(key, nowMs())})`).join(', '),
    },
  ]
}

/** `tidemark subscribers`: manages the owners of keys and subscriptions, with an admin key. */
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
      context.stdout.write(
        `${name} is created. Next: tidemark keys create ${shellWord(name)} --rights ingest,consume\n`,
      )
    })
  showsList(subscribers.command('list').description('list all subscribers with their keys'), context, {
    items: allSubscribers,
    columns: columns(context.nowMs),
    none: 'There is no subscriber.',
  })
  subscribers
    .command('delete <name>')
    .description('delete a subscriber, its keys and its subscriptions')
    .option('--yes', 'even if it holds the last key with the right admin')
    .action(async (name: string, options: { readonly yes?: boolean }, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      if (!options.yes) refuseLast(await allSubscribers(client), context.nowMs(), (key) => key.subscriber === name)
      await client.deleteSubscriber(name)
      context.stdout.write(`${name} and its keys are deleted.\n`)
    })
}
