import { readFile } from 'node:fs/promises'
import { systemErrorText } from '../lib/system-error.ts'
import { SettingsError } from '../model/settings-error.ts'
import { loadSettings } from './load.ts'
import type { Settings } from './settings.ts'

type Words = Readonly<Record<string, string | undefined>>

/**
 * The settings for a command's flags, by name; `config` (or TIDEMARK_CONFIG) is the path of a file of settings. Throws SettingsError with all faults of
 * the settings, or if the file cannot be read.
 */
export async function readSettings({ config, ...flags }: Words, environment: Words): Promise<Settings> {
  const path = config ?? environment['TIDEMARK_CONFIG']
  const file = path === undefined || path === '' ? null : { path, text: await readConfig(path) }
  return loadSettings({ flags, environment, file })
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new SettingsError([
      `The file of settings ${path} (from --config or TIDEMARK_CONFIG) cannot be read: ${systemErrorText(error)}.`,
    ])
  }
}
