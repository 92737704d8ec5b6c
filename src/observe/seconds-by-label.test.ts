import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { SecondsByLabel } from './seconds-by-label.ts'

const buckets = [0.0005, 0.01, 1, 60]
const observed: readonly (readonly [value: string, seconds: number])[] = [
  ['/consumer/data/average', 0.0004],
  ['/consumer/data/average', 0.0005],
  ['/consumer/data/average', 0.000501],
  ['/consumer/data/latest', 61],
  ['/consumer/data/latest', 0],
  ['/ingests/:alias/data', 1],
  ['a "quoted" \\ value\nof two lines', 0.3],
]

test('exports the same text as a Histogram of prom-client', async () => {
  const registry = new Registry()
  const named = { name: 'request_seconds', help: 'Time to answer.' }
  const theirs = new Histogram({ ...named, labelNames: ['route'], buckets: [...buckets], registers: [registry] })
  const ours = new SecondsByLabel({ ...named, label: 'route', buckets })
  expect(ours.text()).toBe(await registry.metrics())
  for (const [route, seconds] of observed) {
    theirs.observe({ route }, seconds)
    ours.observe(route, seconds)
  }
  expect(ours.text()).toBe(await registry.metrics())
})
