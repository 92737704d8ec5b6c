import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PendingRequests } from './pending-requests.ts'
import { RunningRequests } from './running-requests.ts'

test('finds work by its request id until the response, also when a later request reuses the slot', () => {
  const acts = fc.array(fc.oneof(fc.constant(null), fc.nat({ max: 20 })), { maxLength: 100 })
  fc.assert(
    fc.property(acts, (all) => {
      const asks = new PendingRequests<null>()
      const running = new RunningRequests<string>()
      const model = new Map<number, string>()
      const answered: number[] = []
      const begin = (id: number): void => {
        running.begin(id, `work on ${id}`)
        model.set(id, `work on ${id}`)
      }
      for (const act of all) {
        const open = [...model.keys()]
        if (act === null || open.length === 0) {
          void asks.add({ signal: null, send: begin, cancel: () => undefined })
        } else {
          const id = open[act % open.length]!
          running.end(id)
          asks.resolve(id, null)
          model.delete(id)
          answered.push(id)
          // The second call finds no request.
          running.end(id)
        }
        expect(running.size).toBe(model.size)
        for (const [id, work] of model) expect(running.find(id)).toBe(work)
        for (const id of answered) expect(running.find(id)).toBeNull()
      }
    }),
  )
})
