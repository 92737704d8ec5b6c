import type { Command } from 'commander'
import type { SettingAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import type { CliContext } from './context.ts'
import { type ItemColumn, showsList } from './output.ts'

const columns: readonly ItemColumn<SettingAnswer>[] = [
  { title: 'setting', cell: ({ setting }) => setting },
  { title: 'value', cell: ({ value, secret }) => (secret ? '(secret)' : [value].flat().join(',')) },
  { title: 'default', cell: ({ usual }) => (usual ? 'yes' : 'no') },
]

/** `tidemark settings`: lists the settings in force in a running service. */
export function addSettings(program: Command, context: CliContext): void {
  const command = program
    .command('settings')
    .description("list the service's settings; secrets are not shown (needs an admin key)")
  const items = async (client: TidemarkClient) => (await client.settings()).Items
  showsList(command, context, { items, columns, none: 'There is no setting.' })
}
