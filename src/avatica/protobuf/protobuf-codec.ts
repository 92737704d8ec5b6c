// Avatica's requests and responses as protobuf; each is wrapped in a `WireMessage` with its name.

import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { decodeMessage, encodeMessage, type MessageValues } from '../../lib/protobuf/wire.ts'
import type {
  AvaticaRequest,
  AvaticaResponse,
  Cell,
  ConnectionProperties,
  Frame,
  Rep,
  ResultSet,
  Signature,
} from '../avatica-protocol.ts'
import { malformed, readRequest } from '../read-request.ts'
import { columnMembers, parameterMembers } from '../signature-members.ts'
import { requestMessages, responseMessages, WireMessage } from './message-fields.ts'

/** The connection id, if the beginning of a request contains it; null otherwise. */
export function connectionIdInProtobuf(beginning: Uint8Array): string | null {
  const reader = new BinaryReader(beginning)
  try {
    reader.tag()
    const request = requestMessages.get(reader.string())?.request
    // Skips tag and length of the request, and for `execute` also those of its statement handle.
    for (let depth = request === 'execute' ? 2 : 1; depth > 0; depth--) {
      reader.tag()
      reader.uint32()
    }
    const [number] = reader.tag()
    return number === 1 ? reader.string() : null
  } catch {
    return null
  }
}

/** Throws Problem `invalid_request`. */
export function decodeProtobuf(body: Uint8Array): AvaticaRequest {
  return readRequest(plainOf(body))
}

function plainOf(body: Uint8Array): MessageValues {
  try {
    const { name, wrapped } = decodeMessage(body, WireMessage)
    const known = typeof name === 'string' ? requestMessages.get(name) : undefined
    if (known === undefined) throw malformed(`there is no message ${JSON.stringify(String(name).slice(0, 100))}`)
    const fields = decodeMessage(wrapped instanceof Uint8Array ? wrapped : new Uint8Array(), known.message)
    return { request: known.request, ...toPlain(known.request, fields) }
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || isPlainError(error))
      throw malformed('it is not protobuf')
    throw error
  }
}

/** Whether the error is one that the library throws for unreadable bytes: a plain Error. */
function isPlainError(error: unknown): boolean {
  return error instanceof Error && Object.getPrototypeOf(error) === Error.prototype
}

/** Restores values that proto3 does not distinguish from defaults: from the `has` flags, or with the defaults of the protocol. */
function toPlain(request: string, fields: MessageValues): MessageValues {
  const plain: MessageValues = { connectionId: '', ...fields }
  switch (request) {
    case 'getSchemas':
    case 'getTables':
    case 'getColumns':
      for (const name of ['catalog', 'schemaPattern', 'tableNamePattern', 'columnNamePattern', 'typeList']) {
        const flag = `has${name[0]!.toUpperCase()}${name.slice(1)}`
        // The driver does not set all of the flags; an empty text without its flag means null.
        plain[name] ??= fields[flag] !== true ? null : name === 'typeList' ? [] : ''
      }
      return plain
    case 'openConnection':
      plain['info'] = fields['info'] instanceof Map ? Object.fromEntries(fields['info']) : {}
      return plain
    case 'connectionSync':
      plain['connProps'] = givenProperties(fields['connProps'])
      return plain
    case 'prepare':
    case 'prepareAndExecute':
      return { sql: '', ...plain, maxRowCount: bounded(fields['maxRowCount']), ...sayTotal(fields) }
    case 'execute': {
      const handle = fields['statementHandle']
      const values = fields['parameterValues']
      plain['statementHandle'] = { connectionId: '', ...(isFields(handle) ? handle : {}) }
      plain['parameterValues'] = Array.isArray(values) ? values.map(typedValue) : []
      return plain
    }
    default:
      return plain
  }
}

function sayTotal(fields: MessageValues): MessageValues {
  return fields['maxRowsTotal'] === undefined ? {} : { maxRowsTotal: bounded(fields['maxRowsTotal']) }
}

/** A number beyond the safe integers, which arrives as a bigint, is treated as unlimited. */
function bounded(rows: unknown): number {
  return typeof rows === 'number' ? rows : -1
}

function givenProperties(properties: unknown): MessageValues {
  if (!isFields(properties)) return {}
  const {
    autoCommit = false,
    hasAutoCommit,
    readOnly = false,
    hasReadOnly,
    transactionIsolation,
    catalog,
    schema,
  } = properties
  return {
    transactionIsolation,
    catalog,
    schema,
    ...(hasAutoCommit === true ? { autoCommit } : {}),
    ...(hasReadOnly === true ? { readOnly } : {}),
  }
}

function typedValue(value: unknown): MessageValues | null {
  if (!isFields(value) || value['implicitlyNull'] === true) return null
  const type = repNames.get(Number(value['rep'] ?? 0)) ?? 'UNRECOGNIZED'
  return { type, value: value['null'] === true ? null : held(type, value) }
}

const scratch = new DataView(new ArrayBuffer(4))

function held(type: string, { bool = false, string = '', number = 0, double = 0, bytes }: MessageValues): unknown {
  switch (type) {
    case 'PRIMITIVE_BOOLEAN':
    case 'BOOLEAN':
      return bool
    case 'PRIMITIVE_DOUBLE':
    case 'DOUBLE':
      return double
    case 'PRIMITIVE_FLOAT':
    case 'FLOAT':
      // The float's bits as an integer.
      scratch.setInt32(0, Number(number))
      return scratch.getFloat32(0)
    case 'BIG_INTEGER':
      return signedBigint(bytes instanceof Uint8Array ? bytes : new Uint8Array())
    case 'STRING':
    case 'PRIMITIVE_CHAR':
    case 'CHARACTER':
    case 'BIG_DECIMAL':
      return string
    case 'NULL':
    case 'OBJECT':
      return null
    case 'BYTE_STRING':
    case 'ARRAY':
    case 'STRUCT':
    case 'MULTISET':
    case 'UNRECOGNIZED':
      return undefined
    default:
      return number
  }
}

/** Decodes the bytes of a Java BigInteger: big-endian two's complement. */
function signedBigint(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

export function encodeProtobuf(response: AvaticaResponse): Uint8Array {
  const { name, message } = responseMessages.get(response.response)!
  return encodeMessage({ name, wrapped: encodeMessage(fieldsOf(response), message) }, WireMessage)
}

function fieldsOf(response: AvaticaResponse): MessageValues {
  switch (response.response) {
    case 'connectionSync':
      return { connProps: propertiesFields(response.connProps) }
    case 'databaseProperties':
      return {
        props: [...response.properties].map(([name, value]) => ({ key: { name }, value: propertyValue(value) })),
      }
    case 'prepare': {
      const { connectionId, statementId: id, signature } = response
      return { statement: { connectionId, id, signature: signatureFields(signature) } }
    }
    case 'resultSet':
      return resultSetFields(response.resultSet)
    case 'executeResults':
      return { results: [resultSetFields(response.resultSet)] }
    case 'fetch':
      return { frame: frameFields(response.frame) }
    case 'error': {
      const { errorMessage } = response
      return { ...response, exceptions: [errorMessage], hasExceptions: true, severity: errorSeverity }
    }
    default:
      return { ...response }
  }
}

const errorSeverity = 2
const listStyle = 4

function propertiesFields(properties: ConnectionProperties): MessageValues {
  return {
    ...properties,
    hasAutoCommit: properties.autoCommit !== undefined,
    hasReadOnly: properties.readOnly !== undefined,
  }
}

function propertyValue(value: string | number): MessageValues {
  return typeof value === 'string'
    ? { rep: repNumbers.get('STRING'), string: value }
    : { rep: repNumbers.get('INTEGER'), number: value }
}

function resultSetFields({ firstFrame, signature, ...rest }: ResultSet): MessageValues {
  // -1: a result set, not a number of changed rows.
  const updateCount = 2n ** 64n - 1n
  return { ...rest, signature: signatureFields(signature), firstFrame: frameFields(firstFrame), updateCount }
}

function frameFields(frame: Frame): MessageValues {
  return { offset: frame.offset, done: frame.done, rows: rowMessages(frame) }
}

function signatureFields({ columns, sql, parameters }: Signature): MessageValues {
  return {
    columns: columns.map((column) => ({
      ...columnMembers(column),
      type: { id: column.typeId, name: column.typeName, rep: repNumbers.get(column.rep) },
    })),
    sql,
    parameters: parameterMembers(parameters),
    cursorFactory: { style: listStyle },
    statementType: 0,
  }
}

function isFields(value: unknown): value is MessageValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The enum numbers of `Rep`. */
const repNumbers: ReadonlyMap<string, number> = new Map(
  [
    'PRIMITIVE_BOOLEAN',
    'PRIMITIVE_BYTE',
    'PRIMITIVE_CHAR',
    'PRIMITIVE_SHORT',
    'PRIMITIVE_INT',
    'PRIMITIVE_LONG',
    'PRIMITIVE_FLOAT',
    'PRIMITIVE_DOUBLE',
    'BOOLEAN',
    'BYTE',
    'CHARACTER',
    'SHORT',
    'INTEGER',
    'LONG',
    'FLOAT',
    'DOUBLE',
    'JAVA_SQL_TIME',
    'JAVA_SQL_TIMESTAMP',
    'JAVA_SQL_DATE',
    'JAVA_UTIL_DATE',
    'BYTE_STRING',
    'STRING',
    'NUMBER',
    'OBJECT',
    'NULL',
    'BIG_INTEGER',
    'BIG_DECIMAL',
    'ARRAY',
    'STRUCT',
    'MULTISET',
  ].map((name, number) => [name, number]),
)

const repNames: ReadonlyMap<number, string> = new Map([...repNumbers].map(([name, number]) => [number, name]))

// Encodes the rows of a frame, each a message `Row`. Done by hand, because a frame has thousands of rows and a result millions of values.

/** Field numbers of `Row`, `ColumnValue` and `TypedValue`. `ColumnValue.value`, which clients from before 2016 read, is not written. */
const rowValue = 1
const columnScalar = 4
const typed = { rep: 1, bool: 2, string: 3, number: 4, double: 6, null: 7 } as const

const nullRep = repNumbers.get('NULL')!

function rowMessages({ rows, reps }: Frame): Uint8Array[] {
  const numbers = reps.map((rep) => repNumbers.get(rep)!)
  return rows.map((row) => {
    const writer = new BinaryWriter()
    for (let index = 0; index < reps.length; index++)
      writeCell(writer, row[index] ?? null, reps[index]!, numbers[index]!)
    return writer.finish()
  })
}

function writeCell(writer: BinaryWriter, value: Cell, rep: Rep, number: number): void {
  writer.tag(rowValue, WireType.LengthDelimited).fork()
  writer.tag(columnScalar, WireType.LengthDelimited).fork()
  writeTypedValue(writer, value, rep, number)
  writer.join().join()
}

function writeTypedValue(writer: BinaryWriter, value: Cell, rep: Rep, number: number): void {
  if (value === null) {
    writer.tag(typed.rep, WireType.Varint).uint32(nullRep)
    writer.tag(typed.null, WireType.Varint).bool(true)
    return
  }
  writer.tag(typed.rep, WireType.Varint).uint32(number)
  switch (rep) {
    case 'STRING':
      writer.tag(typed.string, WireType.LengthDelimited).string(String(value))
      return
    case 'DOUBLE':
      writer.tag(typed.double, WireType.Bit64).double(Number(value))
      return
    case 'BOOLEAN':
      writer.tag(typed.bool, WireType.Varint).bool(value === true)
      return
    default:
      writer.tag(typed.number, WireType.Varint).sint64(typeof value === 'bigint' ? value : Number(value))
  }
}
