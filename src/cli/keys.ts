import type { Command } from 'commander'
import type { KeyRight } from '../client/answers.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { collectList } from './list-option.ts'
import { type JsonOption, printJson } from './output.ts'

interface CreateOptions extends JsonOption {
  readonly rights: readonly string[]
  readonly expires?: string
}

const rights: readonly KeyRight[] = ['ingest', 'consume', 'admin']

function parseRight(text: string): KeyRight {
  const right = rights.find((candidate) => candidate === text)
  if (right === undefined) throw new CommandError(`"${text}" is not a right. The rights are: ${rights.join(', ')}.`)
  return right
}

/** `tidemark keys`: the keys of subscribers, with an admin key. */
export function addKeys(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('create and revoke keys (needs an admin key)')
  keys
    .command('create <subscriber>')
    .description('create a key and show it, this once')
    .requiredOption('--rights <rights>', 'ingest, consume or admin, separated by commas', collectList)
    .option('--expires <date>', 'when it expires, ISO 8601 (default: never)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidemark keys create line-3 --rights ingest,consume --expires 2027-01-01\n')
    .action(async (subscriber: string, options: CreateOptions, command: Command) => {
      const created = await connect(context, command.optsWithGlobals()).createKey(subscriber, {
        rights: options.rights.map(parseRight),
        ...(options.expires === undefined ? {} : { expires: options.expires }),
      })
      if (options.json) return printJson(context, created)
      context.stdout.write(`id   ${created.id}\nkey  ${created.key}\n`)
      context.stderr.write(
        'Keep the key now: it is not shown again. To push, the subscriber also needs "tidemark subscriptions set".\n',
      )
    })
  keys
    .command('revoke <id>')
    .description('end a key at once')
    .action(async (id: string, _options: object, command: Command) => {
      await connect(context, command.optsWithGlobals()).deleteKey(id)
      context.stdout.write(`${id} is revoked.\n`)
    })
}
