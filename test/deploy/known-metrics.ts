import { Metrics } from '../../src/observe/metrics.ts'

/** The labels of each time series in /metrics, by its name, including the `le` of histograms and the labels that Prometheus adds. */
export async function knownSeries(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = new Metrics({ processMetrics: true })
  const added = ['job', 'instance']
  const series = new Map<string, ReadonlySet<string>>()
  for (const [, name, type] of (await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const labels = [...added, ...(metrics.described.find((one) => one.name === name)?.labels ?? [])]
    series.set(name!, new Set(labels))
    if (type !== 'histogram') continue
    for (const part of ['sum', 'count']) series.set(`${name}_${part}`, new Set(labels))
    series.set(`${name}_bucket`, new Set([...labels, 'le']))
  }
  return series
}

/** The unknown metrics and labels in a PromQL expression, as one message each. */
export function unknownIn(expression: string, known: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const faults: string[] = []
  const named: ReadonlySet<string>[] = []
  for (const [, name, matchers = ''] of expression.matchAll(/\b((?:tidemark|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = known.get(name!)
    if (labels === undefined) faults.push(`there is no ${name}`)
    else {
      named.push(labels)
      for (const [, label] of matchers.matchAll(/(\w+)\s*[=!]/g))
        if (!labels.has(label!)) faults.push(`${name} has no label ${label}`)
    }
  }
  for (const [, list] of expression.matchAll(/\bby\s*\(([^)]*)\)/g)) {
    for (const label of list!.split(',').map((one) => one.trim()))
      if (!named.every((labels) => labels.has(label))) faults.push(`${expression} groups by ${label}`)
  }
  return faults
}
