// `select` orders rows of one date and tag by their dimensions and quality. Copied rows need the order in which they were pushed: the last one is the newest.
import { addTo } from '../../lib/add-to.ts'

/** The start of a row, up to the first member after its date and tags. */
function placeOf(line: Uint8Array, start: Buffer): Buffer {
  return bufferOf(line).subarray(0, Math.max(0, bufferOf(line).indexOf(start)))
}

const bufferOf = (line: Uint8Array): Buffer => Buffer.from(line.buffer, line.byteOffset, line.byteLength)
/** The bytes before the value of a member that is not the first of its row. */
const memberOf = (name: string): Buffer => Buffer.from(`,${JSON.stringify(name)}:`)

/** Whether rows follow each other that have the same date and tags. `member` is the first one after these. */
export function hasTies(rows: readonly Uint8Array[], member: string): boolean {
  const start = memberOf(member)
  let last: Buffer | null = null
  for (const row of rows) {
    const place = placeOf(row, start)
    if (last?.equals(place)) return true
    last = place
  }
  return false
}

export interface PushedOrderRules {
  /** The first member after the tags, by which `select` orders: a dimension, or the quality. */
  readonly member: string
  readonly isGood: (row: Uint8Array) => boolean
}

/**
 * The rows in the order in which they were pushed. `plain` are the good ones of these rows, selected without dimensions: they are in that order within a date
 * and tag. Rows that are not good come before the good ones of their date and tag. Rows that differ only in dimensions stay in the order of those. So do the
 * rows of a date and tag that have changed between the two selections.
 */
export function inPushedOrder(
  rows: readonly Uint8Array[],
  plain: readonly Uint8Array[],
  { member, isGood }: PushedOrderRules,
): readonly Uint8Array[] {
  const start = memberOf(member)
  const ordered: Uint8Array[] = []
  let next = 0
  for (let begin = 0; begin < rows.length; ) {
    const place = placeOf(rows[begin]!, start)
    let end = begin + 1
    while (end < rows.length && placeOf(rows[end]!, start).equals(place)) end++
    const isHere = (line: Uint8Array | undefined): boolean =>
      line !== undefined && bufferOf(line).subarray(0, place.length).equals(place) && line[place.length] === comma
    const first = next
    while (isHere(plain[next])) next++
    const tails = plain.slice(first, next).map((line) => bufferOf(line).subarray(place.length))
    const group = rows.slice(begin, end)
    ordered.push(...(group.length === 1 ? group : tiesInOrder(group, tails, isGood)))
    begin = end
  }
  return ordered
}

const comma = 0x2c

/** `tails` are the metrics of the good rows, as pushed. */
function tiesInOrder(
  rows: readonly Uint8Array[],
  tails: readonly Buffer[],
  isGood: PushedOrderRules['isGood'],
): readonly Uint8Array[] {
  const good = rows.filter(isGood)
  if (tails.length !== good.length) return rows
  const byTail = new Map<string, Uint8Array[]>()
  for (const row of good) addTo(byTail, metricsOf(row, tails[0]!), row)
  const ordered = tails.map((tail) => byTail.get(tail.toString('latin1'))?.shift())
  if (!ordered.every((row) => row !== undefined)) return rows
  return [...rows.filter((row) => !isGood(row)), ...ordered]
}

/** The bytes of a row from the first metric on, which a tail begins with. */
function metricsOf(row: Uint8Array, tail: Buffer): string {
  const bytes = bufferOf(row)
  return bytes.subarray(bytes.indexOf(tail.subarray(0, endOfName(tail)))).toString('latin1')
}

/** The place after `,"name":` at the start of a tail. */
function endOfName(tail: Buffer): number {
  const quote = 0x22
  const backslash = 0x5c
  let at = 2
  while (tail[at] !== quote) at += tail[at] === backslash ? 2 : 1
  return at + 2
}
