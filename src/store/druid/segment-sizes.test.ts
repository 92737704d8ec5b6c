import { expect, test } from 'vitest'
import { druidUnavailable } from '../../druid-client/druid-failure.ts'
import { segmentSizes } from './segment-sizes.ts'

const source = (name: string, segments: object) => ({ name, properties: { tiers: {}, segments } })

test('returns the segments of the requested entities and of no other data source', async () => {
  const range = { minTime: '2026-01-01T00:00:00.000Z', maxTime: '2026-01-03T00:00:00.000Z' }
  const listed = [
    source('plant_1', { count: 3, size: 900, replicatedSize: 1800, ...range }),
    source('plant_2', { count: 1, size: 10, minTime: '-146136543-09-08T08:23:32.096Z', maxTime: null }),
    source('plant_3', { count: 9, size: 9, ...range }),
    source('plants_1', { count: 9, size: 9, ...range }),
    { name: 'plant_5' },
  ]
  expect(await segmentSizes({ manage: async () => listed }, 'plant', [2, 1, 5, 6])).toEqual(
    new Map([
      [1, { files: 3, rows: null, bytes: 900, firstMs: Date.UTC(2026, 0, 1), lastMs: Date.UTC(2026, 0, 3) }],
      [2, { files: 1, rows: null, bytes: 10, firstMs: null, lastMs: null }],
    ]),
  )
})

test('fails with "unavailable" when Druid is unavailable', async () => {
  const manage = () => Promise.reject(druidUnavailable(new Error('refused')))
  await expect(segmentSizes({ manage }, 'plant', [1])).rejects.toMatchObject({ code: 'unavailable' })
})
