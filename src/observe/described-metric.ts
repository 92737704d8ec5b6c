import type { Registry } from 'prom-client'

/** A metric as the documentation tells of it. */
export interface DescribedMetric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

/** Notes what a metric is called and what it says, and gives the options that make it. */
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
