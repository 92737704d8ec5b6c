import { type HourRow, together } from './hour-row.ts'

/** Hours of several sources by their dates; those of one hour as one. Each source rises, and may have an hour several times. */
export function* hoursTogether(sources: readonly Iterator<HourRow>[]): Generator<HourRow> {
  const heads = sources.map((source) => ({ source, next: source.next() }))
  let hour: HourRow | null = null
  for (;;) {
    let least: (typeof heads)[number] | null = null
    for (const head of heads) {
      if (head.next.done === true) continue
      if (least === null || isBefore(head.next.value, least.next.value)) least = head
    }
    if (least === null) break
    const next: HourRow = least.next.value
    least.next = least.source.next()
    if (hour?.hourMs === next.hourMs) hour = together(hour, next)
    else {
      if (hour !== null) yield hour
      hour = next
    }
  }
  if (hour !== null) yield hour
}

const isBefore = (left: HourRow, right: HourRow): boolean => left.hourMs < right.hourMs
