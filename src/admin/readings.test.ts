import { beforeEach, describe, expect, test } from 'vitest'
import { catalog, entities, ingests, reported, useAdminSide } from '../../test/support/admin-side.ts'

useAdminSide()

describe('reading settings of an entity', () => {
  beforeEach(async () => {
    await ingests.create({ alias: 'e', kind: 'series' })
    const fields = [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'shape', type: 'string', role: 'attribute' },
    ] as const
    await ingests.create({ alias: 'tags', kind: 'metadata', fields: [...fields] })
  })

  test('are set, shown, kept if omitted, and removed with null', async () => {
    const before = reported.changes
    expect(await entities.change('e', { time_zone: 'Europe/Madrid', shapes: { V: 'step' } })).toMatchObject({
      time_zone: 'Europe/Madrid',
      shapes: { V: 'step' },
      max_gaps: {},
      shape_from: null,
      retention: null,
    })
    expect(reported.changes).toBe(before + 1)
    const shape_from = { table: 'tags', attribute: 'shape' }
    await entities.change('e', { shape_from, max_gaps: { V: 'PT1H' }, retention: 'P90D' })
    expect((await catalog.ingests.entities())[0]).toMatchObject({
      retention: 'P90D',
      reading: { timeZone: 'Europe/Madrid', shapes: { V: 'step' }, maxGaps: { V: 'PT1H' }, shapeFrom: shape_from },
    })
    await entities.change('e', { time_zone: null, shapes: null, max_gaps: null })
    expect((await catalog.ingests.entities())[0]?.reading).toEqual({ shapeFrom: shape_from })
  })

  test.each([
    ['time_zone', { time_zone: 'Europe/Madird' }, 'IANA'],
    ['shapes', { shapes: { W: 'step' as const } }, 'its metrics are V'],
    ['max_gaps', { max_gaps: { V: '1h' } }, 'ISO 8601 duration'],
    ['shape_from', { shape_from: { table: 'tag', attribute: 'shape' } }, 'no metadata table "tag"'],
    ['shape_from', { shape_from: { table: 'tags', attribute: 'form' } }, 'it has shape'],
  ])('are unchanged by an invalid %s', async (path, change, words) => {
    const message = expect.stringContaining(words)
    await expect(entities.change('e', { retention: 'P1D', ...change })).rejects.toMatchObject({
      code: 'invalid_request',
      message,
      errors: [{ path }],
    })
    expect((await catalog.ingests.entities())[0]).toMatchObject({ retention: null })
  })

  test('cannot be set for an unknown entity', async () => {
    await expect(entities.change('f', { time_zone: 'Europe/Madrid' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
