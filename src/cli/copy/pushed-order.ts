// `select` orders rows of one date and tag by their dimensions. Copied rows need the order in which they were pushed: the last one is the newest.

import { addTo } from '../../lib/add-to.ts'

/** The start of a row, up to its first dimension: its date and tags. Empty if the row has no dimension. */
function placeOf(line: Uint8Array, dimension: Buffer): Buffer {
  return bufferOf(line).subarray(0, Math.max(0, bufferOf(line).indexOf(dimension)))
}

const bufferOf = (line: Uint8Array): Buffer => Buffer.from(line.buffer, line.byteOffset, line.byteLength)
/** The bytes before the value of a member that is not the first of its row. */
const memberOf = (name: string): Buffer => Buffer.from(`,${JSON.stringify(name)}:`)

/** Whether rows follow each other that have the same date and tags. `rows` are of `select` with dimensions, of which the first is named. */
export function hasTies(rows: readonly Uint8Array[], dimension: string): boolean {
  const member = memberOf(dimension)
  let last: Buffer | null = null
  for (const row of rows) {
    const place = placeOf(row, member)
    if (last?.equals(place)) return true
    last = place
  }
  return false
}

/**
 * The rows in the order in which they were pushed. `plain` are the same rows, selected without dimensions: they are in that order within a date and tag. Rows
 * that differ only in dimensions stay in the order of those. So do the rows of a date and tag that have changed between the two selections.
 */
export function inPushedOrder(
  rows: readonly Uint8Array[],
  plain: readonly Uint8Array[],
  dimension: string,
): readonly Uint8Array[] {
  const member = memberOf(dimension)
  const ordered: Uint8Array[] = []
  let next = 0
  for (let start = 0; start < rows.length; ) {
    const place = placeOf(rows[start]!, member)
    let end = start + 1
    while (end < rows.length && placeOf(rows[end]!, member).equals(place)) end++
    const isHere = (line: Uint8Array | undefined): boolean =>
      line !== undefined && bufferOf(line).subarray(0, place.length).equals(place) && line[place.length] === comma
    const begin = next
    while (isHere(plain[next])) next++
    ordered.push(...tiesInOrder(rows.slice(start, end), plain.slice(begin, next), place.length))
    start = end
  }
  return ordered
}

const comma = 0x2c

function tiesInOrder(
  rows: readonly Uint8Array[],
  plain: readonly Uint8Array[],
  placeBytes: number,
): readonly Uint8Array[] {
  if (rows.length === 1 || plain.length !== rows.length) return rows
  const tails = plain.map((line) => bufferOf(line).subarray(placeBytes))
  // The first member after the dimensions; no other member has its name.
  const first = tails[0]!.subarray(0, endOfName(tails[0]!))
  const byTail = new Map<string, Uint8Array[]>()
  for (const row of rows) addTo(byTail, bufferOf(row).subarray(bufferOf(row).indexOf(first)).toString('latin1'), row)
  const ordered = tails.map((tail) => byTail.get(tail.toString('latin1'))?.shift())
  return ordered.every((row) => row !== undefined) ? ordered : rows
}

/** The place after `,"name":` at the start of a tail. */
function endOfName(tail: Buffer): number {
  const quote = 0x22
  const backslash = 0x5c
  let at = 2
  while (tail[at] !== quote) at += tail[at] === backslash ? 2 : 1
  return at + 2
}
