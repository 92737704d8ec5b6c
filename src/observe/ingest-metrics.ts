// Outcomes of rows by ingest. The number of series is bounded: ingests beyond it are counted together.
import { Counter, Gauge } from 'prom-client'
import type { DescribeMetric } from './described-metric.ts'
import type { ServiceEvent } from './event.ts'

/** The current ingests and their pending rows. */
export interface WatchedIngests {
  /** The most ingests with series of their own. */
  readonly ownMax: number
  readonly ingests: () => Iterable<{ readonly id: number; readonly alias: string }>
  /** Rows that this process acknowledged and that are not validated yet; null while unknown. */
  readonly pendingRows: (ingestId: number) => number | null
}

/** The label of ingests that are counted together. No alias has parentheses. */
const otherIngests = '(others)'

interface Rows {
  received: number
  stored: number
  rejected: number
}

interface IngestRows extends Rows {
  /** Null until the first push. */
  lastReceivedMs: number | null
  /** Whether it has series of its own; null until decided. It never changes, because a shrinking sum would look like a restart. */
  isOwn: boolean | null
}

/** One sample of each metric. */
interface Line extends Rows {
  pending: number | null
  lastReceivedMs: number | null
}

export class IngestMetrics {
  readonly #rows = new Map<number, IngestRows>()
  /** Totals of deleted ingests that were counted together. */
  readonly #gone: Rows = { received: 0, stored: 0, rejected: 0 }
  #watched: WatchedIngests | null = null

  watch(watched: WatchedIngests): void {
    this.#watched = watched
  }

  observe(event: ServiceEvent): void {
    switch (event.kind) {
      case 'pushTaken': {
        const rows = this.#of(event.ingestId)
        rows.received += event.rows
        rows.lastReceivedMs = Math.max(rows.lastReceivedMs ?? 0, event.receivedMs)
        return
      }
      case 'rowsValidated':
        for (const { ingestId, stored, rejected } of event.ingests) {
          const rows = this.#of(ingestId)
          rows.stored += stored
          rows.rejected += rejected
        }
        return
      case 'rowsReplayed':
        this.#of(event.ingestId).stored += event.stored
        return
    }
  }

  /** The number of ingests that are counted together. */
  get others(): number {
    this.#settle()
    return [...this.#rows.values()].filter(({ isOwn }) => isOwn === false).length
  }

  /** Samples by the label `ingest`. */
  lines(): ReadonlyMap<string, Line> {
    const aliases = this.#settle()
    const lines = new Map<string, Line>()
    const pendingRows = this.#watched?.pendingRows ?? (() => null)
    for (const [id, alias] of aliases) {
      const { isOwn, ...rows } = this.#rows.get(id)!
      const pending = pendingRows(id)
      if (isOwn === true) lines.set(alias, { ...rows, pending })
      else lines.set(otherIngests, together(lines.get(otherIngests) ?? this.#begun(), { ...rows, pending }))
    }
    if (!lines.has(otherIngests) && this.#gone.received + this.#gone.stored + this.#gone.rejected > 0)
      lines.set(otherIngests, this.#begun())
    return lines
  }

  #begun(): Line {
    return { ...this.#gone, pending: 0, lastReceivedMs: null }
  }

  #of(ingestId: number): IngestRows {
    const known = this.#rows.get(ingestId)
    if (known !== undefined) return known
    const rows = { received: 0, stored: 0, rejected: 0, lastReceivedMs: null, isOwn: null }
    this.#rows.set(ingestId, rows)
    return rows
  }

  /** Decides which new ingests get their own series, oldest first, and forgets deleted ones. Returns all aliases by id. */
  #settle(): ReadonlyMap<number, string> {
    const { ingests, ownMax } = this.#watched ?? { ingests: () => [], ownMax: 0 }
    const aliases = new Map([...ingests()].map(({ id, alias }) => [id, alias]))
    for (const [id, rows] of this.#rows) if (!aliases.has(id)) this.#forget(id, rows)
    const isNew = (id: number): boolean => (this.#rows.get(id)?.isOwn ?? null) === null
    let own = [...this.#rows.values()].filter(({ isOwn }) => isOwn === true).length
    for (const id of [...aliases.keys()].filter(isNew).sort((one, other) => one - other)) {
      this.#of(id).isOwn = own < ownMax
      own += 1
    }
    return aliases
  }

  #forget(id: number, rows: IngestRows): void {
    this.#rows.delete(id)
    if (rows.isOwn === true) return
    this.#gone.received += rows.received
    this.#gone.stored += rows.stored
    this.#gone.rejected += rows.rejected
  }
}

function together(one: Line, other: Line): Line {
  return {
    received: one.received + other.received,
    stored: one.stored + other.stored,
    rejected: one.rejected + other.rejected,
    pending: one.pending === null || other.pending === null ? null : one.pending + other.pending,
    lastReceivedMs:
      one.lastReceivedMs === null ? other.lastReceivedMs : Math.max(one.lastReceivedMs, other.lastReceivedMs ?? 0),
  }
}

/** The metrics of `ingests`, computed when they are collected. */
export function describeIngests(named: DescribeMetric, ingests: IngestMetrics): void {
  const counter = (name: string, help: string, of: (line: Line) => number): void => {
    new Counter({
      ...named('counter', name, help, ['ingest']),
      collect() {
        this.reset()
        for (const [ingest, line] of ingests.lines()) this.inc({ ingest }, of(line))
      },
    })
  }
  const gauge = (name: string, help: string, of: (line: Line) => number | null): void => {
    new Gauge({
      ...named('gauge', name, help, ['ingest']),
      collect() {
        this.reset()
        for (const [ingest, line] of ingests.lines()) {
          const value = of(line)
          if (value !== null) this.set({ ingest }, value)
        }
      },
    })
  }
  counter(
    'ingest_received_rows_total',
    'Rows that this process acknowledged. The oldest `limits.metricsIngests` ingests have a series each; the rest are counted together as `(others)`.',
    ({ received }) => received,
  )
  counter(
    'ingest_stored_rows_total',
    'Rows of the ingest that this process found valid, or that a replay stored.',
    ({ stored }) => stored,
  )
  counter(
    'ingest_rejected_rows_total',
    'Rows of the ingest that this process rejected, each counted once.',
    ({ rejected }) => rejected,
  )
  gauge(
    'ingest_pending_rows',
    'Rows of the ingest that this process acknowledged and that are not validated yet.',
    ({ pending }) => pending,
  )
  gauge(
    'ingest_last_received_timestamp_seconds',
    'When this process last acknowledged rows of the ingest, in seconds since 1970; absent until the first push after a start.',
    ({ lastReceivedMs }) => (lastReceivedMs === null ? null : lastReceivedMs / 1000),
  )
  new Gauge({
    ...named('gauge', 'ingests_counted_together', 'How many ingests are counted together as `(others)`.'),
    collect() {
      this.set(ingests.others)
    },
  })
}
