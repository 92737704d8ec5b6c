import type { Command } from 'commander'
import type { TidemarkClient } from '../client/client.ts'
import type { ConnectionError } from '../client/service-error.ts'
import { fittedTable, printable, type TableColumn, textTable } from '../lib/text-table.ts'
import type { Field } from '../model/field.ts'
import { type CliContext, connect } from './context.ts'
import { inCommands } from './in-commands.ts'

export interface JsonOption {
  readonly json?: boolean
}

export interface TableOptions extends JsonOption {
  /** Prints a table in full that a terminal would cut. */
  readonly wide?: boolean
}

/** A column of a list: its title and the cell for an item. */
export interface ItemColumn<Item> extends TableColumn {
  readonly cell: (item: Item) => string | number | null | undefined
}

export function printJson(context: CliContext, value: unknown): void {
  context.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/**
 * Prints items as a table, or as JSON with `--json`. In a terminal the table fits its width; elsewhere each row is one line, however long.
 * `none` is printed in place of an empty table.
 */
export function printItems<Item>(
  context: CliContext,
  options: TableOptions,
  { items, columns, none }: { items: readonly Item[]; columns: readonly ItemColumn<Item>[]; none: string },
): void {
  if (options.json) printJson(context, items)
  else if (items.length === 0) context.stdout.write(`${none}\n`)
  else {
    const rows = items.map((item) => columns.map((column) => String(column.cell(item) ?? '')))
    const { isTTY, columns: width } = context.stdout
    if (!isTTY || !width || options.wide) context.stdout.write(textTable(columns, rows))
    else {
      const { text, isCut } = fittedTable(columns, rows, width)
      context.stdout.write(text)
      if (isCut) context.stderr.write('Some values are cut (…): --wide shows them in full.\n')
    }
  }
}

export const fieldsColumn: ItemColumn<{ readonly fields: readonly Pick<Field, 'name' | 'type' | 'role'>[] }> = {
  title: 'fields',
  below: 'whole',
  cell: ({ fields }) => fields.map(({ name, type, role }) => `${name}:${type}:${role}`).join(' '),
}

interface ShownList<Item> {
  readonly items: (client: TidemarkClient) => Promise<readonly Item[]>
  readonly columns: readonly ItemColumn<Item>[]
  readonly none: string
}

/** A command that prints a list of the service with `printItems`. */
export function showsList<Item>(
  command: Command,
  context: CliContext,
  { items, columns, none }: ShownList<Item>,
): void {
  command.option('--json', 'print JSON').action(async (options: JsonOption, self: Command) => {
    const client = connect(context, self.optsWithGlobals())
    printItems(context, options, { items: await items(client), columns, none })
  })
}

/** Prints a line that is not part of the requested output, to standard error. */
export function printNote({ stderr }: Pick<CliContext, 'stderr'>, line: string): void {
  stderr.write(`tidemark: ${printable(inCommands(line))}\n`)
}

/** The message if nothing responds at the address of the service. */
export function unreachableText({ message }: ConnectionError): string {
  return `${message} Start it with "tidemark serve", or give its address with --url or TIDEMARK_URL.`
}
