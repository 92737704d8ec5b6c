import { describe, expect, test } from 'vitest'
import {
  catalog,
  entities,
  ingests,
  now,
  nowMs,
  pages,
  refusal,
  rejected,
  reported,
  rows,
  useAdminSide,
} from '../../test/support/admin-side.ts'

useAdminSide()

test('an ingest shows since when its entity has waited for slots, only while it waits', async () => {
  expect(await ingests.create({ alias: 'a', kind: 'series' })).not.toHaveProperty('waits_for_slots_since')
  reported.waitingSinceMs = nowMs()
  expect(await ingests.show('a')).toMatchObject({ waits_for_slots_since: now })
  reported.waitingSinceMs = null
  expect(await ingests.show('a')).not.toHaveProperty('waits_for_slots_since')
})

describe('deleting an ingest', () => {
  test('keeps its entity, or drops it if no other ingest feeds it', async () => {
    for (const alias of ['a', 'b', 'c']) await ingests.create({ alias, kind: 'series', entity: 'e' })
    await expect(ingests.delete('a', 'drop')).rejects.toEqual(refusal('conflict', 'data'))
    await ingests.delete('a', 'keep')
    await expect(ingests.delete('a', 'keep')).rejects.toEqual(refusal('ingest_not_found'))
    await ingests.delete('b', 'keep')
    expect((await entities.list({})).Items).toMatchObject([{ entity: 'e', ingests: ['c'] }])
    expect(reported.drops).toBe(0)
    await ingests.delete('c', 'drop')
    expect((await entities.list({})).Items).toEqual([])
    expect(reported.drops).toBe(1)
    expect(await catalog.dropped.list()).toEqual([{ entityId: 1, ingestIds: [1, 2, 3], isRemoved: false }])
  })

  test('notifies the store even if the changed definitions cannot be read', async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    reported.unread = true
    await expect(ingests.delete('a', 'drop')).rejects.toThrow('away')
    expect(reported.drops).toBe(1)
  })
})

describe('ingests', () => {
  test('are created, shown and changed', async () => {
    const fields = [
      { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', source: 'T', type: 'string', role: 'tag' },
      { name: 'V', source: 'V', type: 'double', role: 'metric' },
    ]
    const answer = {
      alias: 'a',
      kind: 'series',
      entity: 'a',
      fields,
      duplicates: 'keep',
      unknown: 'reject',
      lines: null,
      state: 'active',
      reason: null,
      created: now,
      counters: { received: 1, stored: 0, rejected: 0, pending: 1 },
    }
    expect(await ingests.create({ alias: 'a', kind: 'series' })).toEqual(answer)
    expect(await ingests.show('a')).toEqual(answer)
    expect(reported.changes).toBe(1)
    const added = { name: 'W', type: 'long', role: 'metric' } as const
    expect(await ingests.change('a', { state: 'blocked', reason: 'repairs', add_fields: [added] })).toEqual({
      ...answer,
      fields: [...fields, { ...added, source: 'W' }],
      state: 'blocked',
      reason: 'repairs',
    })
    expect(await ingests.change('a', { state: 'active' })).toMatchObject({ state: 'active', reason: null })
    expect(reported.changes).toBe(3)
  })

  test('of kind metadata have no entity', async () => {
    const request = { alias: 'm', kind: 'metadata', fields: [{ name: 'id', type: 'long', role: 'index' }] } as const
    const answer = await ingests.create({ ...request, fields: [...request.fields] })
    expect(Object.keys(answer)).toEqual(['alias', 'kind', 'fields', 'state', 'reason', 'created', 'counters'])
    expect((await entities.list({})).Items).toEqual([])
  })

  test('are refused as not found if they do not exist', async () => {
    await expect(ingests.show('a')).rejects.toEqual(refusal('ingest_not_found'))
    await expect(ingests.change('a', { state: 'active' })).rejects.toEqual(refusal('ingest_not_found'))
    await expect(rejected.list('a', {})).rejects.toEqual(refusal('ingest_not_found'))
  })

  test('are unchanged by a refused request', async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    await expect(ingests.create({ alias: 'a', kind: 'series' })).rejects.toEqual(refusal('conflict', 'alias'))
    await expect(ingests.create({ alias: '?', kind: 'series' })).rejects.toEqual(refusal('invalid_request', 'alias'))
    const time = { name: 'E', type: 'timestamp', role: 'time' } as const
    await expect(ingests.change('a', { add_fields: [time] })).rejects.toEqual(
      refusal('invalid_request', 'add_fields[0].role'),
    )
    expect(reported.changes).toBe(1)
  })

  test('explain how to change the type of a field when they refuse it', async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    const way = 'tidemark rejected replay <ingest> --all --into <new ingest>'
    const added = { name: 'V', type: 'long', role: 'metric' } as const
    await expect(ingests.change('a', { add_fields: [added] })).rejects.toThrow(way)
    const time = { name: 'D', type: 'timestamp', role: 'time' } as const
    const tag = { name: 'T', type: 'string', role: 'tag' } as const
    await expect(
      ingests.create({ alias: 'b', kind: 'series', entity: 'a', fields: [time, tag, added] }),
    ).rejects.toThrow(way)
    await expect(ingests.change('a', { add_fields: [{ ...added, type: 'double' }] })).rejects.not.toThrow(way)
  })

  test('and entities are listed page by page', async () => {
    for (const alias of ['c', 'a', 'b', 'B']) await ingests.create({ alias, kind: 'series' })
    const aliases = (await pages((request) => ingests.list(request), 3)).map((page) => page.map(({ alias }) => alias))
    expect(aliases).toEqual([['B', 'a', 'b'], ['c']])
    const names = (await pages((request) => entities.list(request), 2)).map((page) => page.map(({ entity }) => entity))
    expect(names).toEqual([
      ['B', 'a'],
      ['b', 'c'],
    ])
    expect((await entities.list({ limit: 1 })).Items[0]).toMatchObject({ ingests: ['B'], time_field: 'D' })
  })

  test.each([0, -1, 1.5, 10_001, Number.NaN])('cannot be listed with a limit of %j', async (limit) => {
    await expect(ingests.list({ limit })).rejects.toEqual(refusal('invalid_request', 'limit'))
    await expect(rows.list({ ingestId: 1, subscriberId: null }, { limit })).rejects.toEqual(
      refusal('invalid_request', 'limit'),
    )
  })

  test('are not listed with a token of another list', async () => {
    for (const alias of ['a', 'b']) await ingests.create({ alias, kind: 'series' })
    const { NextToken } = await ingests.list({ limit: 1 })
    await expect(entities.list({ token: NextToken ?? '' })).rejects.toEqual(refusal('invalid_token', 'NextToken'))
  })
})
