// The activity of an entity: which tags are fresh, which fell silent, and the number of rows in each hour of the last day.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { msPerDay } from '../../../../src/model/instant.ts'

/** A tag with items in the last day. */
export interface TagState {
  readonly tag: string
  readonly items: number
  readonly newestMs: number
  /** Whether it has been silent for more than three times its usual interval. */
  readonly silent: boolean
}

export interface EntityState {
  readonly entity: EntityDescription
  /** The tags with items in the last day, newest first. */
  readonly tags: readonly TagState[]
  readonly isCut: boolean
  /** The number of tags that ever had an item, up to the limit of one response. */
  readonly tagsTotal: number
  readonly tagsMore: boolean
  /** Rows in each hour of the last day, oldest first. */
  readonly rowsByHour: readonly number[]
  readonly newestMs: number | null
  /** The newest date, if it is in the future. */
  readonly aheadMs: number | null
}

export const hours = 24
const hourMs = msPerDay / hours
const tagsMax = 10_000
/** The most entities to check, since each takes several requests. */
export const entitiesMax = 6
const silentFactor = 3
/** Shorter silences are ignored, since queries take time themselves. */
const silentMsMin = 300_000
/** Clocks that are slightly fast are not reported. */
const aheadMsMin = 60_000

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const firstTag = ({ fields }: Pick<EntityDescription, 'fields'>): string =>
  fields.find(({ role }) => role === 'tag')?.name ?? ''

type Row = Readonly<Record<string, unknown>>

/** The usual interval of a tag is the mean interval of its items in the last day; with fewer than three items it is a whole day. */
export function tagStates(rows: readonly Row[], nowMs: number): TagState[] {
  const states = rows.map((row): TagState => {
    const [items, oldestMs, newestMs] = [Number(row['n']), Date.parse(String(row['a'])), Date.parse(String(row['b']))]
    const intervalMs = items < 3 ? msPerDay : (newestMs - oldestMs) / (items - 1)
    const silent = nowMs - newestMs > Math.max(silentMsMin, silentFactor * intervalMs)
    return { tag: String(row['t'] ?? ''), items, newestMs, silent }
  })
  return states.sort((a, b) => b.newestMs - a.newestMs || (a.tag < b.tag ? -1 : 1))
}

/** Counts by hour, for the 24 hours that end with the current one. */
export function byHour(rows: readonly Row[], nowMs: number): number[] {
  const counts = new Array<number>(hours).fill(0)
  const first = Math.floor(nowMs / hourMs) - hours + 1
  for (const row of rows) {
    const place = Math.floor(Date.parse(String(row['h'])) / hourMs) - first
    if (place >= 0 && place < hours) counts[place] = counts[place]! + Number(row['n'])
  }
  return counts
}

async function stateOf(client: TidemarkClient, entity: EntityDescription, nowMs: number): Promise<EntityState> {
  const lastMs = entity.last_date === null ? null : Date.parse(entity.last_date)
  const from = `FROM ${quoted(entity.entity)} WHERE __time > MILLIS_TO_TIMESTAMP(${nowMs - msPerDay}) AND __time <= MILLIS_TO_TIMESTAMP(${nowMs})`
  const tag = quoted(firstTag(entity))
  const isQuiet = lastMs === null || lastMs <= nowMs - msPerDay
  const ask = (sql: string): Promise<readonly Row[]> => (isQuiet ? Promise.resolve([]) : client.sql(sql))
  const [rows, counts, all] = await Promise.all([
    ask(`SELECT ${tag} AS t, COUNT(*) AS n, MIN(__time) AS a, MAX(__time) AS b ${from} GROUP BY 1 LIMIT ${tagsMax}`),
    ask(`SELECT FLOOR(__time TO HOUR) AS h, COUNT(*) AS n ${from} GROUP BY 1`),
    client.tags(entity.entity, { limit: tagsMax }),
  ])
  const tags = tagStates(rows, nowMs)
  const aheadMs = lastMs !== null && lastMs > nowMs + aheadMsMin ? lastMs : null
  return {
    entity,
    tags,
    isCut: rows.length === tagsMax,
    tagsTotal: all.Items.length,
    tagsMore: all.NextToken !== null,
    rowsByHour: byHour(counts, nowMs),
    newestMs: tags[0]?.newestMs ?? (aheadMs === null ? lastMs : null),
    aheadMs,
  }
}

export interface PlantState {
  readonly atMs: number
  readonly entities: readonly EntityState[]
  /** Entities that were not checked. */
  readonly others: readonly EntityDescription[]
}

/** The state of the entities with the most rows, without the service's own. */
export async function plantState(client: TidemarkClient, nowMs: number): Promise<PlantState> {
  const all = (await client.entities()).filter(({ of_service }) => of_service !== true)
  const sorted = all.toSorted((a, b) => b.rows - a.rows)
  const entities = await Promise.all(sorted.slice(0, entitiesMax).map((entity) => stateOf(client, entity, nowMs)))
  return { atMs: nowMs, entities, others: sorted.slice(entitiesMax) }
}
