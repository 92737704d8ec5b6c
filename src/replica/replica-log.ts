// The end of the log, where only its owner can write.
import { randomUUID } from 'node:crypto'
import type { Disk } from '../lib/disk.ts'
import { type ObjectStore, StoreUnfit } from '../object-store/object-store.ts'
import { isBegun, readLast, readLogEntry } from './read-log.ts'
import {
  begunName,
  encodeObject,
  type JournalPart,
  type LogEntry,
  lastMomentOf,
  logName,
  type MomentPlace,
} from './replica-format.ts'
import { markedUrl, type ReplicaMark, readReplicaMark, writeReplicaMark } from './replica-mark.ts'

/** The replica is another folder's, or another process has taken it over: nothing more is written to it. */
export class NotOwner extends Error {}

export interface ReplicaLogParts {
  readonly store: ObjectStore
  readonly disk: Disk
  /** The path of `replica.json`. */
  readonly markPath: string
  /** The address of the replica. */
  readonly url: string
  /** A time that never goes back, and is at least `atLeastMs`. */
  readonly timeMs: (atLeastMs?: number) => number
  /** Retries requests until the store responds. */
  readonly attempt: StoreAttempt
}

/** Repeats work with the store until it succeeds. */
export type StoreAttempt = <T>(work: () => Promise<T>) => Promise<T>

type Written =
  | { readonly kind: 'claim' }
  | ({ readonly kind: 'moment' } & MomentPlace)
  | ({ readonly kind: 'journal' } & JournalPart)

export class ReplicaLog {
  readonly epoch: number
  /** The last entry before this process's own; null for a new replica. */
  readonly before: LogEntry | null
  readonly #parts: ReplicaLogParts
  readonly #copy: string
  readonly #token: string
  #next: number
  #lastMoment: string | null

  private constructor(parts: ReplicaLogParts, before: LogEntry | null, token: string) {
    this.#parts = parts
    this.before = before
    this.epoch = (before?.epoch ?? 0) + 1
    this.#copy = before?.copy ?? randomUUID()
    this.#token = token
    this.#next = (before?.number ?? -1) + 1
    this.#lastMoment = before === null ? null : lastMomentOf(before)
  }

  /** Takes over the replica. Throws `NotOwner` when it is another folder's, `StoreUnfit` when the store lets two writers write one entry. */
  static async claim(parts: ReplicaLogParts): Promise<ReplicaLog> {
    const { store, disk, markPath, attempt } = parts
    const url = markedUrl(parts.url)
    for (;;) {
      const { last, mark } = await attempt(async () => {
        const found = { last: await readLast(store), mark: await readReplicaMark(markPath) }
        if (found.last === null) requireNoneBefore(found.mark, url)
        return found
      })
      if (last !== null && !isOwner(last, mark)) throw anotherFolders(last, mark)
      const token = randomUUID()
      const log = new ReplicaLog(parts, last, token)
      // Until the claim is written there is no replica that could be missing.
      const known = last?.token ?? ''
      await writeReplicaMark(disk, markPath, { copy: log.#copy, token: known, next: token, url })
      parts.timeMs(last?.timeMs)
      // Another process may have been faster, or the list lacked the newest entry; then the log is read again.
      const number = log.#next
      if (!(await log.#put({ kind: 'claim' }))) continue
      if (!(await log.#isAtEnd(number))) continue
      await log.#requirePutIfAbsent(number)
      // Must exist before anything of the replica is deleted.
      await attempt(() => store.putIfAbsent(begunName, encodeObject({ copy: log.#copy })))
      await writeReplicaMark(disk, markPath, { copy: log.#copy, token, next: null, url })
      return log
    }
  }

  /** The number of the next entry. */
  get next(): number {
    return this.#next
  }

  /** Appends an entry, one call at a time. Throws `NotOwner` when another process writes. */
  async append(written: Written, payload?: Uint8Array): Promise<void> {
    if (!(await this.#put(written, payload))) throw replaced()
  }

  /** Throws `NotOwner` when another process has continued the log. */
  async requireOwner(): Promise<void> {
    const { store, attempt } = this.#parts
    const found = await attempt(() => readLogEntry(store, this.#next))
    if (found !== null && found.entry.token !== this.#token) throw replaced()
  }

  /**
   * Whether the own claim is the end of the log. The owner deletes the oldest entries, one after another: when the previous entry no longer exists,
   * the claim's place may have been empty for that reason, and the end is further on. Without a previous entry, another process may have begun the
   * replica and deleted its first entry. In both cases the claim is taken back.
   */
  async #isAtEnd(number: number): Promise<boolean> {
    const { store, attempt } = this.#parts
    const isAtEnd = await attempt(async () =>
      number === 0 ? !(await isBegun(store)) : (await store.get(logName(number - 1))) !== null,
    )
    if (!isAtEnd) await attempt(() => store.delete(logName(number)))
    return isAtEnd
  }

  /** Writes the own entry a second time, unchanged: a store that accepts it would accept another process's too. */
  async #requirePutIfAbsent(number: number): Promise<void> {
    const { store, attempt } = this.#parts
    const name = logName(number)
    const bytes = await attempt(() => store.get(name))
    if (bytes === null || !(await attempt(() => store.putIfAbsent(name, bytes)))) return
    throw new StoreUnfit(
      'The store of replica.url overwrites existing objects (in S3: it ignores If-None-Match), so two services could write to one replica. Use a store that refuses that.',
    )
  }

  async #put(written: Written, payload?: Uint8Array): Promise<boolean> {
    const { store, timeMs, attempt } = this.#parts
    const number = this.#next
    const base = { number, epoch: this.epoch, token: this.#token, copy: this.#copy, timeMs: timeMs() }
    const bytes = encodeObject({ ...base, lastMoment: this.#lastMoment, ...written }, payload)
    if (!(await attempt(() => store.putIfAbsent(logName(number), bytes)))) {
      // It is the own entry if the response to an earlier attempt was lost.
      const found = await attempt(() => readLogEntry(store, number))
      if (found?.entry.token !== this.#token) return false
    }
    this.#next = number + 1
    if (written.kind === 'moment') this.#lastMoment = written.moment
    return true
  }
}

function isOwner(last: LogEntry, mark: ReplicaMark | null): boolean {
  return mark !== null && mark.copy === last.copy && (mark.token === last.token || mark.next === last.token)
}

/** An empty place where the folder's replica was means a disk that is not mounted, or a loss that an operator must know of. */
function requireNoneBefore(mark: ReplicaMark | null, url: string): void {
  if (mark === null || mark.token === '' || mark.url !== url) return
  throw new Error(
    `the replica of this data folder is no longer at ${url}: is its disk mounted? Mount it, and replication resumes. To start a new replica instead, give replica.url another address, or move replica.json out of the data folder, and start the service again`,
  )
}

function anotherFolders(last: LogEntry, mark: ReplicaMark | null): NotOwner {
  const since = new Date(last.timeMs).toISOString()
  if (mark?.copy === last.copy) {
    return new NotOwner(
      `Another service has taken over the replica, and last wrote to it at ${since}. Stop the one that should not run; to continue with this machine, restore the replica into a new folder, or give replica.url a new prefix.`,
    )
  }
  return new NotOwner(
    `The prefix of replica.url holds the replica of another data folder, last written at ${since}. Give this service its own prefix, or restore that replica and use its folder.`,
  )
}

function replaced(): NotOwner {
  return new NotOwner(
    'Another service has taken over the replica, so this one no longer writes to it. Stop this one, or give it its own prefix and start it again.',
  )
}
