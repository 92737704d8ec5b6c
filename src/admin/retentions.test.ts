import { beforeEach, describe, expect, test } from 'vitest'
import {
  catalog,
  entities,
  ingests,
  refusal,
  reported,
  retentions,
  useAdminSide,
} from '../../test/support/admin-side.ts'
import { Retentions } from './retentions.ts'

useAdminSide()

describe('retention', () => {
  const day = (text: string): number => Date.parse(`${text}Z`)
  const since = async (): Promise<number | null> => (await catalog.ingests.entities())[0]!.sinceMs
  beforeEach(async () => {
    await ingests.create({ alias: 'e', kind: 'series' })
    reported.currentMs = day('2026-03-31T00:00')
  })

  test.each([
    ['P90D', '2025-12-31'],
    ['P1M', '2026-02-28'],
    ['P1Y2M', '2025-01-31'],
    ['PT1S', '2026-03-30'],
    ['P0D', '2026-03-31'],
    ['P9999Y', null],
  ])('of %s expires the days before %s', async (retention, expected) => {
    expect(await entities.change('e', { retention })).toMatchObject({ entity: 'e', retention })
    expect(await since()).toBe(expected === null ? null : day(`${expected}T00:00`))
    expect(reported.purged).toEqual([])
  })

  test('advances by complete days, whatever the time of day', async () => {
    await entities.change('e', { retention: 'P1D' })
    for (const [time, expected] of [
      ['2026-03-31T23:59:59.999', '2026-03-30'],
      ['2026-04-01T00:00', '2026-03-31'],
      ['2026-04-02T12:00', '2026-04-01'],
    ] as const) {
      reported.currentMs = day(time)
      await retentions.check()
      expect(await since()).toBe(day(`${expected}T00:00`))
    }
    expect(reported.purged).toEqual([])
  })

  test('that is extended or removed shows no expired rows again: they are purged first', async () => {
    await entities.change('e', { retention: 'P1D' })
    await entities.change('e', { retention: 'P9D' })
    expect([await since(), reported.purged]).toEqual([day('2026-03-22T00:00'), [1]])
    await entities.change('e', { retention: null })
    expect([await since(), reported.purged]).toEqual([null, [1, 1]])
    const before = reported.changes
    await retentions.check()
    expect(reported.changes).toBe(before)
  })

  test('of one entity can be changed while another entity is purged', async () => {
    await ingests.create({ alias: 'f', kind: 'series' })
    await entities.change('e', { retention: 'P1D' })
    let purge = (): void => {}
    reported.purging = new Promise((resolve) => {
      purge = resolve
    })
    const lifted = entities.change('e', { retention: null })
    reported.currentMs += 24 * 3_600_000
    expect(await entities.change('f', { retention: 'P1D' })).toMatchObject({ retention: 'P1D' })
    expect(reported.purged).toEqual([])
    purge()
    await lifted
    expect([await since(), reported.purged]).toEqual([null, [1]])
  })

  test('interrupted during a change is completed by the next check, with its purge', async () => {
    const known = { retention: null, sinceMs: null }
    await catalog.ingests.retain(1, { retention: 'P9D', sinceMs: day('2026-03-30T00:00') }, known)
    await retentions.check()
    expect([await since(), reported.purged]).toEqual([day('2026-03-22T00:00'), [1]])
  })

  describe('with two processes', () => {
    const purges: [number, number][] = []
    /** The action of the other process while this one purges. */
    let meanwhile: () => Promise<unknown>
    let one: Retentions
    beforeEach(() => {
      purges.length = 0
      meanwhile = async () => undefined
      const purge = async (entityId: number, beforeMs: number): Promise<void> => {
        purges.push([entityId, beforeMs])
        const act = meanwhile
        meanwhile = async () => undefined
        await act()
      }
      const store = { changed: () => {}, purge }
      const changed = async (): Promise<void> => undefined
      one = new Retentions({
        ingests: catalog.ingests,
        store,
        changed,
        nowMs: () => reported.currentMs,
        reach: () => {},
      })
    })

    test('an older value never overwrites a newer one, however long its purge took', async () => {
      await one.set('e', 'P1D')
      meanwhile = () => entities.change('e', { retention: 'P0D' })
      await one.set('e', 'P90D')
      expect((await catalog.ingests.entities())[0]!.retention).toBe('P0D')
      expect([await since(), purges]).toEqual([day('2026-03-31T00:00'), [[1, day('2026-03-30T00:00')]]])
    })

    test('rows that expired during a purge are purged too, before older rows are shown', async () => {
      await one.set('e', 'P1D')
      meanwhile = async () => {
        await entities.change('e', { retention: 'P0D' })
        // When the first purge ends, the entity has another retention again, and the other process has not yet started its own purge.
        const known = (await catalog.ingests.entities())[0]!
        await catalog.ingests.retain(1, { retention: 'P9D', sinceMs: known.sinceMs }, known)
      }
      await one.set('e', null)
      expect(purges).toEqual([
        [1, day('2026-03-30T00:00')],
        [1, day('2026-03-31T00:00')],
      ])
      expect(await since()).toBe(day('2026-03-22T00:00'))
    })

    test('differing clocks agree at midnight: days expired by one clock are not restored by another', async () => {
      const store = { changed: () => {}, purge: async (entityId: number) => void reported.purged.push(entityId) }
      const changed = async (): Promise<void> => undefined
      const slow = new Retentions({
        ...{ ingests: catalog.ingests, store, changed, reach: () => {} },
        nowMs: () => reported.currentMs - 1_800_000,
      })
      await one.set('e', 'P1D')
      for (const time of ['00:00', '00:10', '00:29:59', '00:30', '00:31', '23:59']) {
        reported.currentMs = day(`2026-04-01T${time}`)
        for (const each of [one, slow, one, slow]) await each.check()
        expect(await since()).toBe(day('2026-03-31T00:00'))
      }
      expect([purges, reported.purged]).toEqual([[], []])
      // A request for a longer retention takes effect at once, even right before midnight.
      await one.set('e', 'P2D')
      expect([await since(), purges]).toEqual([day('2026-03-30T00:00'), [[1, day('2026-03-31T00:00')]]])
    })

    test('a change of an entity dropped meanwhile does not restore it', async () => {
      await one.set('e', 'P1D')
      meanwhile = () => ingests.delete('e', 'drop')
      expect(await one.set('e', null)).toBe(true)
      expect(await catalog.ingests.entities()).toEqual([])
      expect(await one.set('e', null)).toBe(false)
    })
  })

  test.each(['', '90', 'P', 'P1.5D', '-P1D', 'p1d'])('%j is refused', async (retention) => {
    await expect(entities.change('e', { retention })).rejects.toEqual(refusal('invalid_request', 'retention'))
  })

  test('of an unknown entity is refused', async () => {
    await expect(entities.change('x', { retention: null })).rejects.toEqual(refusal('not_found'))
    await expect(entities.change('x', {})).rejects.toEqual(refusal('not_found'))
  })
})
