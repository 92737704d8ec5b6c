import type { Registry } from 'prom-client'

/** A metric as documented. */
export interface DescribedMetric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

/** Records the name and help of a metric, and returns the options that create it. */
export type DescribeMetric = (
  type: DescribedMetric['type'],
  name: string,
  help: string,
  labels?: string[],
) => {
  name: string
  help: string
  labelNames: string[]
  registers: Registry[]
}
