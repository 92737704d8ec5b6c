// Decides which entities Druid's tasks read when there are not enough slots for all: those that get rows. A pure function of the state that Druid and
// Kafka report.

/** The state of an entity in Druid: no supervisor, a suspended one, one whose tasks wait for slots, one whose tasks read. */
export type SlotState = 'absent' | 'resting' | 'queued' | 'reading'

export interface SlotEntity {
  readonly entityId: number
  readonly state: SlotState
  /** Whether its topic has rows that no task reads. */
  readonly hasUnread: boolean
  /** Whether its tasks are old enough to be asked to publish. */
  readonly isSettled: boolean
  /** How long it has received no rows. */
  readonly quietMs: number
  /** When it began to wait for slots; null if it was not waiting. */
  readonly waitingSinceMs: number | null
}

export interface SlotBounds {
  /** Slots that no task runs in or waits for. */
  readonly freeSlots: number
  /** Slots whose tasks still publish rows of an entity that is already at rest. */
  readonly comingSlots: number
  /** The slots that one entity needs. */
  readonly slotsEach: number
  /** An entity that has received no rows for this long gives up its slots. */
  readonly quietMs: number
  /** The limit while another entity waits. */
  readonly quietMinMs: number
}

export interface SlotPlan {
  /** Entities to read from now on. */
  readonly wake: readonly number[]
  /** Entities that give up their slots. */
  readonly rest: readonly number[]
  /** Entities that have rows but no slots. */
  readonly waiting: readonly number[]
}

export function planSlots(entities: readonly SlotEntity[], bounds: SlotBounds): SlotPlan {
  const { slotsEach, quietMs, quietMinMs } = bounds
  const wanting = entities.filter(({ state, hasUnread }) => hasUnread && (state === 'absent' || state === 'resting'))
  const places = Math.max(0, Math.floor(bounds.freeSlots / slotsEach))
  const inOrder = wanting.toSorted(byWaiting)
  const wake = inOrder.slice(0, places)
  const queued = entities.filter(({ state }) => state === 'queued')
  const waiting = [...queued, ...inOrder.slice(places)]

  const readers = entities
    .filter(({ state, isSettled }) => state === 'reading' && isSettled)
    .toSorted((a, b) => b.quietMs - a.quietMs)
  let missing = waiting.length * slotsEach - bounds.comingSlots
  const rest: number[] = []
  for (const reader of readers) {
    if (reader.quietMs < (missing > 0 ? quietMinMs : quietMs)) continue
    rest.push(reader.entityId)
    missing -= slotsEach
  }
  return { wake: wake.map(idOf), rest, waiting: waiting.map(idOf) }
}

/** Sorts by the longest wait, then by the order of creation. */
function byWaiting(a: SlotEntity, b: SlotEntity): number {
  const since = ({ waitingSinceMs }: SlotEntity): number => waitingSinceMs ?? Number.MAX_SAFE_INTEGER
  return since(a) - since(b) || a.entityId - b.entityId
}

function idOf({ entityId }: SlotEntity): number {
  return entityId
}
