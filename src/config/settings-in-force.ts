import { usualOf } from './setting.ts'
import { type Settings, settingEntries } from './settings.ts'

interface SettingInForce {
  readonly setting: string
  readonly value: string | number | boolean | string[] | null
  readonly usual: boolean
  readonly secret: boolean
  readonly allowed: string
  readonly description: string
}

function inForceOf(settings: Settings, name: string): unknown {
  return name.split('.').reduce<unknown>((tree, part) => (tree as Readonly<Record<string, unknown>>)[part], settings)
}

/** Removes the user name and password, which an address has between // and @. */
const withoutPassword = (text: string): string => text.replace(/(\w:\/\/)[^/\s]*@/g, '$1')

function shown(value: unknown): SettingInForce['value'] {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((item) => withoutPassword(String(item)))
  return withoutPassword(String(value))
}

/**
 * Every setting with the value in force, in the order of docs/configuration.md. Secrets are not shown. `unset` has the values of settings that are not
 * set and follow from other settings.
 */
export function settingsInForce(
  settings: Settings,
  unset: ReadonlyMap<string, string | number> = new Map(),
): SettingInForce[] {
  return settingEntries.map(([setting, kind]) => {
    const { secret, allowed, description } = kind
    const value = inForceOf(settings, setting)
    return {
      setting,
      value: secret ? null : value === null ? (unset.get(setting) ?? null) : shown(value),
      usual: JSON.stringify(value) === JSON.stringify(usualOf(kind, settings.small)),
      secret,
      allowed,
      description,
    }
  })
}
