import { expect, test } from 'vitest'
import { metricsOf } from '../../parts/metrics-text.ts'
import { addReading, drawnMetric, type MetricReading } from './metric-history.ts'

const text = (requests: number, bytes: number): string =>
  `x_requests_total{route="a"} ${requests}\nx_requests_total{route="b"} 10\nx_bytes ${bytes}\n`

const readings = [
  [0, 0, 5],
  [3, 6, 7],
  [6, 12, 9],
  [9, 2, 1],
  [90, 8, 2],
].reduce<readonly MetricReading[]>(
  (before, [second, requests, bytes]) => addReading(before, metricsOf(text(requests!, bytes!)), second! * 1000),
  [],
)

test('a counter is drawn as its rate per second, with a gap where the rate is unknown', () => {
  expect(drawnMetric(readings, 'x_requests_total')).toEqual([
    [3, 6, 9, 90],
    [2, 2, null, null],
  ])
})

test('any other metric is drawn as read, with a gap while the tab took no readings', () => {
  expect(drawnMetric(readings, 'x_bytes')).toEqual([
    [0, 3, 6, 9, 49.5, 90],
    [5, 7, 9, 1, null, 2],
  ])
})

test('keeps no more than a quarter of an hour', () => {
  let kept: readonly MetricReading[] = []
  for (let second = 0; second < 1000; second++) kept = addReading(kept, metricsOf(text(second, 1)), second * 1000)
  expect([kept.length, kept[0]!.ms]).toEqual([300, 700_000])
})
