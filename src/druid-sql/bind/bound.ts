import type { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { widthOf } from '../functions/text-room.ts'
import type { Place } from '../parse/sql-problem.ts'
import { type SqlType, wideString } from './types.ts'

/** An expression whose names are resolved and whose type is known, as the engine's SQL. */
export interface Bound {
  readonly sql: Sql
  readonly type: SqlType
  readonly place: Place
  /** The value, where it is known before the query runs. */
  readonly constant: string | number | bigint | boolean | null | undefined
  /** The first column in it that is neither grouped by nor inside an aggregate. */
  readonly loose: LooseColumn | null
  /** The first aggregate in it. */
  readonly aggregate: Place | null
  /** The first window function in it. */
  readonly window: Place | null
  /** The same instants as the files have them, where it is the time of an entity. */
  readonly fileSql?: Sql | undefined
  /** The column or aggregate of texts or numbers that it is, or is cast from: where rows are chosen, Druid makes filters of those. */
  readonly stored?: StoredColumn | undefined
  /** The column of VALUES that it is: once such rows are grouped or limited, the planner works nothing out of them, and it is as one of an entity. */
  readonly ofValues?: StoredColumn | undefined
  /** The zone of the query, by which times become texts and texts times; UTC where it is left out. */
  readonly zone?: Zone | undefined
}

export interface StoredColumn {
  readonly sql: Sql
  readonly type: SqlType
  readonly isCast: boolean
}

/** A column or an aggregate as it is; undefined where it holds neither texts nor numbers. */
export const storedColumn = (sql: Sql, type: SqlType): StoredColumn | undefined =>
  isCastAway(type) ? { sql, type, isCast: false } : undefined

/** The column of VALUES that it is, and that nothing was made of since. */
export const columnOfValues = ({ ofValues, sql }: Bound): StoredColumn | undefined =>
  ofValues?.sql.text === sql.text ? ofValues : undefined

/** Whether Druid's filters leave out what a column is cast to. */
export const isCastAway = ({ kind }: SqlType): boolean => kind === 'long' || kind === 'double' || kind === 'string'

export interface LooseColumn {
  readonly name: string
  readonly place: Place
}

/** A new expression made of others. */
export function combine(place: Place, type: SqlType, sql: Sql, parts: readonly Bound[]): Bound {
  return {
    sql,
    type: type.kind === 'string' && type.width === undefined && parts.length > 0 ? wideString(widthOfAll(parts)) : type,
    place,
    constant: undefined,
    loose: parts.find((part) => part.loose !== null)?.loose ?? null,
    aggregate: parts.find((part) => part.aggregate !== null)?.aggregate ?? null,
    window: parts.find((part) => part.window !== null)?.window ?? null,
    zone: parts.find((part) => part.zone !== undefined)?.zone,
  }
}

/** A text that is made of others is not longer than all of them, where it is not told to be. */
function widthOfAll(parts: readonly Bound[]): number {
  return parts.reduce((width, { type }) => width + widthOf(type), 0)
}
