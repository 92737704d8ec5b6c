// The service's own performance as one row of its history: counts since the last row, and current levels.
import type { Field } from '../model/field.ts'
import type { ServiceEvent } from './event.ts'
import type { Levels } from './metrics.ts'

const metric = (name: string): SelfField => ({ name, source: name, type: 'double', role: 'metric' })

export type SelfField = Omit<Field, 'added'>

export const selfFields: readonly SelfField[] = [
  { name: 'time', source: 'time', type: 'timestamp', role: 'time' },
  { name: 'process', source: 'process', type: 'string', role: 'tag' },
  ...[
    'rows_per_second',
    'rejected_per_second',
    'requests_per_second',
    'queries_per_second',
    'query_p50_ms',
    'query_p99_ms',
    'pending_rows',
    'journal_bytes',
    'stored_bytes',
    'memory_bytes',
    'processors',
    'live_readers',
  ].map(metric),
]

/** Resource usage of the process. */
export interface ProcessUse {
  readonly cpuSeconds: number
  readonly memoryBytes: number
}

export interface SelfFiguresParts {
  /** Reads a monotonic clock. */
  readonly elapsedMs: () => number
  readonly use: () => ProcessUse
  /** Null if the engine does not have this level. */
  readonly level: (name: keyof Levels) => number | null
}

/** The number of newest queries whose times are kept. */
const queriesMax = 4096

interface Counted {
  rows: number
  rejected: number
  requests: number
  queries: number
}

const nothing = (): Counted => ({ rows: 0, rejected: 0, requests: 0, queries: 0 })

export class SelfFigures {
  readonly #parts: SelfFiguresParts
  readonly #queryMs: number[] = []
  #counted = nothing()
  #fromMs: number
  #cpuSeconds: number
  #ownIngestId: number | null = null

  constructor(parts: SelfFiguresParts) {
    this.#parts = parts
    this.#fromMs = parts.elapsedMs()
    this.#cpuSeconds = parts.use().cpuSeconds
  }

  /** Excludes the rows of this ingest, which are the history itself. */
  leaveOut(ingestId: number): void {
    this.#ownIngestId = ingestId
  }

  readonly observe = (event: ServiceEvent): void => {
    const counted = this.#counted
    switch (event.kind) {
      case 'requestServed':
        counted.requests += 1
        return
      case 'queryAnswered':
        this.#queryMs[counted.queries % queriesMax] = event.ms
        counted.queries += 1
        return
      case 'pushTaken':
        if (event.ingestId !== this.#ownIngestId) counted.rows += event.rows
        return
      case 'rowsValidated':
        for (const { ingestId, rejected } of event.ingests)
          if (ingestId !== this.#ownIngestId) counted.rejected += rejected
        return
    }
  }

  /** The values by field, without time and process; unknown values are omitted. Starts the next row. */
  take(): Readonly<Record<string, number>> {
    const { elapsedMs, use, level } = this.#parts
    const nowMs = elapsedMs()
    const seconds = Math.max(0.001, (nowMs - this.#fromMs) / 1000)
    const { cpuSeconds, memoryBytes } = use()
    const { rows, rejected, requests, queries } = this.#counted
    const times = this.#queryMs.slice(0, queries).sort((a, b) => a - b)
    const values = {
      rows_per_second: rows / seconds,
      rejected_per_second: rejected / seconds,
      requests_per_second: requests / seconds,
      queries_per_second: queries / seconds,
      query_p50_ms: quantile(times, 0.5),
      query_p99_ms: quantile(times, 0.99),
      pending_rows: level('pending_rows'),
      journal_bytes: level('journal_bytes'),
      stored_bytes: level('stored_bytes'),
      memory_bytes: memoryBytes,
      processors: (cpuSeconds - this.#cpuSeconds) / seconds,
      live_readers: level('live_readers'),
    }
    this.#fromMs = nowMs
    this.#cpuSeconds = cpuSeconds
    this.#counted = nothing()
    this.#queryMs.length = 0
    return Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[name, Math.round(value * 1000) / 1000]],
      ),
    )
  }
}

/** The smallest value that at least this share of the sorted values do not exceed; null if there are none. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
