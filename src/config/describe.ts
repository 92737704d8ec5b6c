import { environmentName, flagName, settingEntries } from './settings.ts'

/** One flag of `tidemark serve`; its value goes to `loadSettings` under `name`. */
export interface SettingFlag {
  readonly name: string
  /** The part of its name before the dot, empty where it has none. */
  readonly group: string
  readonly flag: string
  readonly description: string
}

/** The flags for all settings but the secret ones, for the command line's parser and its help. */
export function settingFlags(): readonly SettingFlag[] {
  return settingEntries
    .filter(([, setting]) => !setting.secret)
    .map(([name, setting]) => ({
      name,
      group: name.includes('.') ? name.split('.')[0]! : '',
      flag: flagName(name),
      description: `${setting.description} (default: ${setting.defaultText.replaceAll('`', '')})`,
    }))
}

/** The rows of the table in docs/configuration.md. */
export function settingsTable(): string {
  const rows = settingEntries.map(([name, setting]) => {
    const flag = setting.secret ? '' : ` \`${flagName(name)}\``
    const cells = [
      `\`${name}\``,
      `\`${environmentName(name)}\`${flag}`,
      /[` ]/.test(setting.defaultText) ? setting.defaultText : `\`${setting.defaultText}\``,
      setting.allowed,
      setting.description,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return ['| Setting | Variable and flag | Default | Must be | What |', '|---|---|---|---|---|', ...rows].join('\n')
}
