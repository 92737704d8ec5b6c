// States over time, as coloured strips: one for each tag and metric.
import type { Canvas } from '../../parts/chart.tsx'
import { msIn, type Row, type RowTable } from '../../parts/rows-stream.ts'
import { keyOf, nameOfTags } from './lines.ts'

/** Null stands for all states without a colour of their own. */
export type State = string | null

export interface Strip {
  readonly name: string
  readonly pieces: readonly Piece[]
  /** Totals by state, longest first. */
  readonly totals: readonly StateTotal[]
}

interface Piece {
  readonly fromSecond: number
  readonly states: readonly { readonly state: State; readonly seconds: number }[]
}

interface StateTotal {
  readonly state: State
  /** The number of states that it represents. */
  readonly count: number
  readonly seconds: number
  readonly entries: number
}

interface Columns {
  readonly time: string
  readonly tags: readonly string[]
}

const stripsMax = 20
/** The most states with an entry of their own: twice the number of colours. More could not be distinguished. */
const statesMax = 20

/** The strips of a `states` response, and the number of strips beyond the limit. */
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
  const shown = [...found.values()].slice(0, stripsMax)
  const readingOf = (row: Row): Reading => ({
    ...{ second: msOf(row) / 1000, state: String(row[at('value')]) },
    ...{ seconds: Number(row[at('seconds')]), entries: Number(row[at('entries')]) },
  })
  const readings = shown.map((strip) => strip.rows.map(readingOf))
  const distinguished = distinguishedStates(readings.flat())
  const strips = shown.map(({ name }, place) => stripOf(name, readings[place]!, distinguished))
  return { strips, left: found.size - strips.length }
}

interface Reading {
  /** The start of its bucket. */
  readonly second: number
  readonly state: string
  readonly seconds: number
  readonly entries: number
}

/** The states with the longest total duration. */
function distinguishedStates(readings: readonly Reading[]): ReadonlySet<string> {
  const whole = new Map<string, number>()
  for (const { state, seconds } of readings) whole.set(state, (whole.get(state) ?? 0) + seconds)
  const longest = [...whole].sort(([, a], [, b]) => b - a).slice(0, statesMax)
  return new Set(longest.map(([state]) => state))
}

function stripOf(name: string, readings: readonly Reading[], distinguished: ReadonlySet<string>): Strip {
  const others = new Set<string>()
  const pieces = new Map<number, Map<State, number>>()
  const totals = new Map<State, Omit<StateTotal, 'state' | 'count'>>()
  for (const { second, state: own, seconds, entries } of readings) {
    const state = distinguished.has(own) ? own : null
    if (state === null) others.add(own)
    const piece = pieces.get(second) ?? new Map<State, number>()
    pieces.set(second, piece.set(state, (piece.get(state) ?? 0) + seconds))
    const before = totals.get(state) ?? { seconds: 0, entries: 0 }
    totals.set(state, { seconds: before.seconds + seconds, entries: before.entries + entries })
  }
  return {
    name,
    pieces: [...pieces].map(([fromSecond, states]) => ({
      fromSecond,
      states: [...states].map(([state, seconds]) => ({ state, seconds })),
    })),
    totals: [...totals]
      .map(([state, total]) => ({ state, count: state === null ? others.size : 1, ...total }))
      .sort((a, b) => b.seconds - a.seconds),
  }
}

interface StripColors {
  /** The colour of a state. */
  colorOf(state: State): string
  /** The colour of names. */
  readonly text: string
  readonly pixelRatio: number
  /** Start and end of a bucket, limited by the range and by now. */
  boundsOf(second: number): readonly [from: number, to: number]
}

/** The share of a strip's height that is coloured; its name is above. */
const colored = 0.55
/** The minimum height of a state, so that even a short one is visible. */
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
      const parts = states.map(({ seconds }) => Math.max(heightMin * pixelRatio, (height * seconds) / (to - from)))
      // Many short states are scaled down, so that they do not cover the strip below.
      const scale = Math.min(1, height / parts.reduce((sum, part) => sum + part, 0))
      let y = top
      for (const [place, { state }] of states.entries()) {
        const part = parts[place]! * scale
        ctx.fillStyle = colorOf(state)
        ctx.fillRect(begin, y, Math.max(1, end - begin), part)
        y += part
      }
    }
  }
  ctx.restore()
}
