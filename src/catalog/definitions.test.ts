import { expect, test, vi } from 'vitest'
import type { Ingest } from '../model/ingest.ts'
import type { IngestCatalog } from './catalog.ts'
import { Definitions } from './definitions.ts'

function ingestOf(alias: string): Ingest {
  return {
    id: 1,
    alias,
    kind: 'series',
    entity: 'e',
    entityId: 1,
    fields: [],
    fieldsVersion: 1,
    duplicates: 'keep',
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}

/** A catalog of these ingests, in order; `beforeEntities` delays the last read of a refresh. */
function catalogOf(state: {
  version: number
  aliases: readonly string[]
  beforeEntities?: Promise<void> | undefined
}): IngestCatalog {
  const unused = async (): Promise<never> => {
    throw new Error('definitions only list')
  }
  return {
    create: unused,
    find: unused,
    findVersion: unused,
    findOpen: unused,
    addByRow: unused,
    change: unused,
    delete: unused,
    setReading: unused,
    retain: unused,
    list: async ({ after, limit }) => {
      const rest = state.aliases.filter((alias) => after === null || alias > after)
      return rest.slice(0, limit).map(ingestOf)
    },
    entities: async () => {
      const { aliases, beforeEntities } = state
      await beforeEntities
      return [{ id: 1, name: 'e', fields: [], duplicates: 'keep', ingests: aliases, retention: null, sinceMs: null }]
    },
    metadataEntities: async () => [],
    version: async () => state.version,
  }
}

test.each([0, 1, 999, 1000, 1001, 2500])('contains all of %i ingests', async (count) => {
  const aliases = Array.from({ length: count }, (_, index) => `i${String(index).padStart(4, '0')}`)
  const definitions = await Definitions.open(catalogOf({ version: 1, aliases }))
  expect(aliases.filter((alias) => definitions.ingest(alias)?.alias !== alias)).toEqual([])
  expect(definitions.ingest('i9999')).toBeUndefined()
  expect(definitions.entity('e')?.ingests).toEqual(aliases)
  expect(definitions.entities()).toHaveLength(1)
})

test('a refresh that finishes late does not restore older definitions', async () => {
  const state: Parameters<typeof catalogOf>[0] = { version: 1, aliases: ['old'] }
  const definitions = await Definitions.open(catalogOf(state))
  let release: (() => void) | undefined
  state.beforeEntities = new Promise<void>((resolve) => {
    release = resolve
  })
  const late = definitions.refresh()
  await new Promise(setImmediate)
  Object.assign(state, { version: 2, aliases: ['new'], beforeEntities: undefined })
  await definitions.refresh()
  release?.()
  await late
  expect([definitions.ingest('old')?.alias, definitions.ingest('new')?.alias]).toEqual([undefined, 'new'])
})

test('a failed refresh is retried automatically until it succeeds', async () => {
  vi.useFakeTimers()
  const state: Parameters<typeof catalogOf>[0] = { version: 1, aliases: ['old'] }
  const definitions = await Definitions.open(catalogOf(state))
  Object.assign(state, { version: 2, aliases: ['new'], beforeEntities: Promise.reject(new Error('away')) })
  await expect(definitions.refresh()).rejects.toThrow('away')
  await vi.advanceTimersByTimeAsync(5000)
  expect(definitions.ingest('new')).toBeUndefined()
  state.beforeEntities = undefined
  await vi.advanceTimersByTimeAsync(1000)
  expect([definitions.ingest('old')?.alias, definitions.ingest('new')?.alias]).toEqual([undefined, 'new'])
  vi.useRealTimers()
})
