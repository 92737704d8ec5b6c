import type { Command } from 'commander'
import { given } from '../lib/given.ts'
import { printable } from '../lib/text-table.ts'
import { firstItems } from './all-items.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount } from './option-values.ts'
import { type JsonOption, printJson } from './output.ts'

interface TagsOptions extends JsonOption {
  readonly prefix?: string
  readonly idName?: string
  readonly limit: number
}

/** `tidemark tags`: lists the tags of an entity, one per line. */
export function addTags(program: Command, context: CliContext): void {
  program
    .command('tags <entity>')
    .description('list the tags of an entity that have an item')
    .option('--prefix <text>', 'only tags that begin with it')
    .option('--id-name <field>', 'the tag field, where there are several (default: the first)')
    .option('--limit <count>', 'how many', parseCount, 1000)
    .option('--json', 'print JSON')
    .action(async (entity: string, { prefix, idName, limit, json }: TagsOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const filters = given({ prefix, id_name_field: idName })
      const { items: tags, more } = await firstItems(limit, (page) => client.tags(entity, { ...filters, ...page }))
      if (json === true) printJson(context, tags)
      else if (tags.length === 0) context.stdout.write('There is no such tag.\n')
      // A tag may contain line ends and terminal control characters.
      else context.stdout.write(tags.map((tag) => `${printable(tag)}\n`).join(''))
      if (more) context.stderr.write('There are more; --limit shows them.\n')
    })
}
