import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectSame, rowsOf } from '../../../test/support/expect-rows.ts'
import { ModelStore } from '../../../test/support/model-store.ts'
import {
  drawFrom,
  randomBatches,
  randomEntity,
  randomPlan,
  replacing,
  withReplays,
} from '../../../test/support/random-rows.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { EmbeddedStore } from './embedded-store.ts'

test.each([8, 64, 4096])('random plans give the results of the model, with chunks of %i rows', async (chunkRows) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const entity = randomEntity(draw)
      const spanMs = [4, 60_000, 100 * 86_400_000][draw(3)]
      const store = new EmbeddedStore({ chunkRows })
      const model = new ModelStore()
      const replaces = draw(2) === 0
      for (const pushed of withReplays(draw, randomBatches(draw, entity, spanMs))) {
        const batch = replaces ? replacing(draw, pushed) : pushed
        store.write(batch)
        model.write(batch)
        for (let question = draw(6); question > 0; question--) {
          const plan = randomPlan(draw, entity, spanMs)
          expectSame(plan, await rowsOf(store, plan), model.run(plan))
        }
        expect(await store.statistics(1, null, new AbortController().signal)).toEqual(model.statistics(1))
      }
    }),
    { numRuns: rounds(150) },
  )
})
