import type { Command } from 'commander'
import { type LiveDeletion, Tidemark } from '../client/tidemark.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { type CliContext, connectionOf } from './context.ts'
import { requestOf } from './option-names.ts'
import { collectList } from './option-values.ts'

/** The options that are processed here; the others are passed on in the request unchanged. */
interface FollowOptions {
  readonly entity: string
  readonly after?: string
  readonly showIds?: boolean
}

const helpText = `
The command runs until it is stopped (Ctrl+C). After an interruption it reconnects by itself and misses nothing.
Deletions, also those taken back, are written to standard error.
With --show-ids, you can continue later after the last id: --after <id>.

  tidemark follow --entity plant --ids boiler.temp,boiler.flow
`

function deletedWords({ id, selection, undone }: LiveDeletion): string {
  const given = JSON.stringify(Object.fromEntries(Object.entries(selection).filter(([, bound]) => bound !== null)))
  if (undone) return `Deletion ${id} is taken back. Its rows are visible again, so query them: ${given}`
  return `Deletion ${id} deletes these of the earlier items: ${given}`
}

/** `tidemark follow`: prints the items of an entity as they become queryable, one line of JSON each. */
export function addFollow(program: Command, context: CliContext): void {
  program
    .command('follow')
    .description('the items of an entity as they become queryable, a line of JSON each')
    .requiredOption('--entity <entity>', 'the entity')
    .option('--ids <tags>', 'only these tags, separated by commas', collectList)
    .option('--prefixes <prefixes>', 'only tags that begin with one of these, separated by commas', collectList)
    .option('--id-name <field>', 'the tag field, where there are several (default: the first)')
    .option('--metrics <fields>', 'the metrics to show, separated by commas (default: all)', collectList)
    .option('--fields <fields>', 'extra dimensions and tags to show, separated by commas', collectList)
    .option('--quality <words>', 'items of these qualities: good, uncertain, bad (default: good)', collectList)
    .option('--after <id>', 'continue after this id of an earlier stream')
    .option('--show-ids', 'write the id of each event to standard error')
    .addHelpText('after', helpText)
    .action(async ({ entity, after, showIds, ...asked }: FollowOptions, command: Command) => {
      const client = new Tidemark(connectionOf(context, command.optsWithGlobals()))
      const onRetry = (error: Error): void => {
        context.stderr.write(`${error.message} Connecting again.\n`)
      }
      for await (const event of client.live({ entity, ...requestOf(asked) }, { after, onRetry })) {
        if (event.event === 'rows') {
          const rows = new JsonRows({ rowBytesMax: Number.MAX_SAFE_INTEGER }).push(Buffer.from(event.json))
          context.stdout.write(rows.map((row) => `${Buffer.from(row).toString()}\n`).join(''))
        } else if (event.event === 'deleted') {
          context.stderr.write(`${deletedWords(event.deletion)}\n`)
        } else {
          const missing = event.date === null ? 'any date' : `dates from ${event.date} on`
          context.stderr.write(`The id is too old or unknown: rows of ${missing} may be missing. Query them.\n`)
        }
        if (showIds === true) context.stderr.write(`${event.id}\n`)
      }
    })
}
