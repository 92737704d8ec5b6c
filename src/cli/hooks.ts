import { type Command, InvalidArgumentError } from 'commander'
import type { HookAnswer, HookDefinition, HookDelivery } from '../client/answers.ts'
import { allItems } from './all-items.ts'
import { type CliContext, connect, readText } from './context.ts'
import { parseCount } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson, showsList } from './output.ts'

type Kind = HookDefinition['kinds'][number]

/** For commander: `disk_low`, `rejected_rows over=100 within=PT5M`, or the same as a JSON object, whose values may contain spaces. */
function collectKinds(text: string, before: readonly Kind[] = []): readonly Kind[] {
  return [...before, kindOf(text)]
}

/** Checks only the syntax; the service reports other errors. */
function kindOf(text: string): Kind {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      throw new InvalidArgumentError('It begins like a JSON object but is not valid JSON.')
    }
  }
  const [kind, ...members] = text.split(/\s+/).filter((word) => word !== '')
  const pairs = members.map((member): [string, string | number] => {
    const [name = '', ...rest] = member.split('=')
    const value = rest.join('=')
    return [name, name === 'over' && /^\d+$/.test(value) ? Number(value) : value]
  })
  return { kind, ...Object.fromEntries(pairs) } as Kind
}

function kindText(given: Kind): string {
  if (typeof given === 'string') return given
  const { kind, ...members } = given
  return [kind, ...Object.entries(members).map(([name, value]) => `${name}=${value}`)].join(' ')
}

const hookColumns: readonly ItemColumn<HookAnswer>[] = [
  { title: 'hook', cell: ({ name }) => name },
  { title: 'address', cell: ({ url }) => url },
  { title: 'secret set', cell: ({ secret_set }) => secret_set ?? 'never' },
  { title: 'events', cell: ({ kinds }) => kinds.map(kindText).join('; ') },
]

const deliveryColumns: readonly ItemColumn<HookDelivery>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'time', cell: ({ time }) => time },
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'state', cell: ({ state }) => state },
  { title: 'attempts', align: 'right', cell: ({ attempts }) => attempts },
  { title: 'next', cell: ({ next }) => next },
  { title: 'error', cell: ({ error }) => error },
]

const examples = `
Examples:
  tidemark hooks put alarms https://alarms.example/tidemark --on disk_low --on backup_failed --secret-file secret.txt
  tidemark hooks put rows https://alarms.example/rows --on 'rejected_rows over=100 within=PT5M'
  tidemark hooks put silence https://alarms.example/rows --on 'nothing_received ingest=plant for=PT1H'
`

/** `tidemark hooks`: addresses that are notified of what an operator must know. */
export function addHooks(program: Command, context: CliContext): void {
  const hooks = program
    .command('hooks')
    .description('make, list and delete hooks: addresses that receive events for operators (needs an admin key)')
  addPut(hooks, context)
  showsList(hooks.command('list').description('list all hooks'), context, {
    items: (client) => allItems((page) => client.hooks(page)),
    columns: hookColumns,
    none: 'There is no hook.',
  })
  hooks
    .command('delete <name>')
    .description('delete a hook and its waiting events')
    .action(async (name: string, _options: object, command: Command) => {
      await connect(context, command.optsWithGlobals()).deleteHook(name)
      context.stdout.write(`${name} is deleted.\n`)
    })
  hooks
    .command('deliveries <name>')
    .description('list the events of a hook with their delivery, newest first')
    .option('--limit <count>', 'how many', parseCount, 100)
    .option('--json', 'print JSON')
    .action(async (name: string, { limit, ...options }: JsonOption & { limit: number }, command: Command) => {
      const { Items: items } = await connect(context, command.optsWithGlobals()).hookDeliveries(name, { limit })
      printItems(context, options, { items, columns: deliveryColumns, none: 'There is no event.' })
    })
}

interface PutOptions extends JsonOption {
  readonly on: readonly Kind[]
  readonly secretFile?: string
}

function addPut(hooks: Command, context: CliContext): void {
  hooks
    .command('put <name> <address>')
    .description('make a hook, or replace its address and its events')
    .requiredOption('--on <kind>', 'an event that it receives; may be repeated', collectKinds)
    .option('--secret-file <file>', 'the secret that signs events; - is standard input (default: unchanged)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (name: string, address: string, { on, secretFile, json }: PutOptions, command: Command) => {
      const secret = secretFile === undefined ? {} : { secret: (await readText(secretFile, context)).trim() }
      const client = connect(context, command.optsWithGlobals())
      const hook = await client.putHook(name, { url: address, kinds: on, ...secret })
      if (json) return printJson(context, hook)
      context.stdout.write(
        `${name} receives ${hook.kinds.map(kindText).join('; ')}.${hook.secret_set !== null ? '' : ' Its events are not signed: --secret-file gives it a secret.'}\n`,
      )
    })
}
