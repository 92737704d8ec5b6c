import { expect, test } from 'vitest'
import { planSlots, type SlotBounds, type SlotEntity, type SlotState } from './plan-slots.ts'

const bounds: SlotBounds = { freeSlots: 0, comingSlots: 0, slotsEach: 1, quietMs: 600, quietMinMs: 10 }
const nothing = { wake: [], rest: [], waiting: [] }

function entity(entityId: number, state: SlotState, own: Partial<SlotEntity> = {}): SlotEntity {
  return { entityId, state, hasUnread: false, isSettled: true, quietMs: 0, waitingSinceMs: null, ...own }
}
const unread = { hasUnread: true }
const quiet = (quietMs: number) => ({ quietMs })

test.each<[string, readonly SlotEntity[], Partial<SlotBounds>, object]>([
  ['nothing to do', [entity(1, 'reading'), entity(2, 'resting'), entity(3, 'absent')], { freeSlots: 9 }, nothing],
  [
    'entities with unread rows get free slots',
    [entity(1, 'resting', unread), entity(2, 'absent', unread)],
    { freeSlots: 2 },
    { ...nothing, wake: [1, 2] },
  ],
  [
    'the entity that has waited longest gets the slot',
    [entity(1, 'absent', unread), entity(2, 'resting', { ...unread, waitingSinceMs: 7 }), entity(3, 'absent', unread)],
    { freeSlots: 1 },
    { ...nothing, wake: [2], waiting: [1, 3] },
  ],
  [
    'the quietest entities release their slots, and only as many as are missing',
    [entity(1, 'reading', quiet(20)), entity(2, 'reading', quiet(30)), entity(3, 'absent', unread)],
    {},
    { ...nothing, rest: [2], waiting: [3] },
  ],
  [
    'no entity releases its slot when one is about to become free',
    [entity(1, 'reading', quiet(20)), entity(3, 'absent', unread)],
    { comingSlots: 1 },
    { ...nothing, waiting: [3] },
  ],
  [
    'an entity with recent rows keeps its slot, however many wait',
    [entity(1, 'reading', quiet(9)), entity(3, 'absent', unread)],
    {},
    { ...nothing, waiting: [3] },
  ],
  [
    'an entity whose tasks have just started keeps its slot',
    [entity(1, 'reading', { quietMs: 900, isSettled: false }), entity(3, 'absent', unread)],
    {},
    { ...nothing, waiting: [3] },
  ],
  [
    'entities whose tasks Druid could not start wait too',
    [entity(1, 'reading', quiet(20)), entity(2, 'queued')],
    {},
    { ...nothing, rest: [1], waiting: [2] },
  ],
  [
    'an entity that has been quiet for long releases its slot even if no other waits',
    [entity(1, 'reading', quiet(600)), entity(2, 'reading', quiet(599))],
    { freeSlots: 5 },
    { ...nothing, rest: [1] },
  ],
  [
    'an entity needs as many slots as it has tasks',
    [
      entity(1, 'absent', unread),
      entity(2, 'absent', unread),
      entity(3, 'reading', quiet(20)),
      entity(4, 'reading', quiet(30)),
    ],
    { freeSlots: 3, slotsEach: 2 },
    { wake: [1], rest: [4], waiting: [2] },
  ],
  ['more tasks than slots', [entity(1, 'absent', unread)], { freeSlots: -3 }, { ...nothing, waiting: [1] }],
])('%s', (_, entities, own, expected) => {
  expect(planSlots(entities, { ...bounds, ...own })).toEqual(expected)
})
