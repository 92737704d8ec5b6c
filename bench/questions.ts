// The queries of the query benchmarks, over the rows of plant.ts.
import { type LoadResult, request, runLoad } from './load.ts'
import { firstMs, stepMs, tagName } from './plant.ts'

/** The number of rows of each tag. */
export const pointsOfTag = 20_000

export interface Question {
  readonly name: string
  readonly path: string
  readonly body: (random: () => number) => object
}

const iso = (ms: number): string => new Date(ms).toISOString()
export const dayStart = iso(firstMs + 86_400_000)
export const dayEnd = iso(firstMs + 2 * 86_400_000 - 1)

/**
 * Each body is a different query, so that none is served from a cache, but it returns the same rows. Rows are ten seconds apart, so a range
 * may end some milliseconds earlier; an open range may also start or end beyond all rows.
 */
export function questions(tags: number): readonly Question[] {
  const one = (random: () => number): string => tagName(Math.floor(random() * tags))
  const ten = (random: () => number): string[] => {
    const start = Math.floor(random() * Math.max(1, tags - 10))
    return Array.from({ length: Math.min(10, tags) }, (_, index) => tagName(start + index))
  }
  const anyDate = (random: () => number): string => iso(firstMs + Math.floor(random() * pointsOfTag * stepMs))
  const dayEndMs = Date.parse(dayEnd)
  const day = (random: () => number) => ({
    start_date: dayStart,
    end_date: iso(dayEndMs - Math.floor(random() * (stepMs - 1))),
  })
  const beyond = (random: () => number): number => stepMs + Math.floor(random() * 86_400_000)
  const untilBeyond = (random: () => number) => ({ end_date: iso(firstMs + pointsOfTag * stepMs + beyond(random)) })
  const sinceBefore = (random: () => number) => ({ date: iso(firstMs - beyond(random)) })
  const hourly = { entity: 'plant', granularity: 'hour', metric_name_field: ['V'] }
  const average = '/consumer/data/average'
  return [
    {
      name: 'one tag, hourly mean, one day',
      path: average,
      body: (random) => ({ ...hourly, ...day(random), ids: [one(random)] }),
    },
    {
      name: 'one tag, hourly mean, all',
      path: average,
      body: (random) => ({ ...hourly, ...untilBeyond(random), ids: [one(random)] }),
    },
    {
      name: 'ten tags, hourly mean, one day',
      path: average,
      body: (random) => ({ ...hourly, ...day(random), ids: ten(random) }),
    },
    { name: 'all tags, hourly mean by tag, one day', path: average, body: (random) => ({ ...hourly, ...day(random) }) },
    {
      name: 'all rows pooled, hourly mean',
      path: '/consumer/data/average-granularity',
      body: (random) => ({ ...hourly, ...untilBeyond(random) }),
    },
    {
      name: 'latest of one tag',
      path: '/consumer/data/latest',
      body: (random) => ({ entity: 'plant', ...sinceBefore(random), ids: [one(random)] }),
    },
    {
      name: 'latest of all tags',
      path: '/consumer/data/latest',
      body: (random) => ({ entity: 'plant', ...sinceBefore(random) }),
    },
    {
      name: 'newest before a date, one tag',
      path: '/consumer/data/last',
      body: (random) => ({
        entity: 'plant',
        ids: [one(random)],
        date: anyDate(random),
      }),
    },
    {
      name: 'oldest after a date, one tag',
      path: '/consumer/data/next',
      body: (random) => ({ entity: 'plant', ids: [one(random)], date: anyDate(random) }),
    },
    {
      name: 'hundredth before a date, one tag',
      path: '/consumer/data/last',
      body: (random) => ({ entity: 'plant', ids: [one(random)], date: anyDate(random), offset: 99 }),
    },
    {
      name: 'latest of a prefix of ten tags',
      path: '/consumer/data/latest',
      body: (random) => ({
        entity: 'plant',
        ...sinceBefore(random),
        prefixes: [tagName(Math.floor((random() * tags) / 10) * 10).slice(0, -4)],
      }),
    },
    {
      name: 'snap of ten tags, 96 ticks',
      path: '/consumer/data/snap',
      body: (random) => ({ entity: 'plant', ids: ten(random), granularity: 'fifteen_minute', ...day(random) }),
    },
    {
      name: 'hourly mean by area, one day, all tags pooled',
      path: '/consumer/data/average-granularity',
      body: (random) => ({ ...hourly, ...day(random), fields: ['area'] }),
    },
    {
      name: 'ten tags, hourly mean by area, one day',
      path: '/consumer/data/average-dimensions',
      body: (random) => ({ ...hourly, ...day(random), ids: ten(random), fields: ['area'] }),
    },
    {
      name: 'raw rows, ten tags, one day (86,400)',
      path: '/consumer/data/select',
      body: (random) => ({ entity: 'plant', ...day(random), ids: ten(random) }),
    },
  ]
}

/** Runs the same kind of query for about `forMs`, and at least five times. */
export async function askFor(
  url: string,
  question: Question,
  connections: number,
  forMs: number,
  accept = 'application/json',
): Promise<LoadResult> {
  const startedMs = performance.now()
  let asked = 0
  const next = (): Uint8Array | null => {
    if (asked >= 5 && performance.now() - startedMs > forMs) return null
    asked++
    return questionRequest(url, question, Math.random, accept)
  }
  return runLoad({ url, connections, next })
}

/** The bytes of a query; `random` chooses its tags and dates. */
export function questionRequest(
  url: string,
  question: Question,
  random: () => number,
  accept = 'application/json',
): Uint8Array {
  const headers = { 'content-type': 'application/json', accept }
  return request(url, 'POST', question.path, headers, JSON.stringify(question.body(random)))
}
