import { positionAfter } from '../journal/journal.ts'
import { laneOf } from '../journal/lane-position.ts'

interface AcceptedRows {
  readonly ingestId: number
  readonly position: number
  readonly rows: number
}

/** Rows of one ingest in one lane, which came between two positions. */
interface Stretch {
  fromPosition: number
  endPosition: number
  rows: number
}

/** So many stretches stand for the pushes of an ingest in a lane, however many wait; past it neighbours become one. */
const stretchesMax = 64

/**
 * How many rows of each ingest wait in the lanes. It takes as little room for a million pushes as for a hundred: of those that were joined, a part
 * is counted as judged by how far the lane has come in them, and none waits no more before the last one is judged.
 */
export class PendingRows {
  /** By lane, then by ingest. */
  readonly #lanes = new Map<number, Map<number, Stretch[]>>()

  /** Of a lane those that come later are told later. */
  add({ ingestId, position, rows }: AcceptedRows): void {
    if (rows === 0) return
    const lane = laneOf(position)
    const ingests = this.#lanes.get(lane) ?? new Map<number, Stretch[]>()
    this.#lanes.set(lane, ingests)
    const stretches = ingests.get(ingestId) ?? []
    ingests.set(ingestId, stretches)
    stretches.push({ fromPosition: position, endPosition: positionAfter({ position, rows }), rows })
    if (stretches.length > stretchesMax) ingests.set(ingestId, joined(stretches))
  }

  /** Rows of a lane before a position wait no more. */
  reached(lane: number, position: number): void {
    const ingests = this.#lanes.get(lane)
    for (const [ingestId, stretches] of ingests ?? []) {
      const passed = stretches.findIndex(({ endPosition }) => endPosition > position)
      stretches.splice(0, passed < 0 ? stretches.length : passed)
      const first = stretches[0]
      if (first === undefined) ingests?.delete(ingestId)
      else if (first.fromPosition < position) shorten(first, position)
    }
  }

  of(ingestId: number): number {
    let rows = 0
    for (const ingests of this.#lanes.values()) {
      for (const stretch of ingests.get(ingestId) ?? []) rows += stretch.rows
    }
    return rows
  }

  get all(): number {
    let rows = 0
    for (const ingests of this.#lanes.values()) {
      for (const stretches of ingests.values()) for (const stretch of stretches) rows += stretch.rows
    }
    return rows
  }
}

/** Each with its neighbour. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  return Array.from({ length: Math.ceil(stretches.length / 2) }, (_, pair) => {
    const one = stretches[2 * pair]!
    const other = stretches[2 * pair + 1] ?? { endPosition: one.endPosition, rows: 0 }
    return { fromPosition: one.fromPosition, endPosition: other.endPosition, rows: one.rows + other.rows }
  })
}

/** What is left behind a position within it: its share, one row at least. */
function shorten(stretch: Stretch, position: number): void {
  const { fromPosition, endPosition, rows } = stretch
  stretch.rows = Math.ceil((rows * (endPosition - position)) / (endPosition - fromPosition))
  stretch.fromPosition = position
}
