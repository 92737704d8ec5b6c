import { type Command, Option } from 'commander'
import { settingFlags } from '../config/describe.ts'
import type { CliContext } from './context.ts'

const examples = `
Examples:
  tidemark serve
  tidemark serve --host 0.0.0.0 --port 80 --data /var/lib/tidemark
  TIDEMARK_ADMIN_KEY=... tidemark serve --config tidemark.json

The first start prints an admin key, once, unless TIDEMARK_ADMIN_KEY gives one.
Every flag but --config can come from the environment too: --limits-result-rows is TIDEMARK_LIMITS_RESULT_ROWS, and in the
file of --config {"limits": {"resultRows": ...}}. A flag goes before the environment, the environment before the file.
SECURITY.md says what to mind before the service listens beyond this machine.
`

/** `tidemark serve`: the service in this process, until a signal ends it. */
export function addServe(program: Command, context: CliContext): void {
  const command = program.command('serve').description('run the service')
  const settings = settingFlags().map(({ name, flag, description }) => {
    const option = new Option(`${flag} <value>`, description)
    command.addOption(option)
    return { name, attribute: option.attributeName() }
  })
  command
    .option('--config <file>', 'a JSON file of settings')
    .addHelpText('after', examples)
    .action(async (options: Readonly<Record<string, string | undefined>>) => {
      const flags: Record<string, string> = {}
      for (const { name, attribute } of [...settings, { name: 'config', attribute: 'config' }]) {
        const value = options[attribute]
        if (value !== undefined) flags[name] = value
      }
      // Loaded here, so that the other commands start without the service's parts.
      const { serve } = await import('../service/serve.ts')
      context.exitWith(await serve({ flags, environment: context.environment }))
    })
}
