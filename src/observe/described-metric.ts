/** A metric as the documentation tells of it. */
export interface DescribedMetric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}
