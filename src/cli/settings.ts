import type { Command } from 'commander'
import type { SettingAnswer } from '../client/answers.ts'
import { type CliContext, connect } from './context.ts'
import { type ItemColumn, type JsonOption, printItems } from './output.ts'

const columns: readonly ItemColumn<SettingAnswer>[] = [
  { title: 'setting', cell: ({ setting }) => setting },
  { title: 'value', cell: ({ value, secret }) => (secret ? '(secret)' : [value].flat().join(',')) },
  { title: 'default', cell: ({ usual }) => (usual ? 'yes' : 'no') },
]

/** `tidemark settings`: what is in force in a running service. */
export function addSettings(program: Command, context: CliContext): void {
  program
    .command('settings')
    .description("list the service's settings; secrets are not shown (needs an admin key)")
    .option('--json', 'print JSON')
    .action(async (options: JsonOption, command: Command) => {
      const { Items: items } = await connect(context, command.optsWithGlobals()).settings()
      printItems(context, options, { items, columns, none: 'There is no setting.' })
    })
}
