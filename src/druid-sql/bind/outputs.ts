import type { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { ColumnType } from '../../model/column.ts'
import { isFree, outOfRoom, widthOf } from '../functions/text-room.ts'
import { arrayJson } from './conversions.ts'
import { toUtc } from './periods.ts'
import { engineType, type SqlType } from './types.ts'

/** Instants leave the engine as numbers. */
const milliseconds = (at: Sql): Sql => sql`CAST(epoch_ms(${at}) AS DOUBLE)`

/** A column of the answer in one of the types that answers have; null where it cannot leave. */
export function toOutput(
  type: SqlType,
  column: Sql,
  zone: Zone,
): { readonly type: ColumnType; readonly sql: Sql } | null {
  switch (type.kind) {
    case 'long':
    case 'double':
    case 'boolean':
      return { type: type.kind, sql: sql`CAST(${column} AS ${engineType(type)})` }
    case 'string':
      return { type: 'string', sql: isFree(widthOf(type)) ? sql`CAST(${column} AS VARCHAR)` : outOfRoom(column) }
    case 'timestamp':
      return { type: 'timestamp', sql: milliseconds(column) }
    case 'date':
      return { type: 'timestamp', sql: milliseconds(toUtc(sql`CAST(${column} AS TIMESTAMP)`, zone)) }
    case 'null':
      return { type: 'string', sql: column }
    case 'json':
      return { type: 'string', sql: sql`CAST(to_json(${column}) AS VARCHAR)` }
    case 'array':
      return { type: 'string', sql: arrayJson(column, type) }
    case 'interval':
    case 'float':
    case 'sketch':
    case 'quantiles':
      return null
  }
}
