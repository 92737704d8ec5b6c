import type { Command } from 'commander'
import type { AuditAnswer, AuditFilters } from '../client/answers.ts'
import { firstItems } from './all-items.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems } from './output.ts'

interface AuditOptions extends AuditFilters, JsonOption {
  readonly limit: number
}

/** The members of a state that changed; the whole state if it did not exist before. Empty if it was deleted. */
function changeOf({ before, after }: AuditAnswer): string {
  if (!isState(before) || !isState(after)) return after === null ? '' : JSON.stringify(after)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return changed.map((name) => `${name}: ${textOf(before[name])} -> ${textOf(after[name])}`).join('; ')
}

function isState(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null)
}

const columns: readonly ItemColumn<AuditAnswer>[] = [
  { title: 'time', cell: ({ time }) => time },
  { title: 'subscriber', cell: ({ subscriber }) => subscriber },
  { title: 'what', cell: ({ what }) => what },
  { title: 'name', cell: ({ name }) => name },
  { title: 'change', cell: changeOf },
]

/** `tidemark audit`: lists administrative changes and their authors. */
export function addAudit(program: Command, context: CliContext): void {
  program
    .command('audit')
    .description('list the administrative changes, newest first (needs an admin key)')
    .option('--who <name>', 'only changes by this subscriber, or with the key of this id')
    .option('--what <kind>', 'only changes of this kind, such as createKey')
    .option('--from <time>', 'only changes at this time or later')
    .option('--until <time>', 'only changes before this time')
    .option('--limit <count>', 'how many', parseCount, 100)
    .option('--json', 'print JSON, with all details of each change')
    .action(async ({ limit, json, ...filters }: AuditOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const { items, more } = await firstItems(limit, (page) => client.audit({ ...filters, ...page }))
      printItems(context, json === undefined ? {} : { json }, { items, columns, none: 'There is no such change.' })
      if (more) context.stderr.write('There are more; --limit shows them.\n')
    })
}
