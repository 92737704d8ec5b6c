import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/support/rounds.ts'
import { chunkEntries, KeyTable } from './key-table.ts'
import { hashBody, hashKeyName, type KeyedPush } from './push-key.ts'

function push(key: number, sequence: number, receivedS: number): KeyedPush {
  const [keyHash, bodyHash] = [hashKeyName(`1 1 ${key}`), hashBody(Buffer.from(`${sequence}`), 'json')]
  return { keyHash, bodyHash, position: sequence * 7, rows: sequence % 5, receivedS }
}

const plain = (found: KeyedPush | null): unknown =>
  found && { ...found, keyHash: Buffer.from(found.keyHash), bodyHash: Buffer.from(found.bodyHash) }

function find(table: KeyTable, key: number): KeyedPush | null {
  const number = table.find(hashKeyName(`1 1 ${key}`))
  return number === null ? null : table.entry(number)
}

const receivedBefore =
  (untilS: number) =>
  (_: number, receivedS: number): boolean =>
    receivedS <= untilS

describe('KeyTable', () => {
  test('finds the latest entry of each key after any adds and removals', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ key: fc.nat(300) }) },
      { weight: 1, arbitrary: fc.record({ forgetBefore: fc.nat(20), entriesMax: fc.nat(200) }) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 800, size: 'max' }), (steps) => {
        const table = new KeyTable()
        const order: { key: number; sequence: number; receivedS: number }[] = []
        let [clock, added] = [0, 0]
        for (const one of steps) {
          if ('key' in one) {
            const entry = { key: one.key, sequence: added, receivedS: clock++ >> 3 }
            order.push(entry)
            table.add(push(entry.key, added++, entry.receivedS))
          } else {
            const until = (clock >> 3) - one.forgetBefore
            table.forget(receivedBefore(until), one.entriesMax)
            for (let left = one.entriesMax; left > 0 && order[0] !== undefined && order[0].receivedS <= until; left--)
              order.shift()
          }
        }
        expect(table.size).toBe(order.length)
        for (let key = 0; key <= 300; key++) {
          const expected = order.findLast((entry) => entry.key === key)
          const wanted = expected === undefined ? null : push(key, expected.sequence, expected.receivedS)
          expect(plain(find(table, key))).toEqual(plain(wanted))
        }
      }),
      { numRuns: rounds(60) },
    )
  })

  test('works across many chunks and uses little memory per key', () => {
    const table = new KeyTable()
    const count = chunkEntries * 12
    for (let key = 0; key < count; key++) table.add(push(key, key, Math.floor(key / 100)))
    expect(table.bytes / count).toBeLessThan(60)
    table.forget(receivedBefore(Math.floor(count / 200)), count)
    for (let key = 0; key < count; key += 997) {
      const wanted = Math.floor(key / 100) <= Math.floor(count / 200) ? null : push(key, key, Math.floor(key / 100))
      expect(plain(find(table, key))).toEqual(plain(wanted))
    }
    expect(table.bytes / table.size).toBeLessThan(70)
  })
})
