import type { Pacer } from '../../../lib/pacer.ts'
import type { DayRows } from '../../../model/aggregation.ts'
import { msPerDay } from '../../../model/instant.ts'
import { firstAtOrAfter, type Stretch } from '../head/chunk.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'

interface Parts {
  readonly tables: readonly TableView[]
  readonly files: readonly OpenFile[]
  readonly series: Int32Array
  /** Days that end before it have left. */
  readonly sinceMs: number
  readonly pacer: Pacer
}

/** The UTC days that have rows, oldest first. */
export async function dayRows(parts: Parts): Promise<readonly DayRows[]> {
  const days = new Map<number, { firstMs: number; lastMs: number }>()
  const take = (firstMs: number, lastMs: number): void => {
    const number = Math.floor(firstMs / msPerDay)
    const day = days.get(number)
    if (day === undefined) {
      days.set(number, { firstMs, lastMs })
      return
    }
    if (firstMs < day.firstMs) day.firstMs = firstMs
    if (lastMs > day.lastMs) day.lastMs = lastMs
  }
  const severalDays: OpenFile[] = []
  for (const file of parts.files) {
    const { firstMs, lastMs } = file.info
    if (Math.floor(firstMs / msPerDay) === Math.floor(lastMs / msPerDay)) take(firstMs, lastMs)
    else severalDays.push(file)
  }
  for (const series of parts.series) await addSeries(parts, series, severalDays, take)
  const since = [...days.values()].filter(({ lastMs }) => lastMs >= parts.sinceMs)
  return since.sort((left, right) => left.firstMs - right.firstMs)
}

type Take = (firstMs: number, lastMs: number) => void

async function addSeries(
  { tables, pacer }: Parts,
  series: number,
  files: readonly OpenFile[],
  take: Take,
): Promise<void> {
  const all = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const
  for (const table of tables) {
    const prepared = table.prepare(series, pacer)
    if (prepared !== null) await prepared
    for (const stretch of table.run(series, ...all)) takeDays(stretch, take)
    if (pacer.spend(16)) await pacer.rest()
  }
  for (const { reader } of files) {
    const place = reader.find(series)
    if (place === -1) continue
    const [firstMs, lastMs] = [reader.firstMs(place), reader.lastMs(place)]
    if (Math.floor(firstMs / msPerDay) === Math.floor(lastMs / msPerDay)) {
      take(firstMs, lastMs)
      continue
    }
    for (const stretch of reader.forward(place, ...all)) {
      takeDays(stretch, take)
      if (pacer.spend(stretch.end - stretch.start)) await pacer.rest()
    }
  }
}

/** The rows of a stretch are in the order of their times. */
function takeDays({ chunk: { times }, start, end }: Stretch, take: Take): void {
  for (let row = start; row < end; ) {
    const nextMs = (Math.floor(times[row] / msPerDay) + 1) * msPerDay
    const next = times[end - 1] < nextMs ? end : firstAtOrAfter(times, row, end, nextMs)
    take(times[row], times[next - 1])
    row = next
  }
}
