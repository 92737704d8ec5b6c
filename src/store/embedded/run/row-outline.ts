import type { Range } from '../../../model/plan.ts'
import type { PlanRun } from './plan-run.ts'

/** An estimate of the selected rows within a range, made without reading them. */
export interface RowOutline {
  /** An upper bound of the number of rows. */
  readonly rowsMax: number
  /** The approximate number of rows, if each source has the rows of a series at even intervals. */
  readonly rowsExpected: number
  /** All rows lie between these dates; infinite if there are none. */
  readonly firstMs: number
  readonly lastMs: number
}

interface Slice {
  readonly rows: number
  /** `NaN` if there is no row. */
  readonly firstMs: number
  readonly lastMs: number
}

export async function outlineRows(range: Range, run: PlanRun): Promise<RowOutline> {
  const { selected, tables, pacer } = run
  const outline = new Outline(Math.max(range.fromMs, run.sinceMs), range.toMs)
  const files = run.files.filter(({ info }) => outline.overlaps(info))
  for (const series of selected.series) {
    for (const table of tables) {
      outline.add({ rows: table.rows(series), firstMs: table.firstMs(series), lastMs: table.lastMs(series) })
    }
    for (const { reader } of files) {
      const place = reader.find(series)
      if (place === -1) continue
      outline.add({ rows: reader.rows(place), firstMs: reader.firstMs(place), lastMs: reader.lastMs(place) })
    }
    if (pacer.spend(4 * (1 + files.length))) await pacer.rest()
  }
  return outline
}

class Outline implements RowOutline {
  rowsMax = 0
  rowsExpected = 0
  firstMs = Number.POSITIVE_INFINITY
  lastMs = Number.NEGATIVE_INFINITY
  readonly #fromMs: number
  readonly #toMs: number

  constructor(fromMs: number, toMs: number) {
    this.#fromMs = fromMs
    this.#toMs = toMs
  }

  overlaps({ firstMs, lastMs }: Pick<Slice, 'firstMs' | 'lastMs'>): boolean {
    return firstMs <= this.#toMs && lastMs >= this.#fromMs
  }

  add(slice: Slice): void {
    if (!this.overlaps(slice)) return
    const { rows, firstMs, lastMs } = slice
    const fromMs = Math.max(firstMs, this.#fromMs)
    const toMs = Math.min(lastMs, this.#toMs)
    this.rowsMax += rows
    this.rowsExpected += (rows * (toMs - fromMs + 1)) / (lastMs - firstMs + 1)
    this.firstMs = Math.min(this.firstMs, fromMs)
    this.lastMs = Math.max(this.lastMs, toMs)
  }
}
