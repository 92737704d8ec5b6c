import type { Command } from 'commander'
import type { PreviewAnswer, ReplayChanges } from '../../client/answers.ts'
import { printable } from '../../lib/text-table.ts'
import { conversions } from '../../model/row-mapping.ts'
import { type CliContext, connect } from '../context.ts'
import { collectList } from '../list-option.ts'
import { type JsonOption, printJson } from '../output.ts'
import { parseWord } from '../parse-word.ts'
import { type ChoiceOptions, chosenIds, refuseUnknown, withFilters } from './chosen-rows.ts'
import { jsonOrText, namedValues } from './named-values.ts'

interface ReplayOptions extends ChoiceOptions, JsonOption {
  readonly into?: string
  readonly rename?: readonly string[]
  readonly set?: readonly string[]
  readonly convert?: readonly string[]
  readonly dryRun?: boolean
}

const examples = `
Rows are renamed first, then set, then converted; what cannot be done to a row is left as it is. --convert takes
${conversions.join(', ')}.
Those from iso on make times, as --time-format of a push does. A row that passes is stored once and leaves the list; the
others stay, with their new reason; mended ones stay as they were pushed, with the reason that they had, and --dry-run says
why they do not pass.
A row that goes into another ingest is as new as the replay, any other as old as its push.

Examples:
  tidemark rejected replay plant --all
  tidemark rejected replay plant --code wrong_type --field V --convert V=number --dry-run
  tidemark rejected replay plant --code invalid_time --convert D=seconds --dry-run
  tidemark rejected replay plant --all --rename value=V --set T=boiler.temp
  tidemark rejected replay plant --all --into plant2
`

export function addReplay(rejected: Command, context: CliContext): void {
  withFilters(rejected.command('replay <ingest> [ids...]'))
    .description(
      'judge rejected rows again, mended or for another ingest: those with these ids, those that a filter lets in, or all',
    )
    .option('--all', 'all of them')
    .option('--into <ingest>', 'judge them by the fields of another ingest, and store them there')
    .option('--rename <pairs>', 'old=new names of properties, separated by commas', collectList)
    .option(
      '--set <pairs>',
      'property=value for every row; a number with a point, true, false, null or text; \\, is a comma within it',
      collectList,
    )
    .option('--convert <pairs>', 'property=number, text, seconds and so on', collectList)
    .option('--dry-run', 'show what would become of the first rows, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (ingest: string, ids: readonly string[], options: ReplayOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const changes = changesOf(options)
      const total = { stored: 0, rejected: 0 }
      for await (const chosen of chosenIds(client, ingest, ids, options, 'replay')) {
        if (options.dryRun) {
          const preview = await client.previewReplay(ingest, chosen, changes)
          refuseUnknown(ingest, ids, preview.rows)
          if (options.json) printJson(context, preview)
          else context.stdout.write(previewText(preview))
          return
        }
        const { stored, rejected } = await client.replayRejected(ingest, chosen, changes)
        total.stored += stored
        total.rejected += rejected
      }
      refuseUnknown(ingest, ids, total.stored + total.rejected)
      if (options.dryRun) context.stdout.write('There is no such row.\n')
      else if (options.json) printJson(context, total)
      else context.stdout.write(replayText(total, options))
    })
}

function replayText(
  { stored, rejected }: { readonly stored: number; readonly rejected: number },
  { into, rename, set, convert }: ReplayOptions,
): string {
  const stay = rejected === 1 ? '1 is still rejected' : `${rejected} are still rejected`
  const where = into === undefined ? '' : ` in ${into}`
  const isMended = [rename, set, convert].some((option) => option !== undefined)
  const why =
    isMended && rejected > 0 ? ' The list shows them as they were pushed; --dry-run says why they do not pass.' : ''
  return `${stored} ${stored === 1 ? 'row is' : 'rows are'} stored now${where}, ${stay}.${why}\n`
}

function changesOf({ into, rename, set, convert }: ReplayOptions): ReplayChanges {
  return {
    ...(into === undefined ? {} : { into }),
    ...(rename === undefined ? {} : { rename: namedValues('--rename', rename, (text) => text) }),
    ...(set === undefined ? {} : { set: namedValues('--set', set, jsonOrText) }),
    ...(convert === undefined
      ? {}
      : { convert: namedValues('--convert', convert, (text) => parseWord(conversions, text, 'conversion')) }),
  }
}

function previewText({ rows, stored, rejected, more, Items }: PreviewAnswer): string {
  const lines = Items.flatMap(({ id, before, after, code, message }) => [
    `${id}  ${before}`,
    ...(after === before ? [] : [`  -> ${after}`]),
    `  ${code === null ? 'would be stored' : `would be rejected: ${message} (${code})`}`,
  ])
  const judged = `Of ${more ? `the first ${rows}` : rows} rows ${stored} would be stored, ${rejected} would still be rejected. Nothing was changed.`
  return [...lines, judged].map((line) => `${printable(line)}\n`).join('')
}
