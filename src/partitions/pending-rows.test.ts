// Compared with a list of all pushes, whose memory grows with their number.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { positionAfter } from '../journal/journal.ts'
import { partitionOf, positionAt, recordsOf } from '../journal/partition-position.ts'
import { PendingRows } from './pending-rows.ts'

const partition = fc.integer({ min: 0, max: 2 })
const push = fc.record({ partition, ingestId: fc.integer({ min: 1, max: 3 }), rows: fc.integer({ min: 0, max: 600 }) })
/** A partition advances by this percentage of its waiting pushes. */
const reach = fc.record({ partition, share: fc.integer({ min: 0, max: 100 }) })
const round = (pushes: number) => fc.record({ pushes: fc.array(push, { maxLength: pushes }), reach })
const rounds = (pushes: number) => fc.array(round(pushes), { minLength: 1, maxLength: 8 })
type Round = ReturnType<typeof round> extends fc.Arbitrary<infer One> ? One : never

interface Waiting {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** The reported and the true number after each round, for each ingest and in total. */
function* reported(all: readonly Round[]): Generator<{ readonly found: number; readonly rows: number }> {
  const pending = new PendingRows()
  const offsets = [0, 0, 0]
  let waiting: Waiting[] = []
  for (const { pushes, reach } of all) {
    for (const { partition, ingestId, rows } of pushes) {
      const accepted = { ingestId, position: positionAt(partition, offsets[partition]!), rows }
      offsets[partition] = offsets[partition]! + recordsOf(rows)
      pending.add(accepted)
      waiting.push(accepted)
    }
    const own = waiting.filter(({ position }) => partitionOf(position) === reach.partition)
    const last = own[Math.floor((own.length * reach.share) / 100) - 1]
    if (last !== undefined) {
      pending.reached(reach.partition, positionAfter(last))
      waiting = waiting.filter(({ position }) => partitionOf(position) !== reach.partition || position > last.position)
    }
    const rowsOf = (ingestId: number): number =>
      waiting.reduce((sum, one) => (one.ingestId === ingestId ? sum + one.rows : sum), 0)
    for (const ingestId of [1, 2, 3]) yield { found: pending.of(ingestId), rows: rowsOf(ingestId) }
    yield { found: pending.all, rows: rowsOf(1) + rowsOf(2) + rowsOf(3) }
  }
}

test('a few pushes are counted exactly', () => {
  fc.assert(
    fc.property(rounds(6), (steps) => {
      for (const { found, rows } of reported(steps)) expect(found).toBe(rows)
    }),
  )
})

test('the count of many pushes is 0 exactly when all are validated', () => {
  fc.assert(
    fc.property(rounds(900), (steps) => {
      for (const { found, rows } of reported(steps)) expect(found === 0).toBe(rows === 0)
    }),
    { numRuns: 20 },
  )
})

test('a million pending pushes are counted within 1 percent', () => {
  const pending = new PendingRows()
  const pushes = 1_000_000
  for (let offset = 0; offset < pushes; offset++)
    pending.add({ ingestId: offset % 4, position: positionAt(0, offset), rows: 1 })
  expect(pending.all).toBe(pushes)
  for (let done = 0; done < pushes; done += 100_000) {
    pending.reached(0, positionAt(0, done))
    const left = pushes - done
    expect(Math.abs(pending.all - left)).toBeLessThan(pushes / 100)
  }
  pending.reached(0, positionAt(0, pushes))
  expect(pending.all).toBe(0)
})
