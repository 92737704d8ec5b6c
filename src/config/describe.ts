import { flagName, settingEntries } from './settings.ts'

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
