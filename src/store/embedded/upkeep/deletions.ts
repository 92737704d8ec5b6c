import type { DeletionCatalog } from '../../../catalog/deletions.ts'
import { messageOf } from '../../../lib/message-of.ts'
import { timerMs } from '../../../lib/timer.ts'
import type {
  Deletion,
  DeletionOutcome,
  DeletionRequest,
  DeletionSelection,
  UndoRequest,
} from '../../../model/deletion.ts'
import { invalidRequest, Problem } from '../../../model/problem.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import { selectedHours } from '../../hours/selected-hours.ts'
import type { ActiveDeletions } from '../deletions/active-deletions.ts'
import { type DeletionVector, encodeRows } from '../deletions/deletion-vector.ts'
import { countSeen, countSeenHours, type FindParts, type FoundRows, findRows } from '../deletions/find-rows.ts'
import { mayStillExist } from '../deletions/taken-items.ts'
import { baseOf, VisibleFile } from '../deletions/visible-file.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile, StoredFolder } from '../reading/sealed-source.ts'
import { DamagedFileError } from '../sealed/damaged-file.ts'
import { Preempted, PreemptiblePacer } from './preemption.ts'

export interface DeletionParts {
  readonly store: EmbeddedStore
  readonly folder: Pick<StoredFolder, 'stored'>
  readonly catalog: DeletionCatalog
  readonly standing: ActiveDeletions
  /** As in `MergeParts`. */
  readonly runDue: (entityId: number) => Promise<void>
  /** Rows of an entity before this date have expired; null while none have. */
  readonly sinceMs: (entityId: number) => number | null
  /** Whether the hours of expired rows are kept. */
  readonly keepsHours: (entityId: number) => boolean
  /** Hours of an entity before this date have expired; null while all are kept. */
  readonly goneMs: (entityId: number) => number | null
  /** Called after readers have switched to other views of files. */
  readonly shown: (files: ReadonlyMap<SealedFile, SealedFile>) => void
  readonly reach: Reach
  readonly signal: AbortSignal
}

interface Job {
  readonly entityId: number
  /** Rows before this position have to be sealed first. */
  readonly position: number
  readonly run: () => Promise<void>
  readonly reject: (error: unknown) => void
  /** Rejects the job, because the work before it took too long. */
  readonly late: () => void
  isRunning: boolean
  isLate: boolean
}

/** The longest time for which a search for rows may block queries and the pipeline. */
const sliceMs = 2

/** The most ranges of rows that the deletions of an entity may select together: each takes 8 bytes of the catalog, and about 100 of memory. */
export const rangesMax = 1_000_000

/**
 * Hides deleted rows of sealed files. Rows in memory are sealed first, so that all rows of a file were pushed before the deletion, or none: row
 * numbers alone then identify the deleted rows.
 */
export class Deletions {
  readonly #parts: DeletionParts
  #jobs: Job[] = []
  #erased: ReadonlySet<number> = new Set()

  constructor(parts: DeletionParts) {
    this.#parts = parts
  }

  /** Reads from the catalog which deletions are erased. */
  async refresh(): Promise<void> {
    const { catalog, standing } = this.#parts
    const all = await catalog.all()
    standing.forgetAllBut(all, await catalog.changes())
    this.#erased = new Set(all.filter(({ erasedMs }) => erasedMs !== null).map(({ id }) => id))
  }

  isErased(deletionId: number): boolean {
    return this.#erased.has(deletionId)
  }

  /** A file with rows that are to be removed permanently; null when there is none that can be read. */
  fileToErase(files: readonly SealedFile[], damaged: ReadonlySet<SealedFile>): SealedFile | null {
    const isDue = (file: SealedFile): boolean =>
      file instanceof VisibleFile && file.vectors.some(({ deletionId }) => this.isErased(deletionId))
    return files.find((file) => isDue(file) && !damaged.has(file)) ?? null
  }

  /** Whether rows from this position on have to be sealed. */
  needsSeal(frozenPosition: number): boolean {
    return this.#jobs.some(({ position }) => position > frozenPosition)
  }

  /**
   * Deletes the selected rows before the position, or only counts them in a dry run. Throws Problem `conflict` when there are too many
   * deletions, `invalid_request` when the rows lie in too many separate ranges, `damaged_data` when a file cannot be read, `unavailable` when
   * the deletion could not begin in time.
   */
  async add(request: DeletionRequest, position: number): Promise<DeletionOutcome> {
    const { entityId, selection, isDry } = request
    const end = isDry ? () => undefined : this.#parts.standing.begin(entityId, selection, position)
    try {
      return await this.#add(request, position, () => this.#delete(request, end))
    } finally {
      end(null)
    }
  }

  /**
   * Restores the rows of a deletion. Returns false when there is no such deletion. Throws Problem `conflict` when none of the rows exists any
   * more, `unavailable` when it could not begin in time.
   */
  async takeBack(request: UndoRequest, position: number): Promise<boolean> {
    const end = this.#parts.standing.begin(request.entityId, null, position)
    try {
      return await this.#add(request, 0, () => this.#takeBack(request, end))
    } finally {
      end(null)
    }
  }

  /** Runs the next job that is due; returns false when there is none. */
  async runNext(): Promise<boolean> {
    const job = this.#jobs.find(({ position }) => position <= this.#parts.store.position)
    if (job === undefined) return false
    job.isRunning = true
    try {
      await job.run()
    } catch (error) {
      job.isRunning = false
      // It is restarted after the more urgent work.
      const isAgain = error instanceof Preempted && this.#parts.store.entityIds.includes(job.entityId)
      if (isAgain && job.isLate) this.#endLate(job)
      if (isAgain) return true
      job.reject(problemOf(error))
    }
    this.#jobs = this.#jobs.filter((other) => other !== job)
    return true
  }

  #add<Made>(
    { entityId, waitMs }: Pick<DeletionRequest, 'entityId' | 'waitMs'>,
    position: number,
    work: () => Promise<Made>,
  ): Promise<Made> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => resolve(await work())
      const isSealed = (): boolean => position <= this.#parts.store.position
      const late = (): void => reject(isSealed() ? wasBehindOthers(waitMs) : couldNotBegin(waitMs))
      const job: Job = { entityId, position, run, reject, late, isRunning: false, isLate: false }
      this.#jobs.push(job)
      setTimeout(() => {
        job.isLate = true
        if (!job.isRunning) this.#endLate(job)
      }, timerMs(waitMs)).unref()
    })
  }

  #endLate(job: Job): void {
    this.#jobs = this.#jobs.filter((other) => other !== job)
    job.late()
  }

  async #delete(request: DeletionRequest, end: End): Promise<DeletionOutcome> {
    const { store, folder, catalog, reach } = this.#parts
    const { entityId, selection: asked, isDry, deletionsMax, waitMs: _, ...named } = request
    const parts = this.#findParts(entityId)
    const files = store.files(entityId)
    const sinceMs = this.#parts.sinceMs(entityId) ?? Number.NEGATIVE_INFINITY
    const { selection, ofHours } = this.#parts.keepsHours(entityId)
      ? selectedHours(asked, sinceMs)
      : { selection: asked, ofHours: null }
    // All rows before this position are in these files.
    const { position } = store
    if (!isDry) await this.#requireCapacity(entityId, deletionsMax)
    const stored = files.map((file) => folder.stored(file))
    const isOfHours = ({ info }: SealedFile): boolean => info.kind === 'hours'
    const found = new Map(
      await findRows(
        selection,
        stored.filter((file) => !isOfHours(file)),
        parts,
      ),
    )
    const hoursParts = { ...parts, registry: parts.registry.hours }
    const hours = ofHours === null ? new Map() : await findRows(ofHours, stored.filter(isOfHours), hoursParts)
    for (const [file, rows] of hours) found.set(file, rows)
    requireRanges(found, files)
    // The id is not known yet, and is not used here.
    const shown = shownWith(files, { deletionId: 0, metrics: selection.metrics }, found, parts)
    const seen = { ...selection, fromMs: Math.max(sinceMs, selection.fromMs ?? Number.NEGATIVE_INFINITY) }
    const seenHours = ofHours === null ? null : hoursFrom(this.#parts.goneMs(entityId), ofHours)
    const count = async (all: readonly SealedFile[]): Promise<number> =>
      (await countSeen(
        seen,
        all.filter((file) => !isOfHours(file)),
        parts,
      )) + (seenHours === null ? 0 : await countSeenHours(seenHours, all.filter(isOfHours), hoursParts))
    const rows = (await count(files)) - (await count(files.map((file) => shown.get(file) ?? file)))
    if (isDry) return { rows, deletion: null }
    const vectors = [...found].map(([{ info }, ofFile]) => ({ entityId, name: info.name, bytes: encodeRows(ofFile) }))
    reach('deletion-found')
    const made = await catalog.create({ entityId, selection, rows, position, ...named }, vectors)
    reach('deletion-recorded')
    const { deletion } = made
    end(made)
    this.#show(entityId, shownWith(files, { deletionId: deletion.id, metrics: selection.metrics }, found, parts))
    return { rows, deletion }
  }

  async #takeBack({ entityId, deletionId: id, nowMs }: UndoRequest, end: End): Promise<boolean> {
    const { store, catalog, standing } = this.#parts
    const known = (await catalog.list(entityId)).find((one) => one.id === id)
    if (known?.erasedMs === null && this.#areRowsGone(known)) throw rowsAreGone(id)
    const place = Math.max(standing.firstPendingPosition(entityId), standing.changesOf(entityId).at(-1)?.place ?? 0)
    const change = await catalog.takeBack(entityId, id, place, nowMs)
    if (change === null) return false
    end({ change, deletion: null })
    const { registry } = this.#findParts(entityId)
    const shown = new Map<SealedFile, SealedFile>()
    for (const file of store.files(entityId)) {
      if (!(file instanceof VisibleFile)) continue
      const vectors = file.vectors.filter(({ deletionId }) => deletionId !== id)
      if (vectors.length === file.vectors.length) continue
      const ofFile = registry.of(file.base.info)
      shown.set(file, vectors.length === 0 ? file.base : new VisibleFile(file.base, vectors, ofFile))
    }
    this.#show(entityId, shown)
    return true
  }

  /** Throws Problem `conflict`. Reads the catalog, and searches all files for each deletion, only when there may be that many deletions. */
  async #requireCapacity(entityId: number, deletionsMax: number): Promise<void> {
    const { catalog, standing } = this.#parts
    // The deletion being made is included, and so are erased ones.
    if (standing.of(entityId).length <= deletionsMax) return
    const known = await catalog.list(entityId)
    const active = known.filter((one) => one.erasedMs === null && !this.#areRowsGone(one))
    if (active.length >= deletionsMax) throw tooMany(deletionsMax)
  }

  /** Whether it deleted rows of which none is left, nor any of their hours. */
  #areRowsGone({ entityId, id, rows }: Deletion): boolean {
    return rows > 0 && !mayStillExist(this.#parts.store.files(entityId), id, this.#parts.goneMs(entityId))
  }

  #show(entityId: number, files: ReadonlyMap<SealedFile, SealedFile>): void {
    const { store, shown } = this.#parts
    store.show(entityId, files)
    shown(files)
  }

  #findParts(entityId: number): FindParts {
    const { store, signal, runDue } = this.#parts
    return {
      registry: store.registry(entityId),
      pacer: new PreemptiblePacer({ sliceMs, signal }, () => runDue(entityId)),
    }
  }
}

type End = ReturnType<ActiveDeletions['begin']>

function hoursFrom(goneMs: number | null, ofHours: DeletionSelection): DeletionSelection {
  return goneMs === null ? ofHours : { ...ofHours, fromMs: Math.max(goneMs, ofHours.fromMs ?? goneMs) }
}

/** The views of files with one more deletion. */
function shownWith(
  files: readonly SealedFile[],
  deletion: Omit<DeletionVector, 'rows' | 'metrics'> & Pick<DeletionSelection, 'metrics'>,
  found: FoundRows,
  { registry }: FindParts,
): Map<SealedFile, SealedFile> {
  const shown = new Map<SealedFile, SealedFile>()
  const metrics = deletion.metrics?.map(({ name }) => name) ?? null
  for (const [base, rows] of found) {
    const file = files.find((one) => baseOf(one) === base)!
    const vectors = file instanceof VisibleFile ? file.vectors : []
    shown.set(file, new VisibleFile(base, [...vectors, { ...deletion, metrics, rows }], registry.of(base.info)))
  }
  return shown
}

function requireRanges(found: FoundRows, files: readonly SealedFile[]): void {
  let ranges = 0
  const add = (rows: DeletionVector['rows']): void => {
    for (const pairs of rows.values()) ranges += pairs.length / 2
  }
  for (const rows of found.values()) add(rows)
  for (const file of files) if (file instanceof VisibleFile) for (const { rows } of file.vectors) add(rows)
  if (ranges <= rangesMax) return
  throw invalidRequest(
    'where',
    `together with the entity's other deletions, the rows are in more than ${rangesMax.toLocaleString('en-US')} separate places. Select fewer tags, fewer days, or one range of time`,
  )
}

function tooMany(deletionsMax: number): Problem {
  return new Problem(
    'conflict',
    `The entity has ${deletionsMax} deletions that can be taken back, the most allowed (limits.deletions). Take some back, or wait until some are erased.`,
  )
}

function rowsAreGone(id: number): Problem {
  return new Problem(
    'conflict',
    `Deletion ${id} cannot be taken back: none of its rows exists any more. They have expired, or were erased with another deletion that included them. An earlier backup still has them.`,
  )
}

function couldNotBegin(waitMs: number): Problem {
  return new Problem(
    'unavailable',
    `The rows in memory could not be written to disk within ${waitMs} ms (limits.queryTimeMs), so nothing was changed. The disk may be full: the log shows the reason.`,
  )
}

function wasBehindOthers(waitMs: number): Problem {
  return new Problem(
    'unavailable',
    `Other work on the entity's files did not end within ${waitMs} ms (limits.queryTimeMs), so nothing was changed. Try again later.`,
  )
}

function problemOf(error: unknown): unknown {
  if (error instanceof Preempted) return new Problem('not_found', 'The entity was dropped meanwhile.')
  if (!(error instanceof DamagedFileError)) return error
  return new Problem(
    'damaged_data',
    `A file with some of the rows cannot be read, so nothing was deleted: ${messageOf(error)}`,
  )
}
