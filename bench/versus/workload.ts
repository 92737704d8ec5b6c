// The rows pushed to all systems, and the queries that all of them run.
import { firstMs, plantLine, plantRow, stepMs, tagName } from '../plant.ts'
import { pointsOfTag } from '../questions.ts'
import type { QuerySpec, RowFormat } from './system.ts'

const dayMs = 86_400_000
/** The second day, so that there are rows before and after it. */
export const day = { fromMs: firstMs + dayMs, toMs: firstMs + 2 * dayMs }
export const filledToMs = firstMs + pointsOfTag * stepMs
const filled = { fromMs: firstMs, toMs: filledToMs }

export interface VersusQuestion {
  readonly name: string
  /** Another tag or date each time. */
  readonly make: (turn: number, tags: number) => QuerySpec
}

/** Coprime to any number of tags that ends in zeros. */
const stride = 37

const one = (turn: number, tags: number): string => tagName((turn * stride) % tags)

export const versusQuestions: readonly VersusQuestion[] = [
  {
    name: 'one tag, hourly mean, one day',
    make: (turn, tags) => ({ kind: 'means', tags: [one(turn, tags)], ...day }),
  },
  {
    name: 'one tag, hourly mean, all',
    make: (turn, tags) => ({ kind: 'means', tags: [one(turn, tags)], ...filled }),
  },
  {
    name: 'newest before a date, one tag',
    make: (turn, tags) => ({ kind: 'before', tag: one(turn, tags), atMs: day.fromMs + ((turn * 977_777) % dayMs) }),
  },
  {
    name: 'latest of one tag',
    make: (turn, tags) => ({ kind: 'latest', tag: one(turn, tags), newestMs: filledToMs }),
  },
  {
    name: 'ten tags, hourly mean, one day',
    make(turn, tags) {
      const first = (turn * 10) % Math.max(1, tags - 9)
      return {
        kind: 'means',
        tags: Array.from({ length: Math.min(10, tags) }, (_, next) => tagName(first + next)),
        ...day,
      }
    },
  },
  { name: 'all rows pooled, hourly mean', make: () => ({ kind: 'pooled', ...filled }) },
]

/** A body of `rows` rows starting with row `from`, counted in the order of time. */
export function bodyOf(format: RowFormat, { from, rows, tags }: RowRange): string {
  const row = format === 'json' ? plantRow : plantLine
  const texts = Array.from({ length: rows }, (_, next) => row((from + next) % tags, Math.floor((from + next) / tags)))
  return format === 'json' ? `[${texts.join(',')}]` : `${texts.join('\n')}\n`
}

export interface RowRange {
  readonly from: number
  readonly rows: number
  readonly tags: number
}

export interface PushShape {
  readonly rowsInBody: number
  readonly connections: number
  /** About the number that a system accepts in a second on two cores, so that almost no row is sent twice. */
  readonly bodiesInSecond: number
}

export const pushShapes: readonly PushShape[] = [
  { rowsInBody: 1, connections: 64, bodiesInSecond: 50_000 },
  { rowsInBody: 100, connections: 64, bodiesInSecond: 18_000 },
  { rowsInBody: 1000, connections: 8, bodiesInSecond: 2500 },
]
