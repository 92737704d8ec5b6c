// A zoneinfo folder as the source of all offsets, with the runtime's zones as the fallback.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../lib/message-of.ts'
import { SettingsError } from '../model/settings-error.ts'
import { isTzif, tzifChanges } from './tzif.ts'
import type { ZoneFiles } from './zone-rules.ts'

/** The system's zoneinfo folder, on systems that have one. */
const systemFolder = '/usr/share/zoneinfo'
/** Version of the tz database in Node.js. */
const runtimeVersion: string | undefined = process.versions['tz']

export interface TimeZones {
  /** Version of the tz database, such as `2026a`; `unknown` where none is stated. */
  readonly version: string
  /** The folder that the zones were read from; `runtime` for those of Node.js. */
  readonly source: string
}

/** Null means the runtime's zones. */
export function timeZonesOf(files: ZoneFiles | null): TimeZones {
  const { version, folder: source } = files ?? { version: runtimeVersion, folder: 'runtime' }
  return { version: version ?? 'unknown', source }
}

/**
 * Reads the zone files of `folder`. If it is empty: the system's files when they are newer than the runtime's, else null. Throws
 * SettingsError with the reason when a configured folder cannot be read.
 */
export async function readZoneFiles(folder: string, system = systemFolder): Promise<ZoneFiles | null> {
  if (folder !== '') {
    return readFolder(folder).catch((error: unknown) => {
      const what = `server.timeZones (${folder}) cannot be read as a zoneinfo folder: ${messageOf(error)}.`
      throw new SettingsError([`${what} Use a folder such as ${systemFolder}, or remove the setting.`])
    })
  }
  const version = await versionOf(system)
  if (version === null || (runtimeVersion !== undefined && version <= runtimeVersion)) return null
  return readFolder(system).catch(() => null)
}

const zoneName = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
/** Upper bounds: a folder has some hundreds of files, of some thousand bytes each. */
const filesMax = 5000
const fileBytesMax = 65_536

async function readFolder(folder: string): Promise<ZoneFiles> {
  const paths = await readdir(folder, { recursive: true })
  const names = paths.map((path) => path.replaceAll('\\', '/')).filter((name) => zoneName.test(name))
  if (names.length > filesMax) throw new Error(`it holds more than ${filesMax} files`)
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const bytes = await readFile(join(folder, name)).catch(() => null)
    if (bytes === null || bytes.length > fileBytesMax || !isTzif(bytes)) continue
    try {
      tzifChanges(bytes)
    } catch (error) {
      throw new Error(`its file ${name} cannot be read: ${messageOf(error)}`)
    }
    files.set(name.toLowerCase(), new Uint8Array(bytes))
  }
  if (files.size === 0) throw new Error('it holds no zones (TZif files)')
  return { folder, version: await versionOf(folder), files }
}

/** The version from a file next to the zones: `# version 2026a` in tzdata.zi, or the text of +VERSION. */
async function versionOf(folder: string): Promise<string | null> {
  for (const name of ['tzdata.zi', '+VERSION']) {
    const text = await readFile(join(folder, name), 'latin1').catch(() => '')
    const version = /^(?:# version )?(\d{4}[a-z]{1,2})\s/.exec(`${text.slice(0, 100)}\n`)?.[1]
    if (version !== undefined) return version
  }
  return null
}
