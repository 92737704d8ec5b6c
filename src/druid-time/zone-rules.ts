// The source of a service's offsets: one zoneinfo folder as read at startup, or the runtime. Every thread and process uses the same source.
import { runtimeOffsets, runtimeZoneChanges, runtimeZoneName } from './runtime-zone.ts'
import { tzifChanges } from './tzif.ts'
import { ZoneChanges } from './zone-changes.ts'

/** The files of a zoneinfo folder: plain data, which is sent to threads and processes. */
export interface ZoneFiles {
  readonly folder: string
  /** Version of the tz database, such as `2026a`; null where the folder does not state it. */
  readonly version: string | null
  /** Contents by zone name, in lower case. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

let inForce: ZoneFiles | null = null
/** By spelling. Names may be in any case, so the number of spellings kept is limited to somewhat more than there are zones. */
const spelled = new Map<string, ZoneChanges>()
const spellingsMax = 1000
const tables = new Map<string, ZoneChanges>()

/** Sets the source of all offsets from now on; null is the runtime. */
export function useZoneFiles(files: ZoneFiles | null): void {
  if (files === inForce) return
  inForce = files
  spelled.clear()
  tables.clear()
}

export const zoneFilesInForce = (): ZoneFiles | null => inForce

/** The offsets of a zone; null when the name is unknown. A name that the folder lacks is replaced by the runtime's canonical name for it. */
export function changesOfZone(name: string): ZoneChanges | null {
  const known = spelled.get(name)
  if (known !== undefined) return known
  const found = fromFiles(name) ?? fromRuntime(name)
  if (found !== null && spelled.size < spellingsMax) spelled.set(name, found)
  return found
}

/** For a few lookups in each of many zones: building one zone's whole table from the runtime takes tens of milliseconds. */
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
