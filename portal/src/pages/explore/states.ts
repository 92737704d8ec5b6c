// States over time, as strips of colour: one for each tag and metric.
import type { Canvas } from '../../parts/chart.tsx'
import { msIn, type Row, type RowTable } from '../../parts/rows-stream.ts'
import { keyOf, nameOfTags } from './lines.ts'

export interface Strip {
  readonly name: string
  readonly pieces: readonly Piece[]
  /** By state, the longest first. */
  readonly totals: readonly StateTotal[]
}

interface Piece {
  readonly fromSecond: number
  readonly states: readonly { readonly state: string; readonly seconds: number }[]
}

interface StateTotal {
  readonly state: string
  readonly seconds: number
  readonly entries: number
}

interface Columns {
  readonly time: string
  readonly tags: readonly string[]
}

const stripsMax = 20

/** The strips of an answer of `states`, and how many there was no room for. */
export function stripsOf(table: RowTable, { time, tags }: Columns): { strips: Strip[]; left: number } {
  const { columns, rows } = table
  const msOf = msIn(table, time)
  const at = (name: string): number => columns.indexOf(name)
  const tagsAt = tags.map(at)
  const metrics = new Set(rows.map((row) => row[at('metric')]))
  const found = new Map<string, { name: string; rows: Row[] }>()
  for (const row of rows) {
    const key = keyOf(row, [...tagsAt, at('metric')])
    const name = [nameOfTags(tagsAt.map((place) => row[place]))]
    if (metrics.size > 1) name.push(String(row[at('metric')]))
    const strip = found.get(key) ?? { name: name.join(' · '), rows: [] }
    strip.rows.push(row)
    found.set(key, strip)
  }
  const strips = [...found.values()].slice(0, stripsMax).map((strip): Strip => {
    const pieces = new Map<number, { state: string; seconds: number }[]>()
    const totals = new Map<string, StateTotal>()
    for (const row of strip.rows) {
      const fromSecond = msOf(row) / 1000
      const [state, seconds, entries] = [
        String(row[at('value')]),
        Number(row[at('seconds')]),
        Number(row[at('entries')]),
      ]
      pieces.set(fromSecond, [...(pieces.get(fromSecond) ?? []), { state, seconds }])
      const before = totals.get(state) ?? { seconds: 0, entries: 0 }
      totals.set(state, { state, seconds: before.seconds + seconds, entries: before.entries + entries })
    }
    return {
      name: strip.name,
      pieces: [...pieces].map(([fromSecond, states]) => ({ fromSecond, states })),
      totals: [...totals.values()].sort((a, b) => b.seconds - a.seconds),
    }
  })
  return { strips, left: found.size - strips.length }
}

interface StripColors {
  /** Of states. */
  colorOf(state: string): string
  /** Of names. */
  readonly text: string
  readonly pixelRatio: number
  /** Where a bucket begins and ends, cut by the range and by now. */
  boundsOf(second: number): readonly [from: number, to: number]
}

/** The share of a strip's room that its colours take; its name stands above. */
const colored = 0.55
/** A state that was there is seen, however short it was. */
const heightMin = 2

export function paintStrips(
  canvas: Canvas,
  strips: readonly Strip[],
  { colorOf, text, pixelRatio, boundsOf }: StripColors,
): void {
  const { ctx, bbox, at } = canvas
  const lane = bbox.height / strips.length
  ctx.save()
  ctx.font = `${12 * pixelRatio}px system-ui`
  ctx.textBaseline = 'bottom'
  ctx.textAlign = 'left'
  for (const [place, { name, pieces }] of strips.entries()) {
    const top = bbox.top + (place + 1 - colored) * lane
    const height = colored * lane * 0.92
    ctx.fillStyle = text
    ctx.fillText(name, bbox.left, top - 2 * pixelRatio, bbox.width)
    for (const { fromSecond, states } of pieces) {
      const [from, to] = boundsOf(fromSecond)
      const [begin, end] = [Math.round(at(from, 'x')), Math.round(at(to, 'x'))]
      let y = top
      for (const { state, seconds } of states) {
        const part = Math.max(heightMin * pixelRatio, (height * seconds) / (to - from))
        ctx.fillStyle = colorOf(state)
        ctx.fillRect(begin, y, Math.max(1, end - begin), part)
        y += part
      }
    }
  }
  ctx.restore()
}
