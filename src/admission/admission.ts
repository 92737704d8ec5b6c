import type { CancelSignal } from '../lib/cancellation.ts'
import { Problem } from '../model/problem.ts'

export interface AdmissionLimits {
  /** Queries that run at the same time. */
  readonly runningQueries: number
  /** The part of them that may be SQL and native queries; the other slots are reserved for data queries. */
  readonly runningSqlQueries: number
  /** Queries that wait for a running one to end. */
  readonly waitingQueries: number
}

/** A small data query takes almost no time, other data queries take little. SQL, including native queries, may take as long as any query is allowed to. */
export type QueryClass = 'small' | 'data' | 'sql'

/** Releases the slot of a query. Must be called exactly once. */
export type Release = () => void

interface Query {
  readonly kind: QueryClass
  /** The reader id; slots are shared fairly between readers. */
  readonly reader: string
}

interface Waiting extends Query {
  readonly begin: () => void
}

interface Count {
  all: number
  sql: number
  /** Queries that wait, including those that went ahead. */
  waiting: number
  ahead: number
}

/**
 * Limits the number of queries that run at the same time; the others wait. A free slot goes to the reader with the fewest queries; among equal readers, and
 * among one reader's queries, to the earliest. A quarter of the slots for running and for waiting (one of three) is always left to other readers.
 *
 * If queries are answered one after the other, small ones may go ahead: they wait at the place where they are answered, which saves a round trip between two
 * answers. New arrivals wait behind all of them, so while others query too, each reader may have only a few queries ahead.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #sqlMax: number
  readonly #aheadMax: number
  /** In the order of arrival. Not a Set, for the reason given in `src/lib/slots.ts`. */
  readonly #waiting: Waiting[] = []
  readonly #counts = new Map<string, Count>()
  readonly #running = { all: 0, sql: 0 }
  #ahead = 0
  /** The number of queries so far, of all readers. */
  #arrived = 0
  /** The reader of the newest query, the number of that query, and the number of the newest query of any other reader. */
  readonly #newest = { reader: '', at: Number.NEGATIVE_INFINITY, otherAt: Number.NEGATIVE_INFINITY }

  /** `aheadMax`: the number of small queries that may go ahead. */
  constructor(limits: AdmissionLimits, aheadMax = 0) {
    this.#limits = limits
    this.#aheadMax = aheadMax
    this.#sqlMax = Math.min(limits.runningSqlQueries, Math.max(1, limits.runningQueries - 1))
  }

  /**
   * Resolves when the query may run, with the function that releases its slot. Throws Problem `overloaded` when too many queries wait already, and the signal's
   * reason when it is aborted before the query's turn.
   */
  enter(kind: QueryClass, reader: string, signal: CancelSignal): Promise<Release> | Release {
    signal.throwIfAborted()
    this.#note(reader)
    const query = { kind, reader }
    if (this.#mayRun(query)) return this.#begin(query)
    const { waitingQueries } = this.#limits
    const count = this.#countOf(reader)
    if (this.waiting >= waitingQueries || count.waiting >= ofOne(waitingQueries)) {
      this.#forget(reader)
      throw this.#overloaded(query)
    }
    if (this.#mayGoAhead(query)) return this.#goAhead(query)
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        const place = this.#waiting.indexOf(waiting)
        if (place < 0) return
        this.#waiting.splice(place, 1)
        count.waiting -= 1
        this.#forget(reader)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        leaveQueue()
        reject(signal.reason)
      }
      const waiting: Waiting = {
        begin: () => {
          const leave = this.#mayRun(query) ? this.#begin(query) : this.#goAhead(query)
          leaveQueue()
          resolve(leave)
        },
        ...query,
      }
      count.waiting += 1
      this.#waiting.push(waiting)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** The number of running queries. */
  get running(): number {
    return this.#running.all
  }

  /** The number of waiting queries, including those that went ahead. */
  get waiting(): number {
    return this.#waiting.length + this.#ahead
  }

  #begin(query: Query): Release {
    this.#add(query, 1)
    return () => {
      this.#add(query, -1)
      this.#forget(query.reader)
      this.#beginQueued()
    }
  }

  #goAhead({ reader }: Query): Release {
    const count = this.#countOf(reader)
    this.#ahead += 1
    count.ahead += 1
    count.waiting += 1
    return () => {
      this.#ahead -= 1
      count.ahead -= 1
      count.waiting -= 1
      this.#forget(reader)
      this.#beginQueued()
    }
  }

  /** Begins each queued query that may run now. A query that ends may admit several: one that waited for its reader, and one that waited for its class. */
  #beginQueued(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next.begin()
  }

  /** The query that gets the free slot. */
  #next(): Waiting | null {
    let next: Waiting | null = null
    for (const waiting of this.#waiting) {
      if (!this.#mayRun(waiting) && !this.#mayGoAhead(waiting)) continue
      if (next === null || this.#inside(waiting) < this.#inside(next)) next = waiting
    }
    return next
  }

  /** The number of a reader's queries that run or went ahead. */
  #inside({ reader }: Query): number {
    const { all, ahead } = this.#countOf(reader)
    return all + ahead
  }

  #mayRun({ kind, reader }: Query): boolean {
    const { runningQueries } = this.#limits
    const count = this.#counts.get(reader)
    if (this.#running.all >= runningQueries || (count?.all ?? 0) >= ofOne(runningQueries)) return false
    return kind !== 'sql' || (this.#running.sql < this.#sqlMax && (count?.sql ?? 0) < ofOne(this.#sqlMax))
  }

  #mayGoAhead({ kind, reader }: Query): boolean {
    if (kind !== 'small' || this.#ahead >= this.#aheadMax) return false
    const ahead = this.#counts.get(reader)?.ahead ?? 0
    return ahead < ofOne(this.#aheadMax) && (ahead < aheadAmongOthersMax || !this.#isShared(reader))
  }

  #note(reader: string): void {
    const newest = this.#newest
    this.#arrived += 1
    if (newest.reader !== reader) {
      newest.otherAt = newest.at
      newest.reader = reader
    }
    newest.at = this.#arrived
  }

  /** Whether another reader has queried recently. */
  #isShared(reader: string): boolean {
    const { at, otherAt, reader: last } = this.#newest
    return this.#arrived - (reader === last ? otherAt : at) < recentQueries
  }

  #add({ kind, reader }: Query, by: number): void {
    for (const count of [this.#running, this.#countOf(reader)]) {
      count.all += by
      if (kind === 'sql') count.sql += by
    }
  }

  #countOf(reader: string): Count {
    const known = this.#counts.get(reader)
    if (known !== undefined) return known
    const count = { all: 0, sql: 0, waiting: 0, ahead: 0 }
    this.#counts.set(reader, count)
    return count
  }

  /** Removes the count of an idle reader, but only when there are many counts. */
  #forget(reader: string): void {
    if (this.#counts.size <= readersKept) return
    const count = this.#counts.get(reader)
    if (count?.all === 0 && count.waiting === 0) this.#counts.delete(reader)
  }

  #overloaded({ kind }: Query): Problem {
    const { runningQueries } = this.#limits
    const running =
      kind !== 'sql'
        ? `${runningQueries} queries run at once (limits.runningQueries)`
        : `${this.#sqlMax} SQL and native queries run at once (limits.runningSqlQueries)`
    return new Problem(
      'overloaded',
      `${running}, a quarter of them reserved for other readers, and the queue is full (limits.waitingQueries). Retry in a moment.`,
      { retryAfterS: 1 },
    )
  }
}

/** A reader with one query at a time, next to another with a hundred connections, occurs within this number of queries. */
const recentQueries = 256
/** The most small queries of one reader that go ahead while others query too. */
const aheadAmongOthersMax = 4

/** Creating and deleting a count for each query would cost more; see `src/lib/slots.ts`. */
const readersKept = 1024

/** The number of slots that one reader may take: all of up to two, otherwise about three quarters. */
const ofOne = (places: number): number => (places < 3 ? places : places - Math.max(1, Math.floor(places / 4)))
