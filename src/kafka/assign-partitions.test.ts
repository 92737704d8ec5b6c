import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignPartitions } from './assign-partitions.ts'

test.each([
  ['no members', [], 3, []],
  ['a single member gets all partitions', [['a', []]], 3, [['a', [0, 1, 2]]]],
  [
    'a new member gets the surplus of others',
    [
      ['a', [0, 1, 2, 3]],
      ['b', []],
    ],
    4,
    [
      ['a', [0, 1]],
      ['b', [2, 3]],
    ],
  ],
  [
    'partitions of a member that left go to the others',
    [
      ['a', [0, 1]],
      ['c', [4]],
    ],
    5,
    [
      ['a', [0, 1, 3]],
      ['c', [4, 2]],
    ],
  ],
  [
    'two members claim the same partitions',
    [
      ['a', [0, 1]],
      ['b', [0, 1]],
    ],
    2,
    [
      ['a', [0]],
      ['b', [1]],
    ],
  ],
] as const)('%s', (_, members, partitions, expected) => {
  const shares = assignPartitions(
    members.map(([memberId, owned]) => ({ memberId, owned })),
    partitions,
  )
  expect([...shares]).toEqual(expected)
})

test('each partition has one owner, shares differ by at most one, and an assignment is stable', () => {
  const member = fc.uniqueArray(fc.nat(17), { maxLength: 16 })
  fc.assert(
    fc.property(
      fc.array(member, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 16 }),
      (owned, partitions) => {
        const members = owned.map((own, index) => ({ memberId: `m${index}`, owned: own }))
        const shares = [...assignPartitions(members, partitions).values()]
        expect(shares.flat().toSorted((left, right) => left - right)).toEqual(
          Array.from({ length: partitions }, (_, index) => index),
        )
        const sizes = shares.map((share) => share.length)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
        const again = assignPartitions(
          members.map(({ memberId }, index) => ({ memberId, owned: shares[index]! })),
          partitions,
        )
        expect([...again.values()].map((share) => new Set(share))).toEqual(shares.map((share) => new Set(share)))
      },
    ),
  )
})
