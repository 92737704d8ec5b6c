// Converts the bound values of a client to SQL parameters.
import type { SqlValue } from '../druid-sql/parse/sql-value.ts'
import { readParameters } from '../druid-sql/read-parameters.ts'
import { msPerDay } from '../model/instant.ts'
import { invalidRequest, type Problem } from '../model/problem.ts'
import type { BoundValue } from './avatica-protocol.ts'

/** SQL type of each Avatica `Rep`. */
const sqlTypes: ReadonlyMap<string, string> = new Map([
  ...named('VARCHAR', ['STRING', 'CHARACTER', 'PRIMITIVE_CHAR']),
  ...named('BOOLEAN', ['BOOLEAN', 'PRIMITIVE_BOOLEAN']),
  ...named('BIGINT', ['BYTE', 'SHORT', 'INTEGER', 'LONG', 'BIG_INTEGER']),
  ...named('BIGINT', ['PRIMITIVE_BYTE', 'PRIMITIVE_SHORT', 'PRIMITIVE_INT', 'PRIMITIVE_LONG']),
  ...named('DOUBLE', ['DOUBLE', 'FLOAT', 'PRIMITIVE_DOUBLE', 'PRIMITIVE_FLOAT', 'BIG_DECIMAL', 'NUMBER']),
  ...named('TIMESTAMP', ['JAVA_SQL_TIMESTAMP', 'JAVA_UTIL_DATE']),
  ['JAVA_SQL_DATE', 'DATE'],
])

function named(sqlType: string, reps: readonly string[]): [string, string][] {
  return reps.map((rep) => [rep, sqlType])
}

/** Throws Problem `invalid_request` for a type without an SQL equivalent. */
export function sqlValues(bound: readonly BoundValue[]): readonly SqlValue[] {
  const parameters = bound.map(({ type, value }, index) => {
    if (value === null) return { type: 'NULL' }
    const sqlType = sqlTypes.get(type)
    if (sqlType === undefined || value === undefined) throw refusal(type, `parameters[${index}]`)
    return { type: sqlType, value: sqlType === 'DATE' ? Number(value) * msPerDay : value }
  })
  return readParameters(parameters)
}

function refusal(type: string, path: string): Problem {
  if (type === 'UNSET') return invalidRequest(path, 'has no value: set all parameters before you execute the statement')
  return invalidRequest(
    path,
    `is of Avatica's type ${type.slice(0, 100)}, which is not supported: set a number, a string, a boolean, a date or a timestamp`,
  )
}
