import { describe, expect, test } from 'vitest'
import { Zone } from '../druid-time/zone.ts'
import type { Entity } from '../model/entity.ts'
import { formatInstant } from '../model/instant.ts'
import { Faults } from './faults.ts'
import { planQuery } from './plan-query.ts'
import { readRange } from './range.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

function ranged(zone: string, start_date: string, end_date: string): string[] {
  const faults = new Faults()
  const { fromMs, toMs } = readRange({ start_date, end_date }, 0, faults, Zone.find(zone)!)
  faults.throwIfAny()
  return [fromMs, toMs].map((ms) => formatInstant(ms).replace(/:00\.000Z$/, ''))
}

describe('dates in local time', () => {
  test.each<[string, string, string, string, string]>([
    ['Europe/Madrid', '2026-01-01', '2026-07-01', '2025-12-31T23:00', '2026-06-30T22:00'],
    ['Europe/Madrid', '2026-01-01T00:00Z', '2026-07-01T00:00+00:00', '2026-01-01T00:00', '2026-07-01T00:00'],
    // Days of 23 and of 25 hours: by the calendar, and by hours.
    ['Europe/Madrid', '2026-03-29', 'P1D', '2026-03-28T23:00', '2026-03-29T22:00'],
    ['Europe/Madrid', '2026-03-29', 'PT24H', '2026-03-28T23:00', '2026-03-29T23:00'],
    ['Europe/Madrid', 'P1D', '2026-10-26', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['Europe/Madrid', '2026-01-31', 'P1M', '2026-01-30T23:00', '2026-02-27T23:00'],
    // The first and the last minute of the gap; the hour that repeats.
    ['Europe/Madrid', '2026-03-29T02:00', '2026-03-29T02:59', '2026-03-29T01:00', '2026-03-29T01:00'],
    ['Europe/Madrid', '2026-10-25T02:00', '2026-10-25T03:00', '2026-10-25T00:00', '2026-10-25T02:00'],
    // A midnight that the clocks skip, and a day that they skip.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-05', '2018-11-04T03:00', '2018-11-05T02:00'],
    ['Pacific/Apia', '2011-12-30', '2011-12-31', '2011-12-30T10:00', '2011-12-30T10:00'],
    ['Asia/Kathmandu', '2026-01-01', '2026-01-02', '2025-12-31T18:15', '2026-01-01T18:15'],
    ['UTC', '2026-01-01', 'P1D', '2026-01-01T00:00', '2026-01-02T00:00'],
  ])('%s from %s to %s', (zone, start, end, from, to) => {
    expect(ranged(zone, start, end)).toEqual([from, to])
  })
})

describe("the entity's own zone", () => {
  const context = { nowMs: 0, bucketsMax: 100, entity: { ...plant, reading: { timeZone: 'Europe/Madrid' } } }
  const day = { entity: 'plant', granularity: 'day', start_date: '2026-01-01', end_date: '2026-01-02' }

  test('defines the buckets, while dates without a zone are in UTC', () => {
    expect(planQuery('average', day, context)).toMatchObject({
      range: { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2) },
      granularity: { kind: 'zoned', zone: 'Europe/Madrid', buckets: { kind: 'days', days: 1 } },
    })
  })

  test('is overridden by the zone of the request', () => {
    expect(planQuery('average', { ...day, time_zone: 'UTC' }, context)).toMatchObject({
      granularity: { kind: 'uniform', widthMs: 86_400_000 },
    })
  })

  test.each([
    ['PT5M', 'uniform'],
    ['5m', 'uniform'],
    ['1d', 'zoned'],
    ['2w', 'zoned'],
    ['hour', 'uniform'],
    ['P1M1D', 'zoned'],
    ['all', 'all'],
    ['none', 'uniform'],
  ])('the granularity %s becomes %s', (granularity, kind) => {
    expect(planQuery('average', { ...day, granularity }, context)).toMatchObject({ granularity: { kind } })
  })
})

test.each([
  ['1d', 'more than 1000000'],
  ['1h', 'more than 1000000'],
  ['P1DT1H', 'more than 1000000'],
])('refuses more ticks by %s than the limit', (granularity, count) => {
  const request = {
    entity: 'plant',
    granularity,
    time_zone: 'Europe/Madrid',
    start_date: '0001-01-01',
    end_date: '9999-01-01',
  }
  expect(() => planQuery('snap', request, { nowMs: 0, bucketsMax: 1_000_000, entity: plant })).toThrow(
    `The range has ${count} ticks at this granularity, and limits.buckets is 1000000`,
  )
})

test('accepts exactly as many ticks as the limit', () => {
  const request = {
    entity: 'plant',
    granularity: '1h',
    time_zone: 'Australia/Lord_Howe',
    start_date: '2026-01-01',
    end_date: '2026-01-01T09:59',
  }
  expect(planQuery('snap', request, { nowMs: 0, bucketsMax: 10, entity: plant })).toMatchObject({
    ticksMs: { length: 10 },
  })
})
