// Converts a decoded request of either wire format, with the names of Avatica's JSON, to a typed request.
import { Problem } from '../model/problem.ts'
import {
  type AvaticaRequest,
  type BoundValue,
  type ConnectionProperties,
  type MetadataPatterns,
  metadataRequests,
  plainRequests,
} from './avatica-protocol.ts'

/** Length limit of values that a connection stores: its id, its properties, its key. Drivers generate ids of 36 characters. */
const keptCharactersMax = 1024

export type Plain = Readonly<Record<string, unknown>>

/** Throws Problem `invalid_request` if the body is not an Avatica request. */
export function readRequest(body: unknown): AvaticaRequest {
  if (!isPlain(body)) throw malformed('it is not an object')
  const name = textOf(body, 'request')
  if (name === 'execute') return executeRequest(body)
  const connectionId = textOf(
    body,
    name === 'createStatement' && !('connectionId' in body) ? 'signature' : 'connectionId',
  )
  const plain = plainRequests.find((one) => one === name)
  if (plain !== undefined) return { request: plain, connectionId }
  const metadata = metadataRequests.find((one) => one === name)
  if (metadata !== undefined) return { request: metadata, connectionId, patterns: patternsOf(body) }
  switch (name) {
    case 'openConnection':
      return { request: name, connectionId: kept(connectionId, 'connectionId'), info: infoOf(body['info']) }
    case 'connectionSync':
      return { request: name, connectionId, connProps: propertiesOf(body['connProps']) }
    case 'prepare':
      return { request: name, connectionId, sql: textOf(body, 'sql'), rowsMax: rowsMaxOf(body) }
    case 'prepareAndExecute':
    case 'fetch':
    case 'closeStatement':
    case 'syncResults':
    case 'prepareAndExecuteBatch':
    case 'executeBatch':
      return statementRequest(name, body, { connectionId, statementId: countOf(body, 'statementId') })
    default:
      throw malformed(`there is no request ${JSON.stringify(name.slice(0, 100))}`)
  }
}

function statementRequest(
  request: 'prepareAndExecute' | 'fetch' | 'closeStatement' | 'syncResults' | 'prepareAndExecuteBatch' | 'executeBatch',
  body: Plain,
  of: { readonly connectionId: string; readonly statementId: number },
): AvaticaRequest {
  if (request === 'fetch')
    return { request, ...of, offset: countOf(body, 'offset'), frameRows: boundOf(body, 'fetchMaxRowCount') }
  if (request !== 'prepareAndExecute') return { request, ...of }
  return {
    request,
    ...of,
    sql: textOf(body, 'sql'),
    rowsMax: rowsMaxOf(body),
    frameRows: boundOf(body, 'maxRowsInFirstFrame'),
  }
}

function executeRequest(body: Plain): AvaticaRequest {
  const handle = body['statementHandle']
  if (!isPlain(handle)) throw malformed('statementHandle is not an object')
  const values = body['parameterValues'] ?? []
  if (!Array.isArray(values)) throw malformed('parameterValues is not a list')
  return {
    request: 'execute',
    connectionId: textOf(handle, 'connectionId'),
    statementId: countOf(handle, 'id'),
    parameterValues: values.map(boundValue),
    frameRows: boundOf(body, 'maxRowCount'),
  }
}

/** Invalid values are only reported when the statement is executed, in a form that drivers show. */
function boundValue(value: unknown): BoundValue {
  if (!isPlain(value)) return { type: 'UNSET', value: undefined }
  const type = textOf(value, 'type')
  const bound = value['value']
  switch (typeof bound) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return { type, value: bound }
    default:
      return { type, value: bound === null || (bound === undefined && nullTypes.has(type)) ? null : undefined }
  }
}

/** Types whose null may be omitted. */
const nullTypes = new Set(['NULL', 'OBJECT'])

function patternsOf(body: Plain): MetadataPatterns {
  const types = body['typeList'] ?? null
  if (types !== null && !(Array.isArray(types) && types.every((type) => typeof type === 'string')))
    throw malformed('typeList is not a list of strings')
  return {
    catalog: optionalText(body['catalog'], 'catalog'),
    schemaPattern: optionalText(body['schemaPattern'], 'schemaPattern'),
    tableNamePattern: optionalText(body['tableNamePattern'], 'tableNamePattern'),
    columnNamePattern: optionalText(body['columnNamePattern'], 'columnNamePattern'),
    typeList: types,
  }
}

function infoOf(info: unknown): ReadonlyMap<string, string> {
  if (info === undefined || info === null) return new Map()
  if (!isPlain(info)) throw malformed('info is not an object')
  const given = Object.entries(info).filter(([, value]) => value !== null)
  return new Map(given.map(([name, value]) => [name, infoText(name, value)]))
}

/** Drivers send strings; other scalars come from hand-written requests and are converted. */
function infoText(name: string, value: unknown): string {
  switch (typeof value) {
    case 'string':
      return keptInfo.has(name) ? kept(value, `info.${name}`) : value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      throw malformed(`info.${name.slice(0, 100)} is not a string, a number, true or false`)
  }
}

/** The settings that are stored, and therefore limited in length. */
const keptInfo = new Set(['password', 'avatica_password', 'sqlTimeZone', 'timeout'])

function kept(text: string, name: string): string {
  if (text.length > keptCharactersMax)
    throw malformed(`${name} has ${text.length} characters, but at most ${keptCharactersMax} are allowed`)
  return text
}

function propertiesOf(properties: unknown): ConnectionProperties {
  if (properties === undefined || properties === null) return {}
  if (!isPlain(properties)) throw malformed('connProps is not an object')
  const { autoCommit, readOnly, transactionIsolation, catalog, schema } = properties
  return {
    autoCommit: typeof autoCommit === 'boolean' ? autoCommit : undefined,
    readOnly: typeof readOnly === 'boolean' ? readOnly : undefined,
    transactionIsolation: typeof transactionIsolation === 'number' ? transactionIsolation : undefined,
    catalog: typeof catalog === 'string' ? kept(catalog, 'connProps.catalog') : undefined,
    schema: typeof schema === 'string' ? kept(schema, 'connProps.schema') : undefined,
  }
}

/** Old clients use `maxRowCount`. */
function rowsMaxOf(body: Plain): number | null {
  return boundOf(body, body['maxRowsTotal'] === undefined ? 'maxRowCount' : 'maxRowsTotal')
}

/** Zero and negative numbers mean unlimited (null). */
function boundOf(body: Plain, name: string): number | null {
  const value = body[name] ?? -1
  if (typeof value !== 'number' || !Number.isInteger(value)) throw malformed(`${name} is not a whole number`)
  return value > 0 ? value : null
}

function countOf(body: Plain, name: string): number {
  const value = body[name] ?? 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw malformed(`${name} is not a whole number`)
  return value
}

function textOf(body: Plain, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw malformed(`${name} is not a string`)
  return value
}

function optionalText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  // Jackson in old clients serializes patterns this way.
  const text = isPlain(value) ? value['s'] : value
  if (text === undefined || text === null) return null
  if (typeof text !== 'string') throw malformed(`${name} is not a string`)
  return text
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function malformed(message: string): Problem {
  return new Problem(
    'invalid_request',
    `The body is not a request of Avatica's protocol: ${message}. Use Avatica's driver.`,
  )
}
