// Code that has never run is slow: the first result after a start took ten times as long as later ones. So the service first runs some queries itself.
import type { Queries } from '../admission/queries.ts'
import { itself } from '../admission/reader.ts'
import type { QueryKind } from '../model/query-kind.ts'
import type { DataQuestion } from './plan-query.ts'
import type { QueryRequest } from './requests.ts'
import type { TagLists } from './tag-lists.ts'

export interface WarmUpParts {
  readonly definitions: { entities(): readonly { readonly name: string }[] }
  readonly queries: Pick<Queries<DataQuestion>, 'run'>
  readonly tagLists: Pick<TagLists, 'list'>
}

/** Time limit, including the query that is running then. */
const warmUpMsMax = 400
const roundsMax = 40
/** All entities share the same code; more of them would only open their files. */
const entitiesMax = 2
const dayMs = 86_400_000

/**
 * Repeatedly queries the newest row of a tag, the row before it and the hourly means of its last day. Never throws: errors are left to later queries to
 * report.
 */
export async function warmUp(parts: WarmUpParts): Promise<void> {
  const ending = AbortSignal.timeout(warmUpMsMax)
  const entities = parts.definitions.entities().slice(0, entitiesMax)
  for (const { name } of entities) {
    try {
      const queries = await questionsAbout(parts, name, ending)
      for (let round = 0; round < roundsMax; round++) for (const run of queries) await run()
    } catch {
      // The time is over, or an error occurred that later queries will report.
    }
  }
}

async function questionsAbout(
  { queries, tagLists }: WarmUpParts,
  entity: string,
  ending: AbortSignal,
): Promise<readonly (() => Promise<unknown>)[]> {
  const run = async <Kind extends QueryKind>(kind: Kind, request: QueryRequest<Kind>): Promise<string> => {
    const answer = await queries.run({ kind, request, format: 'json' }, ending, itself)
    try {
      let text = ''
      for await (const chunk of answer.chunks) text += Buffer.from(chunk).toString()
      return text
    } finally {
      answer.release()
    }
  }
  const { Items: ids } = await tagLists.list(entity, { limit: 1 }, ending, itself)
  if (ids.length === 0) return []
  const newest = newestDate(await run('latest', { entity, ids }))
  if (newest === null) return []
  const start_date = new Date(newest.getTime() - dayMs).toISOString()
  const end_date = newest.toISOString()
  return [
    () => run('latest', { entity, ids }),
    () => run('last', { entity, ids, date: end_date }),
    () => run('average', { entity, ids, granularity: 'hour', start_date, end_date }),
  ]
}

/** The date in the first column of the first row. */
function newestDate(rows: string): Date | null {
  const items: unknown = JSON.parse(rows)
  const row: unknown = Array.isArray(items) ? items[0] : null
  if (typeof row !== 'object' || row === null) return null
  const date = new Date(String(Object.values(row)[0]))
  return Number.isNaN(date.getTime()) ? null : date
}
