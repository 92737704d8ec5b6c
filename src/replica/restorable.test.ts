import { expect, test } from 'vitest'
import { Restorable } from './restorable.ts'

function withJournal(position: number) {
  const journal = { position, hasReached: (wanted: number) => journal.position >= wanted }
  return { journal, restorable: new Restorable({ journal }) }
}

test('log entries after a moment count only when the journal has reached them', () => {
  const { journal, restorable } = withJournal(10)
  restorable.committing(30, null)
  journal.position = 29
  expect([restorable.position, restorable.isWhole]).toEqual([10, false])
  journal.position = 31
  expect([restorable.position, restorable.isWhole]).toEqual([31, true])
})

test('after several incomplete moments in a row the last one must be complete', () => {
  const { journal, restorable } = withJournal(10)
  restorable.committing(30, 500)
  journal.position = 20
  restorable.committing(40, null)
  journal.position = 35
  expect([restorable.position, restorable.sinceMs]).toEqual([10, 500])
  journal.position = 40
  expect([restorable.position, restorable.sinceMs]).toEqual([40, null])
})

test('the lag is measured from the oldest push after the moment', () => {
  const { restorable } = withJournal(10)
  restorable.copying(100)
  expect(restorable.sinceMs).toBeNull()
  restorable.committing(30, null)
  restorable.copying(300)
  restorable.copying(400)
  expect(restorable.sinceMs).toBe(300)
})
