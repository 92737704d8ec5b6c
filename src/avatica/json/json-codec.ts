// Avatica's requests and responses as JSON.
// Tested by `src/avatica/protobuf/protobuf-codec.test.ts`.
import { isUtf8 } from 'node:buffer'
import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from '../../lib/ascii.ts'
import { parseWithLongs } from '../../lib/json-with-longs.ts'
import type {
  AvaticaColumn,
  AvaticaRequest,
  AvaticaResponse,
  Cell,
  ConnectionProperties,
  Frame,
  ResultSet,
  Signature,
} from '../avatica-protocol.ts'
import { malformed, readRequest } from '../read-request.ts'
import { columnMembers, parameterMembers } from '../signature-members.ts'

/** Maximum nesting; valid requests are never this deep. */
const nestingMax = 64

/** The connection id, if the beginning of a request contains it; null otherwise. */
export function connectionIdInJson(beginning: Buffer): string | null {
  return /"connectionId"\s*:\s*"([^"\\]*)"/.exec(beginning.toString('utf8'))?.[1] ?? null
}

/** The result is unspecified if the bytes are not JSON. */
function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) isString = !isString
    else if (isString) at += byte === backslash ? 1 : 0
    else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
    if (depth > nestingMax) return true
  }
  return false
}

/** Throws Problem `invalid_request`. */
export function decodeJson(body: Uint8Array): AvaticaRequest {
  if (!isUtf8(body)) throw malformed('it is not UTF-8')
  if (isNestedTooDeep(body)) throw malformed(`it is nested deeper than ${nestingMax} levels`)
  let parsed: unknown
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
    parsed = parseWithLongs(text)
  } catch {
    throw malformed('it is not JSON')
  }
  return readRequest(parsed)
}

export function encodeJson(response: AvaticaResponse): Uint8Array {
  return Buffer.from(jsonOf(response))
}

function jsonOf(response: AvaticaResponse): string {
  switch (response.response) {
    case 'connectionSync':
      return JSON.stringify({ response: 'connectionSync', connProps: propertiesJson(response.connProps) })
    case 'databaseProperties':
      return JSON.stringify({ response: 'databaseProperties', map: Object.fromEntries(response.properties) })
    case 'prepare': {
      const { connectionId, statementId, signature } = response
      const statement = { connectionId, id: statementId, signature: signatureJson(signature) }
      return JSON.stringify({ response: 'prepare', statement })
    }
    case 'resultSet':
      return resultSetText(response.resultSet)
    case 'executeResults':
      return `{"response":"executeResults","missingStatement":false,"resultSets":[${resultSetText(response.resultSet)}]}`
    case 'fetch':
      return `{"response":"fetch","missingStatement":false,"missingResults":false,"frame":${frameText(response.frame)}}`
    case 'error': {
      const { errorMessage } = response
      return JSON.stringify({ ...response, exceptions: [errorMessage], severity: 'ERROR' })
    }
    default:
      return JSON.stringify(response)
  }
}

function propertiesJson(properties: ConnectionProperties): object {
  return { connProps: 'connPropsImpl', ...properties, dirty: false }
}

function resultSetText({ firstFrame, signature, ...rest }: ResultSet): string {
  const head = JSON.stringify({
    response: 'resultSet',
    ...rest,
    signature: signatureJson(signature),
    updateCount: -1,
  })
  return `${head.slice(0, -1)},"firstFrame":${frameText(firstFrame)}}`
}

/** Serializes rows separately, because JSON.stringify cannot write longs with all their digits. */
function frameText({ offset, done, rows }: Frame): string {
  return `{"offset":${offset},"done":${done},"rows":[${rows.map(rowText).join(',')}]}`
}

function rowText(row: readonly Cell[]): string {
  if (row.every((value) => typeof value !== 'bigint')) return JSON.stringify(row)
  return `[${row.map((value) => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value))).join(',')}]`
}

function signatureJson({ columns, sql, parameters }: Signature): object {
  return {
    columns: columns.map(columnJson),
    sql,
    parameters: parameterMembers(parameters).map((members) => ({ ...members, signed: false, precision: 0, scale: 0 })),
    cursorFactory: { style: 'LIST', clazz: null, fieldNames: null },
    statementType: 'SELECT',
  }
}

function columnJson(column: AvaticaColumn): object {
  const { typeId, typeName, rep } = column
  return {
    ...columnMembers(column),
    autoIncrement: false,
    currency: false,
    writable: false,
    definitelyWritable: false,
    type: { type: 'scalar', id: typeId, name: typeName, rep },
  }
}
