import type { CancelSignal } from '../lib/cancellation.ts'
import { Problem } from '../model/problem.ts'

export interface AdmissionLimits {
  /** Queries that run at once. */
  readonly runningQueries: number
  /** Those of them that may be SQL and native queries: the other places are for data queries alone. */
  readonly runningSqlQueries: number
  /** Queries that wait for one of them to end. */
  readonly waitingQueries: number
}

/** A small data query ends at once, others soon; SQL, native queries among it, may take all the time that there is. */
export type QueryClass = 'small' | 'data' | 'sql'

/** Frees the place that a query had; it is called once. */
export type Leave = () => void

interface Query {
  readonly kind: QueryClass
  /** Whom places are shared between. */
  readonly reader: string
}

interface Waiting extends Query {
  readonly begin: () => void
}

interface Count {
  all: number
  sql: number
  /** Those that went ahead among them. */
  waiting: number
  ahead: number
}

/**
 * Lets so many queries run at once; the others wait. A place goes to the reader who has the fewest, and of one reader's, and of equals', to the
 * query that came first. A fourth of the places, running and waiting, and of three one, is left to others, whatever one reader asks.
 *
 * Where queries are answered one after the other, small ones may go ahead: they wait there, where they are taken up without a way between two answers.
 * Whoever comes waits behind all of them, so one reader has few ahead while others ask too.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #sqlMax: number
  readonly #aheadMax: number
  /** In the order of arrival. No Set: why, says `src/lib/slots.ts`. */
  readonly #waiting: Waiting[] = []
  readonly #counts = new Map<string, Count>()
  readonly #running = { all: 0, sql: 0 }
  #ahead = 0
  /** Queries that came, of all readers. */
  #came = 0
  /** Who came last, and the number of that query and of the newest one of anybody else. */
  readonly #newest = { reader: '', at: Number.NEGATIVE_INFINITY, otherAt: Number.NEGATIVE_INFINITY }

  /** `aheadMax`: so many small queries may wait where they are answered. */
  constructor(limits: AdmissionLimits, aheadMax = 0) {
    this.#limits = limits
    this.#aheadMax = aheadMax
    this.#sqlMax = Math.min(limits.runningSqlQueries, Math.max(1, limits.runningQueries - 1))
  }

  /**
   * Resolves when the query may run, with what frees its place. Throws Problem `overloaded` when too many wait already, and the signal's
   * reason when it is aborted before the query's turn.
   */
  enter(kind: QueryClass, reader: string, signal: CancelSignal): Promise<Leave> | Leave {
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

  /** Queries that run. */
  get running(): number {
    return this.#running.all
  }

  /** Queries that wait, those that went ahead among them. */
  get waiting(): number {
    return this.#waiting.length + this.#ahead
  }

  #begin(query: Query): Leave {
    this.#add(query, 1)
    return () => {
      this.#add(query, -1)
      this.#forget(query.reader)
      this.#next()?.begin()
    }
  }

  #goAhead({ reader }: Query): Leave {
    const count = this.#countOf(reader)
    this.#ahead += 1
    count.ahead += 1
    count.waiting += 1
    return () => {
      this.#ahead -= 1
      count.ahead -= 1
      count.waiting -= 1
      this.#forget(reader)
      this.#next()?.begin()
    }
  }

  /** Who gets the place that is free. */
  #next(): Waiting | null {
    let next: Waiting | null = null
    for (const waiting of this.#waiting) {
      if (!this.#mayRun(waiting) && !this.#mayGoAhead(waiting)) continue
      if (next === null || this.#inside(waiting) < this.#inside(next)) next = waiting
    }
    return next
  }

  /** How many queries of a reader are on their way to an answer. */
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
    this.#came += 1
    if (newest.reader !== reader) {
      newest.otherAt = newest.at
      newest.reader = reader
    }
    newest.at = this.#came
  }

  /** Whether anybody else has asked lately. */
  #isShared(reader: string): boolean {
    const { at, otherAt, reader: last } = this.#newest
    return this.#came - (reader === last ? otherAt : at) < recentQueries
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

  /** One who asks nothing now keeps his count as long as there are few. */
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
      `${running}, a quarter of them reserved for other readers, and the queue is full (limits.waitingQueries). Ask again in a moment.`,
      { retryAfterS: 1 },
    )
  }
}

/** One who asks one question after the other beside somebody with a hundred connections is among so many. */
const recentQueries = 256
/** How many small queries of one reader go ahead while others ask too. */
const aheadAmongOthersMax = 4

/** Counts that come and go with each query would cost more: `src/lib/slots.ts`. */
const readersKept = 1024

/** How many of so many places one reader may have: of two he may have both. */
const ofOne = (places: number): number => (places < 3 ? places : places - Math.max(1, Math.floor(places / 4)))
