// Parses metrics in Prometheus' text format, one sample per line.
import { addTo } from '../../../src/lib/add-to.ts'

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export type Metrics = ReadonlyMap<string, readonly Sample[]>

const line = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/
const label = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark))

export function metricsOf(text: string): Metrics {
  const metrics = new Map<string, Sample[]>()
  for (const one of text.split('\n')) {
    const match = line.exec(one)
    if (match === null) continue
    const [, name = '', labels = '', value = ''] = match
    const pairs = [...labels.matchAll(label)].map(([, key = '', word = '']) => [key, unescaped(word)])
    addTo(metrics, name, { labels: Object.fromEntries(pairs), value: Number(value) })
  }
  return metrics
}
