import { expect, test } from 'vitest'
import { ObservedConditions } from './observed-conditions.ts'

const away = { kind: 'partAway', part: 'kafka', message: 'gone' } as const

test('a lasting condition is reported as long as it lasts, an event once', () => {
  const observed = new ObservedConditions()
  observed.observe(away)
  observed.observe({ kind: 'diskFilling', disk: 'd', freeBytes: 1.5, floorBytes: 2 })
  observed.observe({ kind: 'replicaBehind', position: 1, lagMs: 2, lagBytes: 3, error: null })
  observed.observe({ kind: 'backupFailed', message: 'full' })
  const kinds = (): readonly string[] => observed.take().map(({ kind }) => kind)
  expect(kinds()).toEqual(['part_away', 'disk_low', 'replica_behind', 'backup_failed'])
  expect(kinds()).toEqual(['part_away', 'disk_low', 'replica_behind'])
  observed.observe({ kind: 'partBack', part: 'kafka' })
  observed.observe({ kind: 'diskRecovered', disk: 'd', freeBytes: 9, floorBytes: 2 })
  observed.observe({ kind: 'replicaCaughtUp', position: 1 })
  expect(kinds()).toEqual([])
})

test('a condition that ended before it was reported, or could not be stored, is reported nevertheless', () => {
  const observed = new ObservedConditions()
  observed.observe(away)
  observed.observe({ kind: 'partBack', part: 'kafka' })
  const taken = observed.take()
  expect(taken).toEqual([
    { key: 'part kafka', kind: 'part_away', details: { part: 'kafka', message: 'gone' }, isOver: true },
  ])
  observed.giveBack(taken)
  expect(observed.take()).toEqual(taken)
  observed.observe(away)
  observed.giveBack(observed.take())
  observed.observe({ kind: 'partBack', part: 'kafka' })
  expect(observed.take()).toEqual(taken)
  for (let times = 0; times < 200; times++) observed.observe({ kind: 'backupFailed', message: 'full' })
  expect(observed.take()).toHaveLength(100)
})
