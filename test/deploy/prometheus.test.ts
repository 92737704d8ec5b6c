import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the alerts are about metrics that there are', () => {
  const known = new Set(readFileSync('docs/metrics.md', 'utf8').match(/\btidemark_\w+/g))
  const named = readFileSync('deploy/prometheus/rules.yaml', 'utf8').match(/\btidemark_\w+/g) ?? []
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
