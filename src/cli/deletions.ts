import type { Command } from 'commander'
import type { DeletionAnswer, NewDeletion } from '../client/answers.ts'
import { given } from '../lib/given.ts'
import { deletionOperators } from '../model/deletion.ts'
import { allItems } from './all-items.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { requestOf } from './option-names.ts'
import { collectList } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson } from './output.ts'

/** The options that are processed here; the others are passed on in the request unchanged. */
interface SelectedRows {
  readonly metrics?: readonly string[]
  readonly where?: string
  readonly reason: string
}

interface DeleteOptions extends SelectedRows, JsonOption {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const examples = `
Examples:
  tidemark entities delete-rows plant --ids boiler.temp --start 2026-01-01 --end PT23H59M59.999S --reason "wrong unit" --dry-run
  tidemark entities delete-rows plant --prefixes boiler. --where "V > 1000" --reason "sensor fault" --yes
  tidemark entities delete-rows plant --ids boiler.temp --metrics V --reason "wrong unit" --yes
Only rows that were pushed before are deleted. A deletion can be taken back until its rows are removed for good:
  tidemark entities deletions plant
  tidemark entities take-back plant 3
`

const columns: readonly ItemColumn<DeletionAnswer>[] = [
  { title: 'id', align: 'right', cell: ({ id }) => id },
  { title: 'rows', align: 'right', cell: ({ rows }) => rows },
  { title: 'created', cell: ({ created }) => created },
  { title: 'subscriber', cell: ({ subscriber }) => subscriber },
  { title: 'erased', cell: ({ erased }) => erased ?? 'no' },
  { title: 'selection', cell: ({ selection }) => selectionText(selection) },
  { title: 'reason', below: 'whole', cell: ({ reason }) => reason },
]

/** Only the conditions that are set. */
function selectionText({ id_name_field: _, ...selection }: DeletionAnswer['selection']): string {
  return JSON.stringify(Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== null)))
}

/** Adds the commands of `tidemark entities` that delete rows. */
export function addDeletions(entities: Command, context: CliContext): void {
  addDeleteRows(entities, context)
  entities
    .command('deletions <entity>')
    .description('list the deletions of rows of an entity, newest first')
    .option('--json', 'print JSON')
    .action(async (entity: string, options: JsonOption, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const items = await allItems((page) => client.deletions(entity, page))
      printItems(context, options, { items, columns, none: `No rows of ${entity} are deleted.` })
    })
  entities
    .command('take-back <entity> <deletion>')
    .description('take a deletion back: queries return its rows again')
    .action(async (entity: string, text: string, _options: object, command: Command) => {
      if (!/^\d{1,15}$/.test(text)) {
        throw new UsageError(`"${text}" is not the id of a deletion. List them: tidemark entities deletions ${entity}`)
      }
      await connect(context, command.optsWithGlobals()).takeBackDeletion(entity, Number(text))
      context.stdout.write(`Queries return the rows of deletion ${text} of ${entity} again.\n`)
    })
}

function addDeleteRows(entities: Command, context: CliContext): void {
  entities
    .command('delete-rows <entity>')
    .description(
      'delete rows: queries no longer return them (needs a key with the rights correct and consume, or admin)',
    )
    .option('--ids <ids>', 'values of the tag, separated by commas', collectList)
    .option('--prefixes <prefixes>', 'prefixes of the tag values', collectList)
    .option('--id-name <field>', 'the tag field of these values (default: the first)')
    .option('--start <date>', 'the earliest date, or a duration before the end')
    .option('--end <date>', 'the latest date, or a duration after the start')
    .option('--metrics <metrics>', 'only these metrics, which then read as null', collectList)
    .option(
      '--where <condition>',
      `only items whose metric meets this condition: "V > 1000" (${deletionOperators.join(' ')})`,
    )
    .requiredOption('--reason <text>', 'the reason, for later readers')
    .option('--dry-run', 'delete nothing, and show how many rows would be deleted')
    .option('--yes', 'delete them')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (entity: string, { dryRun, yes, json, ...asked }: DeleteOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const deletion = deletionOf(asked)
      if (dryRun || !yes) {
        const found = await client.tryDeletion(entity, deletion)
        if (!dryRun) {
          throw new CommandError(
            `It would delete ${rowsText(found.rows)} of ${entity}. Give --yes to delete them; they can be taken back.`,
          )
        }
        if (json) printJson(context, found)
        else context.stdout.write(`It would delete ${rowsText(found.rows)} of ${entity}.\n`)
        return
      }
      const made = await client.deleteRows(entity, deletion)
      if (json) printJson(context, made)
      else {
        context.stdout.write(
          `Deletion ${made.id} hides ${rowsText(made.rows)} of ${entity}.\nTo take it back: tidemark entities take-back ${entity} ${made.id}\n`,
        )
      }
    })
}

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`)

function deletionOf({ where, metrics, reason, ...selection }: SelectedRows): NewDeletion {
  const condition = where === undefined ? undefined : conditionOf(where)
  return { reason, ...requestOf(selection), ...given({ metrics, where: condition }) }
}

/** Parses a condition. Its value is a number or a boolean if it looks like one; text in double quotes is a string. */
function conditionOf(text: string): NonNullable<NewDeletion['where']> {
  const [, metric = '', op = '', value = ''] = /^\s*([\w.-]+)\s*(<=|>=|!=|<|>|=)\s*(.*)$/.exec(text) ?? []
  const operator = deletionOperators.find((one) => one === op)
  if (operator === undefined || value === '') {
    throw new UsageError(`"${text}" is not a condition. Write "V > 1000" or 'state = "broken"'.`)
  }
  return { metric, op: operator, value: givenValue(value.trim()) }
}

function givenValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  const isExact = !/^-?\d+$/.test(text) || Number.isSafeInteger(number)
  if (Number.isFinite(number) && isExact) return number
  return /^".*"$/.test(text) ? text.slice(1, -1) : text
}
