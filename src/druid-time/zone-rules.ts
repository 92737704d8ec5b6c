// Where all offsets of a service come from: one zoneinfo folder as it was at the start, or the runtime. Every thread and process has the same.
import { runtimeOffsets, runtimeZoneChanges, runtimeZoneName } from './runtime-zone.ts'
import { tzifChanges } from './tzif.ts'
import { ZoneChanges } from './zone-changes.ts'

/** The files of a zoneinfo folder: plain data, which threads and processes are given. */
export interface ZoneFiles {
  readonly folder: string
  /** As `2026a`, of the tz database; null where the folder does not say it. */
  readonly version: string | null
  /** By the names of the zones, in lower case. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

let inForce: ZoneFiles | null = null
/** By all spellings. Names come in any case: more spellings than zones are not kept. */
const spelled = new Map<string, ZoneChanges>()
const spellingsMax = 1000
const tables = new Map<string, ZoneChanges>()

/** Says where all offsets come from, from now on; null is the runtime. */
export function useZoneFiles(files: ZoneFiles | null): void {
  if (files === inForce) return
  inForce = files
  spelled.clear()
  tables.clear()
}

export const zoneFilesInForce = (): ZoneFiles | null => inForce

/** The offsets of a zone; null where there is none of that name. A name that the folder lacks is what the runtime says it stands for. */
export function changesOfZone(name: string): ZoneChanges | null {
  const known = spelled.get(name)
  if (known !== undefined) return known
  const found = fromFiles(name) ?? fromRuntime(name)
  if (found !== null && spelled.size < spellingsMax) spelled.set(name, found)
  return found
}

/** For a few questions about each of many zones: the whole table of one takes tens of milliseconds to make of what the runtime knows. */
export function offsetsOfZone(name: string): (ms: number) => number {
  const changes = fromFiles(name)
  return changes === null ? runtimeOffsets(name) : (ms) => changes.at(ms)
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
