// Counters of requests and queries. Counting only changes a number in a map: labels become text when the metrics are read.
import { Counter } from 'prom-client'
import type { DescribeMetric } from './described-metric.ts'
import type { ServiceEvent } from './event.ts'
import { SecondsByLabel } from './seconds-by-label.ts'

export class RequestMetrics {
  readonly #requests = new Map<string, Map<number, number>>()
  readonly #queryRows = new Map<string, number>()
  readonly #requestSeconds: SecondsByLabel
  readonly #querySeconds: SecondsByLabel

  /** `buckets` apply to both times, in seconds. */
  constructor(buckets: readonly number[]) {
    this.#requestSeconds = new SecondsByLabel({
      name: 'tidemark_http_request_seconds',
      help: 'Time to answer a request.',
      ...{ label: 'route', buckets },
    })
    this.#querySeconds = new SecondsByLabel({
      name: 'tidemark_query_seconds',
      help: 'Time to compute the answer of a query.',
      ...{ label: 'query', buckets },
    })
  }

  get times(): readonly SecondsByLabel[] {
    return [this.#requestSeconds, this.#querySeconds]
  }

  served({ route, status, ms }: Extract<ServiceEvent, { kind: 'requestServed' }>): void {
    let statuses = this.#requests.get(route)
    if (statuses === undefined) {
      statuses = new Map()
      this.#requests.set(route, statuses)
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    this.#requestSeconds.observe(route, ms / 1000)
  }

  answered({ query, rows, ms }: Extract<ServiceEvent, { kind: 'queryAnswered' }>): void {
    this.#queryRows.set(query, (this.#queryRows.get(query) ?? 0) + rows)
    this.#querySeconds.observe(query, ms / 1000)
  }

  *requests(): Iterable<{ readonly route: string; readonly status: number; readonly count: number }> {
    for (const [route, statuses] of this.#requests)
      for (const [status, count] of statuses) yield { route, status, count }
  }

  get queryRows(): ReadonlyMap<string, number> {
    return this.#queryRows
  }
}

/** The counters of `metrics`, computed when they are collected. */
export function describeRequests(named: DescribeMetric, metrics: RequestMetrics): void {
  new Counter({
    ...named('counter', 'http_requests_total', 'Requests answered.', ['route', 'status']),
    collect() {
      this.reset()
      for (const { route, status, count } of metrics.requests()) this.inc({ route, status }, count)
    },
  })
  new Counter({
    ...named('counter', 'query_rows_total', 'Rows in the answers of queries.', ['query']),
    collect() {
      this.reset()
      for (const [query, rows] of metrics.queryRows) this.inc({ query }, rows)
    },
  })
}
