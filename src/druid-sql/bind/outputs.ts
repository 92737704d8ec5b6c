import type { Zone } from '../../druid-time/zone.ts'
import type { ColumnType } from '../../model/column.ts'
import { isFree, outOfRoom, widthOf } from '../functions/text-room.ts'
import { arrayJson } from './conversions.ts'
import { duckSql, type SqlText } from './duck-sql.ts'
import { toUtc } from './periods.ts'
import { engineType, type SqlType } from './types.ts'

/** Instants leave the engine as numbers. */
const milliseconds = (at: SqlText): SqlText => duckSql`CAST(epoch_ms(${at}) AS DOUBLE)`

/** A column of the answer in one of the types that answers have; null where it cannot leave. */
export function toOutput(
  type: SqlType,
  column: SqlText,
  zone: Zone,
): { readonly type: ColumnType; readonly sql: SqlText } | null {
  switch (type.kind) {
    case 'long':
    case 'double':
    case 'boolean':
      return { type: type.kind, sql: duckSql`CAST(${column} AS ${engineType(type)})` }
    case 'string':
      return { type: 'string', sql: isFree(widthOf(type)) ? duckSql`CAST(${column} AS VARCHAR)` : outOfRoom(column) }
    case 'timestamp':
      return { type: 'timestamp', sql: milliseconds(column) }
    case 'date':
      return { type: 'timestamp', sql: milliseconds(toUtc(duckSql`CAST(${column} AS TIMESTAMP)`, zone)) }
    case 'null':
      return { type: 'string', sql: column }
    case 'json':
      return { type: 'string', sql: duckSql`CAST(to_json(${column}) AS VARCHAR)` }
    case 'array':
      return { type: 'string', sql: arrayJson(column, type) }
    case 'interval':
    case 'sketch':
    case 'quantiles':
      return null
  }
}
