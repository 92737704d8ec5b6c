import { expect, test } from 'vitest'
import { parsePeriod } from './iso.ts'
import { periodGranularity, walkStarts } from './native-granularity.ts'
import { walkRuns } from './walk-runs.ts'
import { Zone } from './zone.ts'

test.each([
  ['P1DT12H', 'Europe/Madrid'],
  ['P1W1D', 'America/New_York'],
  ['P3DT0.5S', 'Australia/Lord_Howe'],
  ['P1DT23H59M', 'Africa/Casablanca'],
  ['P45DT7H', 'America/St_Johns'],
  ['P1DT1H', 'Asia/Kolkata'],
])('runs of %s in %s have the same starts as a step-by-step walk', (period, name) => {
  const granularity = periodGranularity(parsePeriod(period)!, Zone.find(name)!, null)!
  if (granularity.kind !== 'walk') throw new Error('it is walked')
  const [fromMs, untilMs] = [Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)]
  const runs = walkRuns(granularity, fromMs, untilMs)
  const starts = runs.flatMap(({ fromMs: start, widthMs }, index) => {
    const end = runs[index + 1]?.fromMs ?? untilMs + 1
    return Array.from({ length: Math.ceil((end - start) / widthMs) }, (_, step) => start + step * widthMs)
  })
  expect(starts).toEqual(walkStarts(granularity, fromMs, untilMs, Number.POSITIVE_INFINITY))
  expect(runs.length).toBeLessThan(1500)
})
