// Makes moments: a copy of the catalog, the files that it names, and the entry of the log that commits them.
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '../catalog/manifest.ts'
import type { Disk } from '../lib/disk.ts'
import { linkOrCopy } from '../lib/durable-files.ts'
import type { Held } from '../lib/held.ts'
import type { Serial } from '../lib/serial.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { ByteRate } from './byte-rate.ts'
import { FileParts, type FileToReplicate } from './file-parts.ts'
import type { JournalCopier } from './journal-copier.ts'
import type { JournalMarks, RecordedTime } from './journal-marks.ts'
import { type PlannedMoment, planMoment } from './moment-plan.ts'
import { encodeObject, type Moment, momentName, pack, type ReplicatedFile } from './replica-format.ts'
import type { ReplicaLog, StoreAttempt } from './replica-log.ts'
import type { Restorable } from './restorable.ts'

export interface DataToReplicate {
  readonly dataDirectory: string
  /** Created and removed with each moment; on the disk of the data folder. */
  readonly scratchDirectory: string
  /** Suspends trimming and the removal of files until it is released. */
  readonly hold: () => Promise<Held>
  /** Copies the catalog as it is at one moment, and returns the content of the copy. */
  readonly copyCatalog: (
    path: string,
  ) => Promise<{ readonly manifest: Manifest; readonly acknowledgedPosition: number }>
  /** The files that a manifest names; `bytesMax` is null for those that never change. */
  readonly storedFiles: (manifest: Manifest) => readonly { readonly path: string; readonly bytesMax: number | null }[]
  /** Stores the idempotency keys of records before a position in files, and returns the paths of these files. */
  readonly keepKeys: (position: number) => Promise<readonly string[]>
}

export interface MomentMakerParts {
  readonly data: DataToReplicate
  readonly store: ObjectStore
  readonly disk: Disk
  readonly log: ReplicaLog
  /** Serialises everything that appends to the log. */
  readonly appends: Serial
  readonly journal: JournalCopier
  readonly marks: JournalMarks
  readonly attempt: StoreAttempt
  readonly rate: ByteRate
  /** The state that a restore would give; notified before a moment is committed. */
  readonly restorable: Pick<Restorable, 'committing' | 'isWhole'>
  readonly keepMs: number
  readonly reach: Reach
}

interface LastMoment extends Moment {
  readonly name: string
}

export class MomentMaker {
  readonly #parts: MomentMakerParts
  readonly #files: FileParts
  #last: LastMoment | null

  /** `last` is the newest moment of the replica, which another process may have made. */
  constructor(parts: MomentMakerParts, last: Moment | null) {
    this.#parts = parts
    this.#files = new FileParts({ ...parts, epoch: parts.log.epoch })
    this.#last = last === null ? null : { ...last, name: momentName(last.number, last.epoch) }
  }

  get last(): Moment | null {
    return this.#last
  }

  /** Resolves when the moment is committed, with the objects to be removed. `changed`: the operator's first change, null when there was none. */
  async make(changed: RecordedTime | null): Promise<PlannedMoment> {
    const { scratchDirectory } = this.#parts.data
    await rm(scratchDirectory, { recursive: true, force: true })
    await mkdir(scratchDirectory, { recursive: true, mode: 0o700 })
    const known = new Map((this.#last?.files ?? []).map((file) => [file.path, file]))
    const taken = await this.#take(known)
    this.#files.know(known.values())
    const files = [...taken.kept]
    for (const file of taken.toCopy) files.push(await this.#files.write(file))
    this.#parts.reach('replica-parts-written')
    await rm(scratchDirectory, { recursive: true, force: true })
    const planned = await this.#parts.appends.run(() => this.#commit(taken, files, changed))
    this.#parts.journal.forgetBefore(planned.moment.sealedPosition)
    return planned
  }

  /** Deletes objects without references. */
  async remove(names: readonly string[]): Promise<void> {
    const { store, attempt, reach } = this.#parts
    for (const name of names) {
      await attempt(() => store.delete(name))
      reach('replica-deleted')
    }
  }

  /** Links the files that are not in the replica, so that they stay readable even if they are deleted meanwhile. */
  async #take(known: ReadonlyMap<string, ReplicatedFile>) {
    const { data, marks, reach } = this.#parts
    const held = await data.hold()
    try {
      const catalog = join(data.scratchDirectory, 'catalog.sqlite')
      const { manifest, acknowledgedPosition } = await data.copyCatalog(catalog)
      const copiedMs = marks.timeMs()
      reach('replica-catalog-copied')
      const kept: ReplicatedFile[] = []
      // In a folder that was restored to an earlier state, growing files may have grown in another way since.
      const isOwn = this.#last?.epoch === this.#parts.log.epoch
      const toCopy: FileToReplicate[] = [
        { path: 'catalog.sqlite', from: catalog, bytes: (await stat(catalog)).size, changes: true },
      ]
      for (const { path, bytesMax } of data.storedFiles(manifest)) {
        const there = known.get(path)
        if (there !== undefined && (bytesMax === null || (isOwn && bytesMax === there.bytes))) kept.push(there)
        else toCopy.push(await this.#link(path, bytesMax, toCopy.length, bytesMax !== null))
      }
      for (const path of await data.keepKeys(manifest.sealedPosition))
        toCopy.push(await this.#link(path, null, toCopy.length, true))
      const { sealedPosition } = manifest
      return { kept, toCopy, copiedMs, sealedPosition, position: Math.max(acknowledgedPosition, sealedPosition) }
    } finally {
      held.release()
    }
  }

  async #link(path: string, bytesMax: number | null, number: number, changes: boolean): Promise<FileToReplicate> {
    const { disk, data } = this.#parts
    const { dataDirectory, scratchDirectory } = data
    const from = join(scratchDirectory, String(number))
    await linkOrCopy(disk, join(dataDirectory, path), from)
    return { path, from, bytes: bytesMax ?? (await stat(from)).size, changes }
  }

  async #commit(
    taken: { readonly copiedMs: number; readonly sealedPosition: number; readonly position: number },
    files: readonly ReplicatedFile[],
    changed: RecordedTime | null,
  ) {
    const { log, journal, marks, store, attempt, rate, restorable, keepMs, reach } = this.#parts
    const { copiedMs, sealedPosition, position } = taken
    const number = log.next
    const validFromMs = Math.max(changed?.timeMs ?? copiedMs, this.#last?.validFromMs ?? 0)
    const journalFrom = journal.entryOf(sealedPosition, number)
    const timeMs = marks.timeMs()
    const whole = journalFrom < number && journal.hasReached(position) ? number : this.#wholeBefore()
    const next = { number, epoch: log.epoch, timeMs, validFromMs, sealedPosition, position, journalFrom, whole, files }
    const { moment, deleted } = planMoment(next, this.#last, timeMs - keepMs)
    const name = momentName(number, log.epoch)
    const bytes = await pack(encodeObject(moment))
    await rate.pass(bytes.length)
    await attempt(() => store.putIfAbsent(name, bytes))
    reach('replica-moment-written')
    restorable.committing(position, changed?.steadyMs ?? null)
    await log.append({ kind: 'moment', moment: name, validFromMs, position, journalFrom })
    reach('replica-moment-committed')
    this.#last = { ...moment, name }
    return { moment, deleted }
  }

  /** The newest moment that a restore can use, as far as this process knows. */
  #wholeBefore(): number | null {
    const last = this.#last
    if (last === null) return null
    return last.epoch === this.#parts.log.epoch && this.#parts.restorable.isWhole ? last.number : last.whole
  }
}
