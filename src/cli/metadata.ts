import type { Command } from 'commander'
import type { MetadataDescription } from '../client/answers.ts'
import { itemsOfPage, textsInList } from '../client/item-page.ts'
import { itemOperatorMeanings } from '../model/item-operator.ts'
import { firstItems } from './all-items.ts'
import { answerTable } from './answer-output.ts'
import { UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount } from './option-values.ts'
import { fieldsColumn, type ItemColumn, type JsonOption, showsList } from './output.ts'

interface ItemsOptions extends JsonOption {
  readonly where?: readonly string[]
  readonly limit: number
}

const itemsExamples = `
A condition names the index field. Its operators are = and
${Object.entries(itemOperatorMeanings)
  .map(([name, meaning]) => `  [${name}]  ${meaning}`)
  .join('\n')}

Examples:
  tidemark metadata items tags
  tidemark metadata items tags --where 'tag[bw]=01PHD.'
  tidemark metadata items tags --where 'tag[gte]=01PHD' --where 'tag[lt]=03PHD' --limit 1000
`

const columns: readonly ItemColumn<MetadataDescription>[] = [
  { title: 'table', cell: (table) => table.entity },
  { title: 'index', cell: (table) => table.index_field },
  { title: 'items', align: 'right', cell: (table) => table.items },
  fieldsColumn,
]

/** `tidemark metadata`: lists and deletes the items of metadata ingests. */
export function addMetadata(program: Command, context: CliContext): void {
  const metadata = program.command('metadata').description('list and delete metadata items')
  showsList(metadata.command('list').description('list the metadata tables that the key may read'), context, {
    items: (client) => client.metadata(),
    columns,
    none: 'There is no metadata table that this key may read. "tidemark ingests create tags --kind metadata --field ..." creates one.',
  })
  addItems(metadata, context)
  metadata
    .command('get <table> <id...>')
    .description('show the items with these identifiers, in this order')
    .option('--json', 'print JSON')
    .action(async (table: string, ids: readonly string[], options: JsonOption, command: Command) => {
      const items = textsInList(await connect(context, command.optsWithGlobals()).itemsByIdText(table, ids))
      print(context, options, items)
      const found = `${items.length} of ${ids.length} identifiers`
      if (items.length < new Set(ids).size) context.stderr.write(`Found items for ${found}.\n`)
    })
  metadata
    .command('delete <table> <id...>')
    .description('delete items; pushing an item again brings it back (needs an admin key)')
    .action(async (table: string, ids: readonly string[], _options: object, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      for (const id of ids) await client.deleteItem(table, id)
      context.stdout.write(`${ids.length === 1 ? `${ids[0]} is` : `${ids.length} items are`} deleted from ${table}.\n`)
    })
}

function addItems(metadata: Command, context: CliContext): void {
  metadata
    .command('items <table>')
    .description('list items in the order of their identifiers')
    .option('--where <condition>', 'list only items that meet the condition; may be repeated', collectWhole)
    .option('--limit <count>', 'how many', parseCount, 20)
    .option('--json', 'print JSON')
    .addHelpText('after', itemsExamples)
    .action(async (table: string, { where = [], limit, ...options }: ItemsOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const conditions = where.map(conditionOf)
      const { items, more } = await firstItems(limit, async (page) => {
        // Items stay text, so that numbers keep every digit.
        const { items: texts, token } = itemsOfPage(await client.itemsText(table, conditions, page))
        return { Items: texts, NextToken: token }
      })
      print(context, options, items)
      if (more) context.stderr.write('There are more; --limit shows them.\n')
    })
}

/** Collects values whole, since they may contain commas. */
function collectWhole(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text]
}

function conditionOf(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`"${text}" is not a condition. Write field=value or field[bw]=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function print(context: CliContext, options: JsonOption, items: readonly string[]): void {
  const list = `[${items.join(',\n')}]`
  if (options.json) context.stdout.write(`${list}\n`)
  else if (items.length === 0) context.stdout.write('There is no such item.\n')
  else context.stdout.write(answerTable(Buffer.from(list)))
}
