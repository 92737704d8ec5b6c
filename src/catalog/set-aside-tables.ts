// The tables of entries that end the judge: a part of schema.ts.

/** An entry of the journal that is not judged any more. */
interface SetAside {
  position: number
  from_position: number
  level: number
  ingest_id: number
  fields_version: number
  subscriber_id: number
  received_ms: number
  format: string
  rows: number
  body_bytes: number
  set_aside_ms: number
  /** 0 or 1: its body is not kept any more. */
  let_go: number
}

interface SetAsideBodies {
  position: number
  part: number
  bytes: Uint8Array
}

/** What the judge of a lane was at, as JSON. */
interface LaneNotes {
  lane: number
  note: string
}

export interface SetAsideTables {
  set_aside: SetAside
  set_aside_bodies: SetAsideBodies
  lane_notes: LaneNotes
}
