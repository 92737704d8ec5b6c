import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('slots hold what a map holds, in no more slots than there were members at once', () => {
  const acts = fc.array(fc.oneof(fc.constant(null), fc.nat({ max: 20 })), { maxLength: 200 })
  fc.assert(
    fc.property(acts, (all) => {
      const slots = new Slots<string>()
      const model = new Map<number, string>()
      let mostAtOnce = 0
      all.forEach((act, turn) => {
        const taken = [...model.keys()]
        if (act === null || taken.length === 0) {
          const slot = slots.add(`member ${turn}`)
          expect(model.has(slot)).toBe(false)
          model.set(slot, `member ${turn}`)
          mostAtOnce = Math.max(mostAtOnce, model.size)
          expect(slot).toBeLessThan(mostAtOnce)
        } else {
          const slot = taken[act % taken.length]!
          slots.free(slot)
          model.delete(slot)
          expect(slots.get(slot)).toBeNull()
        }
        expect(slots.size).toBe(model.size)
        for (const [slot, member] of model) expect(slots.get(slot)).toBe(member)
        expect(slots.values().sort()).toEqual([...model.values()].sort())
      })
    }),
  )
})
