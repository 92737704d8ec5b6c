// Where all offsets of a service come from: one zoneinfo folder as it was at the start, or the runtime. Every thread and process has the same.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../lib/message-of.ts'
import { runtimeZoneChanges, runtimeZoneName } from './runtime-zone.ts'
import { isTzif, tzifChanges } from './tzif.ts'
import { ZoneChanges } from './zone-changes.ts'

/** The files of a zoneinfo folder: plain data, which threads and processes are given. */
export interface ZoneFiles {
  readonly folder: string
  /** As `2026a`, of the tz database; null where the folder does not say it. */
  readonly version: string | null
  /** By the names of the zones, in lower case. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface ZoneRules {
  /** Of the tz database. */
  readonly version: string
  /** The folder; `runtime` for Node's own. */
  readonly source: string
}

/** The folder of a system that has one. */
export const systemFolder = '/usr/share/zoneinfo'

let inForce: ZoneFiles | null = null
/** By all spellings. Names come in any case: more spellings than zones are not kept. */
const spelled = new Map<string, ZoneChanges>()
const spellingsMax = 1000
const tables = new Map<string, ZoneChanges>()

/** Says where all offsets come from, from now on; null is the runtime. */
export function useZoneFiles(files: ZoneFiles | null): void {
  inForce = files
  spelled.clear()
  tables.clear()
}

export const zoneFilesInForce = (): ZoneFiles | null => inForce

export function zoneRules(): ZoneRules {
  return inForce === null
    ? { version: runtimeVersion ?? 'unknown', source: 'runtime' }
    : { version: inForce.version ?? 'unknown', source: inForce.folder }
}

const runtimeVersion: string | undefined = process.versions['tz']

/** The offsets of a zone; null where there is none of that name. A name that the folder lacks is what the runtime says it stands for. */
export function changesOfZone(name: string): ZoneChanges | null {
  const known = spelled.get(name)
  if (known !== undefined) return known
  const found = fromFiles(name) ?? fromRuntime(name)
  if (found !== null && spelled.size < spellingsMax) spelled.set(name, found)
  return found
}

function fromFiles(name: string): ZoneChanges | null {
  const key = name.toLowerCase()
  const bytes = inForce?.files.get(key)
  return bytes === undefined ? null : table(key, () => new ZoneChanges(tzifChanges(bytes)))
}

function fromRuntime(name: string): ZoneChanges | null {
  const known = runtimeZoneName(name)
  if (known === null) return null
  return fromFiles(known) ?? table(known, () => new ZoneChanges(runtimeZoneChanges(known)))
}

function table(key: string, make: () => ZoneChanges): ZoneChanges {
  const found = tables.get(key) ?? make()
  tables.set(key, found)
  return found
}

/**
 * The files of `folder`. Of the system's where none is named, and it is newer than the runtime; else null. Throws an Error that says what is
 * wrong with a folder that was named.
 */
export async function readZoneFiles(folder: string): Promise<ZoneFiles | null> {
  if (folder !== '') return readFolder(folder)
  const version = await versionOf(systemFolder)
  if (version === null || (runtimeVersion !== undefined && version <= runtimeVersion)) return null
  try {
    return await readFolder(systemFolder)
  } catch {
    return null
  }
}

const zoneName = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
/** There are some hundreds, of some thousand bytes. */
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

/** As the files say it that lie beside the zones: `# version 2026a` of tzdata.zi, or the text of +VERSION. */
async function versionOf(folder: string): Promise<string | null> {
  for (const name of ['tzdata.zi', '+VERSION']) {
    const text = await readFile(join(folder, name), 'latin1').catch(() => '')
    const version = /^(?:# version )?(\d{4}[a-z]{1,2})\s/.exec(`${text.slice(0, 100)}\n`)?.[1]
    if (version !== undefined) return version
  }
  return null
}
