// The body of `POST /druid/v2/sql`, whose shape is already validated.
import type { Static } from 'typebox'
import { parseWithLongs } from '../lib/json-with-longs.ts'
import { type DruidLayout, druidFormats } from '../model/druid-layout.ts'
import { invalidRequest } from '../model/problem.ts'
import { readParameters } from './read-parameters.ts'
import type { DruidSqlRequestSchema } from './request.ts'
import type { SqlQuery } from './sql-query.ts'

export interface DruidSqlRequest {
  readonly question: SqlQuery
  readonly layout: DruidLayout
  readonly context: unknown
}

/** `bytes` is the body as received, in which whole-number parameters have all their digits. Throws Problem `invalid_request`. */
export function readDruidSql(body: Static<typeof DruidSqlRequestSchema>, bytes: Uint8Array): DruidSqlRequest {
  const { query, parameters, context } = body
  const exact = Array.isArray(parameters) && parameters.length > 0 ? exactParameters(bytes) : parameters
  return { question: { text: query, parameters: readParameters(exact) }, layout: layoutOf(body), context }
}

function exactParameters(bytes: Uint8Array): unknown {
  return Reflect.get(Object(parseWithLongs(new TextDecoder().decode(bytes))), 'parameters')
}

function layoutOf(body: Static<typeof DruidSqlRequestSchema>): DruidLayout {
  const { resultFormat, header, typesHeader, sqlTypesHeader } = body
  const format = druidFormats.find((name) => name.toLowerCase() === (resultFormat ?? druidFormats[0]).toLowerCase())
  if (format === undefined) throw invalidRequest('resultFormat', `must be one of ${druidFormats.join(', ')}`)
  const headers = {
    header: header ?? false,
    typesHeader: typesHeader ?? false,
    sqlTypesHeader: sqlTypesHeader ?? false,
  }
  for (const name of ['typesHeader', 'sqlTypesHeader'] as const)
    if (headers[name] && !headers.header) throw invalidRequest(name, 'needs `header` to be true')
  return { resultFormat: format, ...headers }
}
