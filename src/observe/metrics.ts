import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { failedWorks } from './background-work.ts'
import type { DescribedMetric, DescribeMetric } from './described-metric.ts'
import type { Observe, ServiceEvent } from './event.ts'
import { describeIngests, IngestMetrics, type WatchedIngests } from './ingest-metrics.ts'
import { describeRequests, RequestMetrics } from './request-metrics.ts'

const shortSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Metrics counted and measured from events, in the order of the documentation: those with buckets are histograms, `_total` are counters. */
const counted = {
  http_request_failures_total: 'Requests that failed with an unexpected error (500).',
  journal_written_bytes_total: 'Bytes written to the journal.',
  journal_rows_total: 'Rows acknowledged: they are on disk.',
  journal_write_seconds: { help: 'Time of one journal write with its fsync.', buckets: shortSeconds },
  journal_failed: '1 after a failed journal write: pushes are no longer acknowledged.',
  rows_validated_total: 'Rows that were validated for the first time.',
  rows_revalidated_total:
    'Journal rows validated again after a start, after a restart of the store, or by another pipeline; not in `tidemark_rows_validated_total`.',
  rows_rejected_total: 'Rejected rows, each counted once even if validated again.',
  rows_replayed_total: 'Rejected rows that a replay stored, each counted once.',
  store_ready: '1 while the store answers queries.',
  store_deaths_total: 'Crashes of the store, each followed by a restart.',
  sql_engine_ready: '1 while the SQL engine answers queries. It starts with the first query.',
  sql_engine_deaths_total: 'Crashes of the SQL engine, each followed by a restart.',
  sealed_rows_total: 'Rows written to files at seals.',
  sealed_position: 'Rows before this position are in files.',
  seal_seconds: { help: 'Time of a seal.', buckets: seconds },
  merged_rows_total: 'Rows written to files when files were merged.',
  merge_seconds: { help: 'Time of a merge of files.', buckets: seconds },
  storage_failures_total: { help: 'Background work that failed and will be tried again.', labels: ['work'] },
  damaged_files_met_total: 'Queries that met a damaged file.',
  backups_total: 'Backups made.',
  refused_keys_total: 'Requests with an unknown key; `limits.failedKeysPerMinute` slows them down.',
  tls_certificate_expires_timestamp_seconds:
    "Expiry of the service's certificate, in seconds since 1970; 0 with plain HTTP.",
  tls_certificate_refused: '1 while the certificate files are invalid; the previous certificate stays in use.',
} as const

type Counted = {
  readonly [Name in keyof typeof counted]: (typeof counted)[Name] extends { readonly buckets: unknown }
    ? Histogram
    : Name extends `${string}_total`
      ? Counter
      : Gauge
}

/** Gauges that are read whenever the metrics are. */
const levels = {
  idempotency_keys:
    'Idempotency keys of the last 24 hours; `limits.idempotencyKeys` is the limit. On a cluster PostgreSQL counts them, seconds late, and for millions to within about 1 %.',
  idempotency_key_bytes: 'Memory of the idempotency keys.',
  journal_bytes: 'Size of the journal on disk.',
  journal_backlog_bytes:
    'Bytes of pushes that this process acknowledged and that are not validated yet; `journal.backlogBytes` is the limit.',
  pending_rows: 'Rows that this process acknowledged and that are not validated yet.',
  waiting_entities:
    'On a cluster, entities whose rows cannot be queried yet because Druid has no free slots to read them.',
  disk_free_bytes:
    'Free space on the disk of the data folder, or on the fullest Kafka disk of a cluster; below `journal.diskFloorBytes` pushes are refused.',
  rejected_kept_bytes: 'Size of the rejected rows of all ingests.',
  rejected_kept_bytes_max:
    'The same for the ingest with the largest size; above `limits.rejectedBytes` its pushes are refused.',
  quarantine_entries: 'Pushes in quarantine because they crashed validation.',
  quarantine_rows: 'Rows of these pushes that were not validated.',
  replica_position: 'Rows before this position are in the replica (`replica.url`).',
  replica_lag_seconds: 'Age of the oldest data that is not in the replica yet.',
  replica_lag_bytes: 'Bytes of the journal that are not in the replica yet.',
  replica_failing: '1 while the replica cannot be written.',
  running_queries: 'Queries that run now; `limits.runningQueries` is the limit.',
  waiting_queries: 'Queries in the queue; above `limits.waitingQueries` more are refused.',
  live_readers: 'Readers of live rows; `limits.liveReaders` is the limit.',
  stored_files: 'Sealed files.',
  stored_rows: 'Rows in sealed files.',
  stored_bytes: 'Size of sealed files, indexes included.',
} as const
export type Levels = Readonly<Record<keyof typeof levels, () => number>>

/** Counts events for Prometheus. Labels are routes, statuses, kinds of queries and a limited number of ingests, so the number of series is bounded. */
export class Metrics {
  /** All metrics except those of the process. */
  readonly described: readonly DescribedMetric[]
  readonly #registry = new Registry()
  readonly #levels = new Map<string, () => number>()
  readonly #counted: Counted
  readonly #requests = new RequestMetrics(seconds)
  readonly #ingests = new IngestMetrics()

  constructor(options: { readonly processMetrics: boolean }) {
    const registers = [this.#registry]
    const described: DescribedMetric[] = this.#requests.times.map((times) => times.described)
    this.described = described
    const named: DescribeMetric = (type, name, help, labelNames = []) => {
      described.push({ type, name: `tidemark_${name}`, help, labels: labelNames })
      return { name: `tidemark_${name}`, help, labelNames, registers }
    }
    describeRequests(named, this.#requests)
    this.#counted = describeCounted(named)
    describeIngests(named, this.#ingests)
    describeLevels(named, this.#levels)
    if (options.processMetrics) collectDefaultMetrics({ register: this.#registry })
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE

  /** Sets the functions that read the levels. Removes the metrics of levels that the engine does not have. */
  watch(watched: Partial<Levels>): void {
    for (const [name, read] of Object.entries(watched)) this.#levels.set(name, read)
    for (const name of Object.keys(levels))
      if (!this.#levels.has(name)) this.#registry.removeSingleMetric(`tidemark_${name}`)
  }

  /** The current level; null if the engine does not have it. */
  readonly level = (name: keyof Levels): number | null => this.#levels.get(name)?.() ?? null

  /** Sets the source of the ingests; before the call none are shown. */
  watchIngests(watched: WatchedIngests): void {
    this.#ingests.watch(watched)
  }

  async text(): Promise<string> {
    const times = this.#requests.times.map((each) => `${each.text()}\n`)
    return times.join('') + (await this.#registry.metrics())
  }

  readonly observe: Observe = (event) => {
    switch (event.kind) {
      case 'requestServed':
        this.#requests.served(event)
        return
      case 'requestFailed':
        this.#counted.http_request_failures_total.inc()
        return
      case 'queryAnswered':
        this.#requests.answered(event)
        return
      default:
        this.#ingests.observe(event)
        this.#observeStore(event)
        this.#observeParts(event)
        this.#observeFiles(event)
    }
  }

  #observeStore(event: ServiceEvent): void {
    switch (event.kind) {
      case 'journalWritten':
        this.#counted.journal_written_bytes_total.inc(event.bytes)
        this.#counted.journal_rows_total.inc(event.rows)
        this.#counted.journal_write_seconds.observe(event.ms / 1000)
        return
      case 'journalFailed':
      case 'journalAway':
        this.#counted.journal_failed.set(1)
        return
      case 'journalReached':
        this.#counted.journal_failed.set(0)
        return
      case 'rowsValidated':
        this.#counted.rows_validated_total.inc(event.rows)
        this.#counted.rows_revalidated_total.inc(event.again)
        this.#counted.rows_rejected_total.inc(event.rejected)
        return
      case 'rowsReplayed':
        this.#counted.rows_replayed_total.inc(event.stored)
        return
      case 'storeStarted':
        this.#counted.store_ready.set(1)
        return
      case 'storeDied':
        this.#counted.store_ready.set(0)
        this.#counted.store_deaths_total.inc()
        return
    }
  }

  #observeParts(event: ServiceEvent): void {
    if (event.kind === 'keyRefused') this.#counted.refused_keys_total.inc()
    if (event.kind === 'certificateRefused') this.#counted.tls_certificate_refused.set(1)
    if (event.kind === 'certificateLoaded') {
      this.#counted.tls_certificate_refused.set(0)
      this.#counted.tls_certificate_expires_timestamp_seconds.set(event.validUntilMs / 1000)
    }
    if (event.kind === 'sqlEngineStarted') this.#counted.sql_engine_ready.set(1)
    if (event.kind !== 'sqlEngineDied') return
    this.#counted.sql_engine_ready.set(0)
    this.#counted.sql_engine_deaths_total.inc()
  }

  #observeFiles(event: ServiceEvent): void {
    const failed = failedWorks.get(event.kind)
    if (failed !== undefined) this.#counted.storage_failures_total.inc({ work: failed.work })
    switch (event.kind) {
      case 'sealed':
        this.#counted.sealed_rows_total.inc(event.rows)
        this.#counted.sealed_position.set(event.position)
        this.#counted.seal_seconds.observe(event.ms / 1000)
        return
      case 'merged':
        this.#counted.merged_rows_total.inc(event.rows)
        this.#counted.merge_seconds.observe(event.ms / 1000)
        return
      case 'fileDamaged':
        this.#counted.damaged_files_met_total.inc()
        return
      case 'backupMade':
        this.#counted.backups_total.inc()
        return
    }
  }
}

function describeCounted(named: DescribeMetric): Counted {
  const made = Object.entries(counted).map(([name, told]) => {
    if (typeof told === 'string')
      return [
        name,
        name.endsWith('_total') ? new Counter(named('counter', name, told)) : new Gauge(named('gauge', name, told)),
      ]
    if ('labels' in told) return [name, new Counter(named('counter', name, told.help, [...told.labels]))]
    return [name, new Histogram({ ...named('histogram', name, told.help), buckets: [...told.buckets] })]
  })
  return Object.fromEntries(made)
}

/** Each level is read with its function in `known` when the metrics are collected. */
function describeLevels(named: DescribeMetric, known: ReadonlyMap<string, () => number>): void {
  for (const [name, help] of Object.entries(levels)) {
    new Gauge({
      ...named('gauge', name, help),
      collect() {
        const read = known.get(name)
        if (read !== undefined) this.set(read())
      },
    })
  }
}
