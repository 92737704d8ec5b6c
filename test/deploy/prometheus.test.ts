import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { knownSeries, unknownIn } from './known-metrics.ts'

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
const rules = 'deploy/prometheus/rules.yaml'
const alerts = (parse(readFileSync(rules, 'utf8')) as Rules).groups.flatMap((group) => group.rules)

test('the alerts use existing metrics and labels', async () => {
  const known = await knownSeries()
  expect(alerts.length).toBeGreaterThan(10)
  expect(alerts.flatMap(({ expr }) => unknownIn(expr, known))).toEqual([])
})

test('an expression with an unknown metric or label is detected', async () => {
  const known = await knownSeries()
  expect(unknownIn('sum by (tag) (rate(tidemark_nothing_total{route="x"}[5m]))', known)).toEqual([
    'there is no tidemark_nothing_total',
  ])
  expect(unknownIn('sum by (tag) (tidemark_http_request_seconds_bucket{work="x", le="1"})', known)).toEqual([
    'tidemark_http_request_seconds_bucket has no label work',
    'sum by (tag) (tidemark_http_request_seconds_bucket{work="x", le="1"}) groups by tag',
  ])
})

test('each alert has a test', () => {
  const tried = readFileSync('test/deploy/alerts.test.yaml', 'utf8')
  expect(alerts.map(({ alert }) => alert).filter((name) => !tried.includes(`alertname: ${name}\n`))).toEqual([])
})
