// An in-memory catalog with what replays, discards, drops and retention need. As in simulated-catalog.ts each change is made entirely or not at all, and a
// failed change may turn out to have been made after the process ends.
import type { DroppedEntity, IngestCatalog, ReplayedRows, ReplayOutcome } from '../../src/catalog/catalog.ts'
import type { Manifest } from '../../src/catalog/manifest.ts'
import type { RejectedCatalog, RejectedRow } from '../../src/catalog/rejected.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { Duplicates, Ingest } from '../../src/model/ingest.ts'
import type { Random } from '../support/random.ts'
import type { SimulatedDisk } from '../support/simulated-disk.ts'
import { type CatalogConnection, changedBy, isFault, noDeletions, noted } from './simulated-catalog.ts'

interface KeptRow {
  readonly row: RejectedRow
  readonly state: 'kept' | 'discarded' | 'stored'
  readonly replayPosition: number | null
}

interface State {
  readonly journalEnd: number | null
  readonly manifest: Manifest
  /** By position, in ascending order. */
  readonly rejected: ReadonlyMap<number, KeptRow>
  readonly validatedPosition: number
  /** Every version of each ingest. */
  readonly ingests: readonly Ingest[]
  readonly entities: readonly Entity[]
  readonly dropped: readonly DroppedEntity[]
}

/** A change of the state, with its result. */
type Change<T> = (state: State) => readonly [after: State, answer: T]

/** The operations of the operator. */
export interface OperatorCatalog {
  readonly rejected: Pick<RejectedCatalog, 'list' | 'fates' | 'discard'>
  readonly ingests: Pick<IngestCatalog, 'entities' | 'retain'>
  create(ingest: Pick<Ingest, 'id' | 'entityId'>, duplicates: Duplicates): Promise<void>
  addField(ingestId: number, field: Field): Promise<void>
  drop(entityId: number): Promise<void>
}

const firstFields: readonly Field[] = [
  { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'T', type: 'string', role: 'tag' },
  { name: 'V', source: 'V', type: 'double', role: 'metric' },
]

export class LifecycleCatalog {
  readonly #disk: SimulatedDisk
  readonly #random: Random
  #state: State = {
    manifest: { sealedPosition: 0, files: [], registries: [], counts: [] },
    rejected: new Map(),
    validatedPosition: 0,
    ingests: [],
    entities: [],
    dropped: [],
    journalEnd: null,
  }
  #unsure: State | null = null

  constructor(disk: SimulatedDisk, random: Random) {
    this.#disk = disk
    this.#random = random
  }

  get manifest(): Manifest {
    return this.#state.manifest
  }

  /** Positions of the rows in the rejected list. */
  get keptPositions(): ReadonlySet<number> {
    const rows = [...this.#state.rejected.values()]
    return new Set(rows.filter(({ state }) => state === 'kept').map(({ row }) => row.position))
  }

  /** Ids of the ingests that have rejected rows in any state. */
  get rejectedIngests(): ReadonlySet<number> {
    return new Set([...this.#state.rejected.values()].map(({ row }) => row.ingestId))
  }

  /** The newest version of an ingest; null where it was dropped. */
  ingest(id: number): Ingest | null {
    return this.#state.ingests.findLast((ingest) => ingest.id === id) ?? null
  }

  get entities(): readonly Entity[] {
    return this.#state.entities
  }

  /** Marks the end of the process. */
  end(): void {
    if (this.#unsure !== null && this.#random.below(2) === 0) this.#state = this.#unsure
    this.#unsure = null
  }

  connect(ended: AbortSignal): CatalogConnection {
    const commit = this.#committer(ended)
    return {
      manifest: {
        load: async () => this.#state.manifest,
        commit: (made) =>
          commit(
            onState((state) => noted({ ...state, manifest: changedBy(state.manifest, made) }, made.seal?.journalEnd)),
          ),
        journalEnd: async () => this.#state.journalEnd,
        noteJournalEnd: (position) => commit(onState((state) => noted(state, position))),
        settle: () => commit(onState((state) => state)),
        drop: (entityId) => commit(onState((state) => ({ ...state, manifest: without(state.manifest, entityId) }))),
      },
      deletions: noDeletions,
      outcomes: {
        add: ({ rejected }, throughPosition) => commit(onState((state) => kept(state, rejected, throughPosition))),
        replay: (outcome) => commit((state) => replayed(state, outcome)),
        storedBy: async () => [],
        rejectedIn: async (ingestId, from, to) =>
          [...this.#state.rejected.values()]
            .map(({ row }) => row)
            .filter((row) => row.ingestId === ingestId && row.position >= from && row.position < to)
            .map(({ position }) => position),
        validatedPosition: async () => this.#state.validatedPosition,
      },
      ingests: {
        findVersion: async (id, version) =>
          this.#state.ingests.find((ingest) => ingest.id === id && ingest.fieldsVersion === version) ?? null,
        entities: async () => this.#state.entities,
      },
      dropped: {
        list: async () => this.#state.dropped,
        remove: async (entityId) => {
          await commit(onState((state) => removed(state, entityId)))
          return true
        },
      },
    }
  }

  operator(ended: AbortSignal): OperatorCatalog {
    const commit = this.#committer(ended)
    return {
      rejected: {
        list: async (ingestId, { positions, afterPosition, limit }) => {
          const rows = keptOf(this.#state, ingestId).filter(
            ({ position }) => position > afterPosition && (positions?.includes(position) ?? true),
          )
          return { rows: rows.slice(0, limit), after: rows.length > limit ? rows[limit - 1]!.position : null }
        },
        fates: async (_, positions) => {
          const states = positions.map((position) => this.#state.rejected.get(position)?.state)
          const count = (wanted: KeptRow['state']): number => states.filter((state) => state === wanted).length
          return { stored: count('stored'), rejected: count('kept') }
        },
        discard: (ingestId, positions) => commit((state) => discarded(state, ingestId, positions)),
      },
      ingests: {
        entities: async () => this.#state.entities,
        retain: (id, retention) =>
          commit((state) => [
            { ...state, entities: state.entities.map((one) => (one.id === id ? { ...one, ...retention } : one)) },
            state.entities.some((one) => one.id === id),
          ]),
      },
      create: (ingest, duplicates) => commit(onState((state) => created(state, ingest, duplicates))),
      addField: (ingestId, field) =>
        commit(
          onState((state) => {
            const last = state.ingests.findLast(({ id }) => id === ingestId)!
            const next = { ...last, fields: [...last.fields, field], fieldsVersion: last.fieldsVersion + 1 }
            return { ...state, ingests: [...state.ingests, next] }
          }),
        ),
      drop: (entityId) => commit(onState((state) => dropped(state, entityId))),
    }
  }

  #committer(ended: AbortSignal): <T>(change: Change<T>) => Promise<T> {
    const run = this.#disk.committer(ended)
    return async (change) => {
      const before = this.#state
      try {
        return await run(() => {
          const [after, answer] = change(this.#state)
          this.#state = after
          this.#unsure = null
          return answer
        })
      } catch (error) {
        if (isFault(error)) this.#unsure = change(before)[0]
        throw error
      }
    }
  }
}

function onState(change: (state: State) => State): Change<void> {
  return (state) => [change(state), undefined]
}

function keptOf({ rejected }: State, ingestId: number): readonly RejectedRow[] {
  const rows = [...rejected.values()].filter(({ row, state }) => row.ingestId === ingestId && state === 'kept')
  return rows.map(({ row }) => row).sort((one, other) => one.position - other.position)
}

/** Adds rejected rows; those that were kept before stay unchanged. */
function kept(state: State, rows: readonly RejectedRow[], throughPosition: number): State {
  const rejected = new Map(state.rejected)
  for (const row of rows) {
    if (rejected.has(row.position) || isOfDropped(state, row.ingestId)) continue
    rejected.set(row.position, { row, state: 'kept', replayPosition: null })
  }
  return { ...state, rejected, validatedPosition: Math.max(state.validatedPosition, throughPosition) }
}

function replayed(state: State, outcome: ReplayOutcome): readonly [State, ReplayedRows] {
  if (isOfDropped(state, outcome.ingestId)) return [state, { stored: [], taken: 0 }]
  const rejected = new Map(state.rejected)
  let taken = 0
  for (const position of outcome.passed) {
    const row = rejected.get(position)
    if (row?.state !== 'kept') continue
    rejected.set(position, { ...row, state: 'stored', replayPosition: outcome.position })
    taken++
  }
  const stored = outcome.passed.filter((position) => rejected.get(position)?.replayPosition === outcome.position)
  return [
    { ...state, rejected },
    { stored, taken },
  ]
}

function discarded(state: State, ingestId: number, positions: readonly number[] | null): readonly [State, number] {
  const rejected = new Map(state.rejected)
  const chosen = keptOf(state, ingestId).filter(({ position }) => positions?.includes(position) ?? true)
  for (const { position } of chosen) rejected.set(position, { ...rejected.get(position)!, state: 'discarded' })
  return [{ ...state, rejected }, chosen.length]
}

function created(state: State, { id, entityId }: Pick<Ingest, 'id' | 'entityId'>, duplicates: Duplicates): State {
  const name = `entity${entityId}`
  const ingest: Ingest = {
    id,
    alias: `ingest${id}`,
    kind: 'series',
    entity: name,
    entityId,
    fields: firstFields,
    fieldsVersion: 1,
    duplicates,
    state: 'active',
    reason: null,
    createdMs: 0,
  }
  const known = state.entities.some((one) => one.id === entityId)
  const fields = firstFields.map((field) => ({ name: field.name, type: field.type, role: field.role }))
  const entity: Entity = { id: entityId, name, fields, duplicates, ingests: [], retention: null, sinceMs: null }
  return {
    ...state,
    ingests: [...state.ingests, ingest],
    entities: known ? state.entities : [...state.entities, entity],
  }
}

function dropped(state: State, entityId: number): State {
  const ids = new Set(state.ingests.filter((ingest) => ingest.entityId === entityId).map(({ id }) => id))
  return {
    ...state,
    ingests: state.ingests.filter(({ id }) => !ids.has(id)),
    entities: state.entities.filter(({ id }) => id !== entityId),
    dropped: [...state.dropped, { entityId, ingestIds: [...ids], isRemoved: false }],
  }
}

function removed(state: State, entityId: number): State {
  const ids = new Set(state.dropped.find((one) => one.entityId === entityId)?.ingestIds)
  return {
    ...state,
    rejected: new Map([...state.rejected].filter(([, { row }]) => !ids.has(row.ingestId))),
    dropped: state.dropped.map((one) => (one.entityId === entityId ? { ...one, isRemoved: true } : one)),
  }
}

function isOfDropped({ dropped }: State, ingestId: number): boolean {
  return dropped.some(({ ingestIds }) => ingestIds.includes(ingestId))
}

function without(manifest: Manifest, entityId: number): Manifest {
  const isOther = (one: { readonly entityId: number }): boolean => one.entityId !== entityId
  return { ...manifest, files: manifest.files.filter(isOther), registries: manifest.registries.filter(isOther) }
}
