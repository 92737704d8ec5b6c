// Decides which entities Druid's tasks read when there are not slots for all: those that get rows. Plain arithmetic on what Druid and
// Kafka tell.

/** What Druid does about an entity: no supervisor, one that rests, one whose tasks wait for slots, one whose tasks read. */
export type SlotState = 'absent' | 'resting' | 'queued' | 'reading'

export interface SlotEntity {
  readonly entityId: number
  readonly state: SlotState
  /** Whether its topic has rows that nobody reads. */
  readonly hasUnread: boolean
  /** Whether its tasks are old enough to be asked to publish. */
  readonly isSettled: boolean
  /** For how long it got no rows. */
  readonly quietMs: number
  /** Since when it waits for slots; null when it did not wait so far. */
  readonly waitingSinceMs: number | null
}

export interface SlotBounds {
  /** Slots that nothing runs in or waits for. */
  readonly freeSlots: number
  /** Slots whose tasks publish what they hold for an entity that rests already. */
  readonly comingSlots: number
  /** What one entity takes. */
  readonly slotsEach: number
  /** Who got no rows for so long gives its slots back. */
  readonly quietMs: number
  /** The same while another entity waits. */
  readonly quietMinMs: number
}

export interface SlotPlan {
  /** To be read from now on. */
  readonly wake: readonly number[]
  /** To give their slots back. */
  readonly rest: readonly number[]
  /** Those that have rows and no slots. */
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

/** Who waits longest comes first; then who was made first. */
function byWaiting(a: SlotEntity, b: SlotEntity): number {
  const since = ({ waitingSinceMs }: SlotEntity): number => waitingSinceMs ?? Number.MAX_SAFE_INTEGER
  return since(a) - since(b) || a.entityId - b.entityId
}

function idOf({ entityId }: SlotEntity): number {
  return entityId
}
