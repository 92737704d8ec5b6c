import { type Command, Option } from 'commander'
import { type SettingFlag, settingFlags, settingGroups } from '../config/describe.ts'
import { ignoredVariables } from '../config/load.ts'
import type { CliContext } from './context.ts'
import { printNote } from './output.ts'

const examples = `
Examples:
  tidemark serve
  tidemark serve --host 0.0.0.0 --port 80 --data /var/lib/tidemark
  TIDEMARK_ADMIN_KEY=... tidemark serve --config tidemark.json

The first start prints an admin key, once, unless TIDEMARK_ADMIN_KEY gives one.

Every flag except --config has an environment variable and a place in the file of --config: --limits-result-rows is
TIDEMARK_LIMITS_RESULT_ROWS and {"limits": {"resultRows": ...}}. A flag overrides the environment, and the environment the file.

Read SECURITY.md before other machines can reach the service.
`

/** Settings that are useful at a first start. `--help-all` lists the others. */
const shown = new Set(['host', 'port', 'data', 'access.consumption', 'log.level'])

function groupsText(flags: readonly SettingFlag[]): string {
  const lines = [...settingGroups]
    .filter(([group]) => group !== '')
    .map(([group, about]) => `  ${`--${group}-...`.padEnd(16)}${about}`)
  return `\nGroups of settings (--help-all lists all ${flags.length}):\n${lines.join('\n')}\n`
}

function titleOf(group: string): string {
  return group === '' ? 'Options:' : `${group}: ${settingGroups.get(group)}`
}

/** `tidemark serve`: runs the service in this process until a signal ends it. */
export function addServe(program: Command, context: CliContext): void {
  const command = program.command('serve').description('run the service')
  const flags = settingFlags()
  const settings = flags.map(({ name, group, flag, description }) => {
    const option = new Option(`${flag} <value>`, description)
    command.addOption(option)
    return { name, group, option }
  })
  const all = new Option('--help-all', 'list all settings')
  command
    .option('--config <file>', 'a JSON file of settings')
    .addOption(all)
    .addHelpText('after', () => (all.hidden ? examples : `${groupsText(flags)}${examples}`))
    // Hidden only for the help: a misspelled option is compared only with options that are not hidden.
    .on('beforeHelp', () => {
      for (const { name, option } of settings) option.hideHelp(!all.hidden && !shown.has(name))
    })
    .on('option:help-all', () => {
      for (const { group, option } of settings) option.helpGroup(titleOf(group))
      all.hideHelp()
      command.help()
    })
    .action(async (options: Readonly<Record<string, string | undefined>>) => {
      const given: Record<string, string> = {}
      for (const { name, attribute } of [
        ...settings.map(({ name, option }) => ({ name, attribute: option.attributeName() })),
        { name: 'config', attribute: 'config' },
      ]) {
        const value = options[attribute]
        if (value !== undefined) given[name] = value
      }
      for (const sentence of ignoredVariables(context.environment)) printNote(context, sentence)
      // Loaded here, so that other commands start without loading the service.
      const { serve } = await import('../service/serve.ts')
      context.exitWith(await serve({ flags: given, environment: context.environment }))
    })
}
