import type { Reach } from '../../../observe/crash-point.ts'
import type { Observe } from '../../../observe/event.ts'
import { type RewrittenFiles, rewriteFiles } from '../deletions/rewrite-files.ts'
import { baseOf, VisibleFile } from '../deletions/visible-file.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import { keepHours } from '../hours/keep-hours.ts'
import type { SealedFile, StoredFolder } from '../reading/sealed-source.ts'
import { defaultMergeRules } from '../sealing/choose-merge.ts'
import type { Attempts } from './attempts.ts'
import type { Expiry } from './expiry.ts'
import type { ExpiringFiles } from './hour-conversions.ts'
import { MergeChoice } from './merge-choice.ts'
import { Preempted, PreemptiblePacer } from './preemption.ts'
import type { Removals } from './removals.ts'

export interface MergeParts {
  readonly store: EmbeddedStore
  readonly folder: StoredFolder
  /** Whether the rows of a deletion are to be removed permanently. */
  readonly isErased: (deletionId: number) => boolean
  readonly removals: Removals
  readonly expiry: Pick<Expiry, 'goneMs' | 'keptRules' | 'keptRulesNow'>
  readonly settings: { readonly dayRowsMin: number; readonly fileRowsMax: number }
  readonly attempts: Attempts
  /** Called at each rest of a merge of the entity's files; throws Preempted when the merge is to be restarted later. */
  readonly runDue: (entityId: number) => Promise<void>
  /** The current files of the store. */
  readonly files: () => readonly SealedFile[]
  /** Called when the manifest and readers have these files instead of the merged ones. */
  readonly exchange: (merged: readonly SealedFile[], files: readonly SealedFile[]) => void
  readonly observe: Observe
  readonly reach: Reach
  readonly signal: AbortSignal
  readonly changed: () => void
}

export type MergeOutcome = 'merged' | 'failed' | 'gave way'

/** The longest time for which a merge may block queries and the pipeline. */
const sliceMs = 2
/** New rows wait while this many files are to be merged: eight times the number at which a merge is due. */
const waitingMax = 32

/** Rewrites files of an entity: small ones into one, one without its expired or erased rows, or rows into hours. */
export class Merges {
  readonly #parts: MergeParts
  readonly #choice: MergeChoice
  /** Aborted when rows are frozen, so that they do not wait for the retry of a merge. */
  #hurry = new AbortController()

  constructor(parts: MergeParts) {
    this.#parts = parts
    // Files too small to be day files count as small here too.
    const { dayRowsMin: smallFileRows, fileRowsMax } = parts.settings
    this.#choice = new MergeChoice({ ...defaultMergeRules, smallFileRows, fileRowsMax })
  }

  /** Files that a merge could not read. */
  get damaged(): ReadonlySet<SealedFile> {
    return this.#choice.damaged
  }

  /** The files to be merged next; null when there are none. */
  choose(): readonly SealedFile[] | null {
    return this.#choice.choose(this.#parts.files().filter((file) => this.#mayMerge(file)))
  }

  /** Whether so many files are to be merged that new rows wait: each file costs memory, and time in every query. */
  get areBehind(): boolean {
    return this.#choice.waiting(this.#parts.files().filter((file) => this.#mayMerge(file))) >= waitingMax
  }

  /** A merge combines rows that replace each other, after which deleted ones could not be restored. */
  #mayMerge(file: SealedFile): boolean {
    return !(file instanceof VisibleFile) || this.#parts.store.registry(file.info.entityId).columns.replaced === null
  }

  /** Returns a function that checks whether more files are to be merged than these, which are being merged. */
  #isOtherDue(merged: readonly SealedFile[]): () => boolean {
    let files: readonly SealedFile[] | null = null
    let isDue = false
    return () => {
      if (files === this.#parts.files()) return isDue
      files = this.#parts.files()
      isDue = this.#choice.waiting(files.filter((file) => !merged.includes(file) && this.#mayMerge(file))) > 0
      return isDue
    }
  }

  /** Ends the delay after a failed merge, because other work waits. */
  hurry(): void {
    this.#hurry.abort()
  }

  /** Merges once; the next choice may differ. */
  run(merged: readonly SealedFile[]): Promise<MergeOutcome> {
    return this.#run(merged, () => this.#write(merged))
  }

  /** Replaces expiring rows by their hours. */
  keepHours({ entityId, files, untilMs }: ExpiringFiles): Promise<MergeOutcome> {
    const kept = this.#parts.expiry.keptRules(entityId)
    if (kept === null) return Promise.resolve('gave way')
    return this.#run(files, async () => {
      const rules = await this.#parts.expiry.keptRulesNow(kept)
      return keepHours(files, { ...this.#writing(entityId, files), kept: rules, untilMs })
    })
  }

  async #run(merged: readonly SealedFile[], write: () => Promise<RewrittenFiles>): Promise<MergeOutcome> {
    const { store, attempts, reach, observe, changed, removals, exchange } = this.#parts
    const startedMs = performance.now()
    this.#hurry = new AbortController()
    const written = await attempts.once('mergeFailed', () => this.#tryWrite(merged, write), this.#hurry.signal)
    if (written === null) return 'failed'
    if (written === 'gave way') return written
    const { files, vectors } = written
    const add = files.map((file) => baseOf(file).info)
    const remove = merged.map((file) => baseOf(file).info)
    if (!(await attempts.commit({ add, remove, registries: [], vectors, seal: null }))) return 'failed'
    reach('merge-manifest-committed')
    store.switchFiles({ add: files, remove: merged, frozen: null, gone: removals.ofFiles(merged) })
    exchange(merged, files)
    reach('merge-readers-switched')
    const { entityId } = remove[0]!
    const rows = add.reduce((sum, info) => sum + info.rows, 0)
    const sizes = { merged: merged.length, files: files.length, rows, bytes: sizeOf(files) }
    observe({ kind: 'merged', entityId, ...sizes, ms: performance.now() - startedMs })
    changed()
    return 'merged'
  }

  async #tryWrite(
    merged: readonly SealedFile[],
    write: () => Promise<RewrittenFiles>,
  ): Promise<RewrittenFiles | 'gave way'> {
    try {
      return await write()
    } catch (error) {
      if (error instanceof Preempted) return 'gave way'
      this.#choice.failed(merged, error)
      throw error
    }
  }

  #write(merged: readonly SealedFile[]): Promise<RewrittenFiles> {
    const { entityId, kind } = merged[0]!.info
    // The day of the file may have expired since the file was chosen; then the file is deleted next.
    const sinceMs = kind === 'day' ? null : this.#parts.expiry.goneMs(entityId)
    const writing = this.#writing(entityId, merged)
    return rewriteFiles(merged, { ...writing, registry: writing.registry.of({ kind }), sinceMs })
  }

  #writing(entityId: number, merged: readonly SealedFile[]) {
    const { store, folder, settings, signal, reach, runDue, isErased, removals } = this.#parts
    const isPressing = this.#isOtherDue(merged)
    const pacer = new PreemptiblePacer({ sliceMs, signal, isPressing }, () => runDue(entityId))
    const { dayRowsMin } = settings
    const remove = (file: SealedFile): void => removals.remove(file)
    return { registry: store.registry(entityId), folder, dayRowsMin, pacer, reach, isErased, remove }
  }
}

/** Bytes of the files and their indexes. */
export function sizeOf(files: readonly SealedFile[]): number {
  return files.reduce((sum, { info }) => sum + info.bytes + info.indexBytes, 0)
}
