// Positions in a journal of lanes (docs/formats/kafka-topics.md): each lane has a range of its own, and each record in it has 256 of these.

/** So many lanes have room below 2^53. */
export const lanesMax = 64
/** Positions of one record: an entry of more rows takes several records. */
const recordPositions = 256
const lanePositions = 2 ** 47

/** The first position of the record at an offset of a lane. Throws RangeError past the last that has a place. */
export function positionAt(lane: number, offset: number): number {
  const inLane = offset * recordPositions
  if (lane < 0 || lane >= lanesMax || offset < 0 || inLane >= lanePositions) {
    throw new RangeError(`no position is left for offset ${offset} of lane ${lane}`)
  }
  return lane * lanePositions + inLane
}

export function laneOf(position: number): number {
  return Math.floor(position / lanePositions)
}

/** The first offset whose record begins at the position or after it. */
export function offsetFrom(position: number): number {
  return Math.ceil((position - laneOf(position) * lanePositions) / recordPositions)
}

/** How many records an entry of so many rows takes. */
export function recordsOf(rows: number): number {
  return Math.ceil(Math.max(1, rows) / recordPositions)
}
