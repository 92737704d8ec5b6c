import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOf } from '../../../test/support/expect-rows.ts'
import { ModelStore } from '../../../test/support/model-store.ts'
import {
  drawFrom,
  randomBatches,
  randomEntity,
  randomOverTimePlan,
  replacing,
} from '../../../test/support/random-rows.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { outputFields } from '../../model/plan.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'

/** Sums of these lose little precision relative to the compared values. */
const numbers = { doubles: [0, -0, 1.5, -2.25, 0.1, 100, 70, 1234.5], longs: [0, -1, 7, 40, 99, 9007199254740993n] }

test('values over time of random rows equal those of the model in exact fractions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const entity = randomEntity(draw)
      const spanMs = [1000, 3_600_000, 86_400_000, 90 * 86_400_000][draw(4)]!
      const pushed = randomBatches(draw, entity, spanMs, numbers)
      const batches = draw(3) === 0 ? pushed.map((batch) => replacing(draw, batch)) : pushed
      const [store, model] = [new EmbeddedStore({ chunkRows: 1 + draw(9) }), new ModelStore()]
      for (const batch of batches) {
        store.write(batch)
        model.write(batch)
      }
      for (let round = 0; round < 4; round++) {
        const plan = randomOverTimePlan(draw, entity, spanMs)
        const [answered, expected] = [await rowsOf(store, plan), model.run(plan)]
        try {
          const types = outputFields(plan).map(({ type }) => type)
          expect(answered.map((row) => row.map(shown))).toEqual(
            expected.map((row, at) =>
              row.map((value, column) => {
                const own = answered[at]?.[column]
                return types[column] === 'double' && isNear(own, value) ? shown(own) : shown(value)
              }),
            ),
          )
        } catch (error) {
          throw new Error(`it is another answer to ${JSON.stringify(plan)}`, { cause: error })
        }
      }
    }),
    { numRuns: rounds(500), examples: [[476047116]] },
  )
})

const shown = (value: unknown): unknown =>
  typeof value === 'bigint' || Math.abs(Number(value)) >= 2 ** 53 ? String(value) : value === 0 ? 0 : value

function isNear(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' || typeof right === 'string' || left == null || right == null) return false
  const [one, other] = [Number(left), Number(right)]
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other))
}
