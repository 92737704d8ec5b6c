// An in-memory catalog with what the store needs: each change is made entirely or not at all, and is durable. A failed change may turn out to have been
// made after the process ends, unless another one has replaced it, as with a database whose log could not be fsynced.
import type { DroppedCatalog, IngestCatalog, OutcomeCatalog } from '../../src/catalog/catalog.ts'
import type { DeletionCatalog } from '../../src/catalog/deletions.ts'
import type { Manifest, ManifestCatalog, ManifestChange, StoreFileKey } from '../../src/catalog/manifest.ts'
import type { RejectedRow } from '../../src/catalog/rejected.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import type { Random } from '../support/random.ts'
import type { SimulatedDisk } from '../support/simulated-disk.ts'

interface State {
  readonly manifest: Manifest
  readonly journalEnd: number | null
  readonly rejected: readonly RejectedRow[]
  readonly validatedPosition: number
}

/** The catalog as one thread uses it. */
export interface CatalogConnection {
  readonly manifest: ManifestCatalog
  readonly outcomes: OutcomeCatalog
  readonly ingests: Pick<IngestCatalog, 'findVersion' | 'entities'>
  readonly dropped: DroppedCatalog
  readonly deletions: DeletionCatalog
}

/** The catalog across all lives of a service. */
export interface CatalogOnDisk {
  readonly manifest: Manifest
  connect(ended: AbortSignal): CatalogConnection
}

export class SimulatedCatalog implements CatalogOnDisk {
  readonly #disk: SimulatedDisk
  readonly #random: Random
  readonly #ingests: readonly Ingest[]
  #state: State = {
    manifest: { sealedPosition: 0, files: [], registries: [], counts: [] },
    journalEnd: null,
    rejected: [],
    validatedPosition: 0,
  }
  #unsure: State | null = null

  constructor(disk: SimulatedDisk, random: Random, ingests: readonly Ingest[]) {
    this.#disk = disk
    this.#random = random
    this.#ingests = ingests
  }

  get manifest(): Manifest {
    return this.#state.manifest
  }

  get rejected(): readonly RejectedRow[] {
    return this.#state.rejected
  }

  /** Marks the end of the process. */
  end(): void {
    if (this.#unsure !== null && this.#random.below(2) === 0) this.#state = this.#unsure
    this.#unsure = null
  }

  connect(ended: AbortSignal): CatalogConnection {
    const run = this.#disk.committer(ended)
    const commit = async (change: (state: State) => State): Promise<void> => {
      const before = this.#state
      try {
        await run(() => {
          this.#state = change(this.#state)
          this.#unsure = null
        })
      } catch (error) {
        if (isFault(error)) this.#unsure = change(before)
        throw error
      }
    }
    return {
      manifest: {
        load: async () => this.#state.manifest,
        commit: (made) =>
          commit((state) => noted({ ...state, manifest: changedBy(state.manifest, made) }, made.seal?.journalEnd)),
        settle: () => commit((state) => state),
        journalEnd: async () => this.#state.journalEnd,
        noteJournalEnd: (position) => commit((state) => noted(state, position)),
        drop: notSimulated,
      },
      deletions: noDeletions,
      outcomes: {
        add: ({ rejected }, throughPosition) => commit((state) => kept(state, rejected, throughPosition)),
        replay: notSimulated,
        storedBy: notSimulated,
        rejectedIn: async (ingestId, from, to) =>
          this.#state.rejected
            .filter((row) => row.ingestId === ingestId && row.position >= from && row.position < to)
            .map(({ position }) => position),
        validatedPosition: async () => this.#state.validatedPosition,
      },
      ingests: {
        findVersion: async (id, version) =>
          this.#ingests.find((ingest) => ingest.id === id && ingest.fieldsVersion === version) ?? null,
        entities: async () => [],
      },
      dropped: { list: async () => [], remove: notSimulated },
    }
  }
}

/** Whether an error results from a fault that the history injected into the disk. */
export function isFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isFaultText(error.message) || isFault(error.cause)
}

/** The same for the text of an error. */
export function isFaultText(message: string): boolean {
  return /(EIO|ENOSPC): simulated/.test(message)
}

export function changedBy(manifest: Manifest, { add, remove, registries, seal }: ManifestChange): Manifest {
  const sealedPosition = seal?.position ?? manifest.sealedPosition
  if (sealedPosition < manifest.sealedPosition) throw new Error('the sealed position would go back')
  const left = without(manifest.files, remove, fileKey)
  if (left.length !== manifest.files.length - remove.length) throw new Error('a file to be removed is not there')
  if (without(left, add, fileKey).length < left.length) throw new Error('a file to be added is there already')
  const counts = seal?.counts ?? []
  return {
    sealedPosition,
    files: [...left, ...add].sort((one, other) => (fileKey(one) < fileKey(other) ? -1 : 1)),
    registries: [...without(manifest.registries, registries, ({ entityId }) => String(entityId)), ...registries],
    counts: [...without(manifest.counts, counts, ({ ingestId }) => String(ingestId)), ...counts],
  }
}

/** Records a position; it never decreases. */
export function noted<State extends { readonly journalEnd: number | null }>(state: State, position = -1): State {
  const standing = state.journalEnd ?? -1
  return position > standing ? { ...state, journalEnd: position } : state
}

function fileKey({ entityId, name }: StoreFileKey): string {
  return `${entityId}/${name}`
}

function without<One extends Other, Other>(
  all: readonly One[],
  left: readonly Other[],
  keyOf: (one: Other) => string,
): One[] {
  const keys = new Set(left.map(keyOf))
  return all.filter((one) => !keys.has(keyOf(one)))
}

/** Adds rejected rows; those that were kept before stay unchanged. */
function kept(state: State, rejected: readonly RejectedRow[], throughPosition: number): State {
  const known = new Set(state.rejected.map(({ position }) => position))
  return {
    ...state,
    rejected: [...state.rejected, ...rejected.filter(({ position }) => !known.has(position))],
    validatedPosition: Math.max(state.validatedPosition, throughPosition),
  }
}

export const noDeletions: DeletionCatalog = {
  list: async () => [],
  all: async () => [],
  vectors: async () => [],
  create: notSimulated,
  takeBack: notSimulated,
  erase: notSimulated,
  changes: async () => [],
  lastChange: async () => 0,
  hasChanged: async () => false,
  forgetChanges: notSimulated,
}

function notSimulated(): never {
  throw new Error('this is not simulated')
}
