import { expect, test } from 'vitest'
import { planMoment } from './moment-plan.ts'
import { momentName } from './replica-format.ts'

const moment = (number: number, whole: number | null) => ({
  ...{ number, epoch: 1, timeMs: number, validFromMs: number, sealedPosition: 0, position: 10, journalFrom: number },
  ...{ whole, files: [], departed: [], moments: [] },
})

test('the last complete moment is retained, however old it is', () => {
  const last = { ...moment(5, 5), name: momentName(5, 1) }
  const kept = planMoment(moment(9, 5), last, 100)
  expect(kept.moment.moments.map(([number]) => number)).toEqual([5])
  expect(kept.deleted).toEqual([])
  expect(planMoment(moment(9, null), last, 100).deleted).toEqual([])
})

test('the last complete moment is deleted when the new one is complete', () => {
  const last = { ...moment(5, 5), name: momentName(5, 1) }
  const { moment: next, deleted } = planMoment(moment(9, 9), last, 100)
  expect(next.moments).toEqual([])
  expect(deleted).toContain(momentName(5, 1))
})
