import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

interface Member {
  readonly slot: number
  readonly turn: number
}

test('returns what a map would, with no more slots than there were members at once', () => {
  const acts = fc.array(fc.oneof(fc.constant(null), fc.nat({ max: 20 })), { maxLength: 200 })
  fc.assert(
    fc.property(acts, (all) => {
      const slots = new Slots<Member>()
      const model = new Map<number, number>()
      let mostAtOnce = 0
      all.forEach((act, turn) => {
        const taken = [...model.keys()]
        if (act === null || taken.length === 0) {
          const { slot } = slots.add((slot) => ({ slot, turn }))
          expect(model.has(slot)).toBe(false)
          model.set(slot, turn)
          mostAtOnce = Math.max(mostAtOnce, model.size)
          expect(slot).toBeLessThan(mostAtOnce)
        } else {
          const slot = taken[act % taken.length]!
          slots.free(slot)
          model.delete(slot)
          expect(slots.get(slot)).toBeNull()
        }
        expect(slots.size).toBe(model.size)
        for (const [slot, turn] of model) expect(slots.get(slot)).toEqual({ slot, turn })
        const bySlot = slots.values().map(({ slot, turn }) => [slot, turn])
        expect(bySlot).toEqual([...model].sort(([one], [other]) => one - other))
      })
    }),
  )
})
