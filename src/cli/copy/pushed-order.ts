// `select` orders rows of one date and tag by their dimensions and quality. Copied rows need the order in which they were pushed: the last one is the newest.
import { addTo } from '../../lib/add-to.ts'

/** The bytes before the value of a member that is not the first of its row. */
const memberOf = (name: string): Buffer => Buffer.from(`,${JSON.stringify(name)}:`)
const bufferOf = (line: Uint8Array): Buffer => Buffer.from(line.buffer, line.byteOffset, line.byteLength)

/** The bytes of a row before a member, and those from it on; the latter are empty if the row does not have it. */
function cutAt(line: Uint8Array, member: Buffer): readonly [before: string, from: string] {
  const bytes = bufferOf(line)
  const at = bytes.indexOf(member)
  return at === -1 ? [bytes.toString('latin1'), ''] : [bytes.toString('latin1', 0, at), bytes.toString('latin1', at)]
}

/** Whether rows follow each other that have the same date and tags. `member` is the first one after these. */
export function hasTies(rows: readonly Uint8Array[], member: string): boolean {
  const start = memberOf(member)
  let last: Buffer | null = null
  for (const row of rows) {
    const bytes = bufferOf(row)
    const place = bytes.subarray(0, Math.max(0, bytes.indexOf(start)))
    if (last?.equals(place)) return true
    last = place
  }
  return false
}

export interface PushedOrderRules {
  /** The first member after the tags, by which `select` orders: a dimension, or the quality. */
  readonly member: string
  /** The first metric. */
  readonly metric: string
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
  { member, metric, isGood }: PushedOrderRules,
): readonly Uint8Array[] {
  const [start, metrics] = [memberOf(member), memberOf(metric)]
  const pushed = new Map<string, string[]>()
  for (const row of plain) {
    const [place, values] = cutAt(row, metrics)
    addTo(pushed, place, values)
  }
  const groups = new Map<string, Uint8Array[]>()
  for (const row of rows) addTo(groups, cutAt(row, start)[0], row)
  const ordered: Uint8Array[] = []
  for (const [place, group] of groups) {
    const good = group.length === 1 ? null : goodInOrder(group.filter(isGood), pushed.get(place) ?? [], metrics)
    const sorted = good === null ? group : [...group.filter((row) => !isGood(row)), ...good]
    for (const row of sorted) ordered.push(row)
  }
  return ordered
}

/** The rows in the order of these values of metrics; null if they do not have the same ones. */
function goodInOrder(
  rows: readonly Uint8Array[],
  pushed: readonly string[],
  metrics: Buffer,
): readonly Uint8Array[] | null {
  if (pushed.length !== rows.length) return null
  const byValues = new Map<string, Uint8Array[]>()
  for (const row of rows) addTo(byValues, cutAt(row, metrics)[1], row)
  for (const alike of byValues.values()) alike.reverse()
  const ordered = pushed.map((values) => byValues.get(values)?.pop())
  return ordered.every((row) => row !== undefined) ? ordered : null
}
