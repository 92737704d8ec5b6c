// The two wire formats are equivalent: a request in one is the same request in the other.
import { describe, expect, test } from 'vitest'
import type { Message } from '../../lib/protobuf/described-message.ts'
import { decodeMessage, encodeMessage, type MessageValues } from '../../lib/protobuf/wire.ts'
import type { AvaticaRequest, AvaticaResponse, ResultSet } from '../avatica-protocol.ts'
import { decodeJson, encodeJson } from '../json/json-codec.ts'
import { requestMessages, responseMessages, WireMessage } from './message-fields.ts'
import { decodeProtobuf, encodeProtobuf } from './protobuf-codec.ts'

const json = (body: unknown): AvaticaRequest => decodeJson(Buffer.from(JSON.stringify(body)))

function protobuf(request: string, fields: MessageValues): Uint8Array {
  const [name, { message }] = [...requestMessages].find(([, described]) => described.request === request)!
  return encodeMessage({ name, wrapped: encodeMessage(fields, message) }, WireMessage)
}

const c = { connectionId: 'c' }
const s = { ...c, statementId: 7 }
const catalog = { catalog: 'druid', hasCatalog: true }

describe('a request decodes to the same value from JSON and protobuf', () => {
  test.each<[string, MessageValues, MessageValues]>([
    ...['closeConnection', 'createStatement', 'databaseProperties', 'getTypeInfo', 'commit', 'rollback'].map(
      (name): [string, MessageValues, MessageValues] => [name, c, c],
    ),
    ...['closeStatement', 'syncResults', 'prepareAndExecuteBatch', 'executeBatch'].map(
      (name): [string, MessageValues, MessageValues] => [name, s, s],
    ),
    ['openConnection', c, c],
    ['connectionSync', { ...c, connProps: {} }, { ...c, connProps: {} }],
    [
      'connectionSync',
      { ...c, connProps: { connProps: 'connPropsImpl', autoCommit: false, readOnly: null, catalog: 'x' } },
      { ...c, connProps: { autoCommit: false, hasAutoCommit: true, readOnly: true, catalog: 'x' } },
    ],
    ['getCatalogs', c, c],
    ['getTableTypes', c, c],
    ['getSchemas', { ...c, catalog: 'druid', schemaPattern: null }, { ...c, ...catalog }],
    ['getSchemas', { ...c, catalog: '', schemaPattern: 'd%' }, { ...c, hasCatalog: true, schemaPattern: 'd%' }],
    [
      'getTables',
      { ...c, catalog: 'druid', schemaPattern: 'd', tableNamePattern: 't', typeList: ['TABLE', 'VIEW'] },
      {
        ...c,
        ...catalog,
        schemaPattern: 'd',
        hasSchemaPattern: true,
        tableNamePattern: 't',
        typeList: ['TABLE', 'VIEW'],
        hasTypeList: true,
      },
    ],
    ['getTables', { ...c, typeList: [] }, { ...c, hasTypeList: true }],
    ['getColumns', { ...c, columnNamePattern: 'V' }, { ...c, columnNamePattern: 'V' }],
    [
      'prepare',
      { ...c, sql: 'SELECT 1', maxRowCount: -1 },
      { ...c, sql: 'SELECT 1', maxRowsTotal: -1, maxRowCount: 2n ** 64n - 1n },
    ],
    [
      'prepareAndExecute',
      { ...s, sql: 'SELECT 1', maxRowsTotal: 5, maxRowsInFirstFrame: 2 },
      { ...s, sql: 'SELECT 1', maxRowsTotal: 5, maxRowsInFirstFrame: 2 },
    ],
    ['fetch', { ...s, offset: 100, fetchMaxRowCount: 10 }, { ...s, offset: 100, fetchMaxRowCount: 10 }],
    ['fetch', { ...s, offset: 0, fetchMaxRowCount: -1 }, { ...s, fetchMaxRowCount: -1 }],
  ])('%# %s', (request, asJson, asProtobuf) => {
    expect(decodeProtobuf(protobuf(request, asProtobuf))).toEqual(json({ request, ...asJson }))
  })

  test('the properties of openConnection', () => {
    const entry = encodeMessage(
      { key: 'user', value: 'x' },
      new Map([
        [1, { name: 'key', kind: 'string' }],
        [2, { name: 'value', kind: 'string' }],
      ]),
    )
    const described: Message = new Map([
      [1, { name: 'connectionId', kind: 'string' }],
      [2, { name: 'info', kind: 'bytes', isRepeated: true }],
    ])
    const name = 'org.apache.calcite.avatica.proto.Requests$OpenConnectionRequest'
    const bytes = encodeMessage({ name, wrapped: encodeMessage({ ...c, info: [entry] }, described) }, WireMessage)
    expect(decodeProtobuf(bytes)).toEqual(json({ request: 'openConnection', ...c, info: { user: 'x' } }))
  })

  test.each<[string, MessageValues, unknown]>([
    ['STRING', { rep: 21, string: 'a' }, 'a'],
    ['STRING', { rep: 21 }, ''],
    ['BOOLEAN', { rep: 8, bool: true }, true],
    ['DOUBLE', { rep: 15, double: 0.1 }, 0.1],
    ['FLOAT', { rep: 14, number: 0x3fc00000 }, 1.5],
    ['LONG', { rep: 13, number: -(2n ** 63n) }, -(2n ** 63n)],
    ['LONG', { rep: 13 }, 0],
    ['INTEGER', { rep: 12, number: -7 }, -7],
    ['BIG_DECIMAL', { rep: 26, string: '12.25' }, '12.25'],
    ['BIG_INTEGER', { rep: 25, bytes: new Uint8Array([0xff, 0x01]) }, -255n],
    ['JAVA_SQL_TIMESTAMP', { rep: 17, number: 1_767_225_600_000 }, 1_767_225_600_000],
    ['OBJECT', { rep: 23, null: true }, null],
    ['NULL', { rep: 24 }, null],
    ['ARRAY', { rep: 27 }, undefined],
    ['UNSET', { rep: 21, implicitlyNull: true }, undefined],
  ])('%#: a value of type %s', (type, fields, value) => {
    const asked = decodeProtobuf(
      protobuf('execute', { statementHandle: { ...c, id: 7 }, parameterValues: [fields], maxRowCount: 100 }),
    )
    expect(asked).toEqual({ request: 'execute', ...s, parameterValues: [{ type, value }], frameRows: 100 })
  })

  test('numbers in JSON keep all their digits', () => {
    const text =
      '{"request":"execute","statementHandle":{"connectionId":"c","id":7,"signature":null},"maxRowCount":100,"parameterValues":[{"type":"LONG","value":9223372036854775807},null,{"type":"STRING","value":"\\"9223372036854775807"}]}'
    expect(decodeJson(Buffer.from(text))).toEqual({
      request: 'execute',
      ...s,
      frameRows: 100,
      parameterValues: [
        { type: 'LONG', value: 2n ** 63n - 1n },
        { type: 'UNSET', value: undefined },
        { type: 'STRING', value: '"9223372036854775807' },
      ],
    })
  })
})

describe('an invalid request is refused', () => {
  test.each<[string, string]>([
    ['invalid JSON', '{'],
    ['not an object', '[]'],
    ['no request name', '{}'],
    ['an unknown request name', '{"request":"drop","connectionId":"c"}'],
    ['the name of a built-in JavaScript property', '{"request":"constructor","connectionId":"c"}'],
    ['no connection', '{"request":"commit"}'],
    ['an offset that is not an integer', '{"request":"fetch","connectionId":"c","statementId":1,"offset":1.5}'],
    ['types that are not a list', '{"request":"getTables","connectionId":"c","typeList":"TABLE"}'],
    [
      'parameter values that are not a list',
      '{"request":"execute","statementHandle":{"connectionId":"c","id":1},"parameterValues":{}}',
    ],
    ['no statement handle', '{"request":"execute"}'],
  ])('JSON: %s', (_name, text) => {
    expect(() => decodeJson(Buffer.from(text))).toThrow("not a request of Avatica's protocol")
  })

  test.each<[string, Uint8Array]>([
    ['an empty body', new Uint8Array()],
    ['a truncated message', protobuf('commit', c).subarray(0, 20)],
    ['arbitrary bytes', new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
    ['an unknown request name', encodeMessage({ name: 'Requests$Drop' }, WireMessage)],
    [
      'a request name that is not UTF-8',
      encodeMessage({ name: new Uint8Array([0xff]) }, new Map([[1, { name: 'name', kind: 'bytes' }]])),
    ],
    ['deeply nested messages', nested(10_000)],
  ])('protobuf: %s', (_name, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow("not a request of Avatica's protocol")
  })
})

function nested(depth: number): Uint8Array {
  let bytes = new Uint8Array()
  for (let level = 0; level < depth && bytes.length < 60_000; level++) {
    bytes = Uint8Array.from(encodeMessage({ wrapped: bytes }, WireMessage))
  }
  return bytes
}

const resultSet: ResultSet = {
  ...s,
  ownStatement: true,
  signature: {
    sql: 'SELECT 1',
    parameters: 1,
    columns: [
      {
        ordinal: 0,
        name: 'n',
        typeId: -5,
        typeName: 'BIGINT',
        rep: 'LONG',
        className: 'java.lang.Long',
        isSigned: true,
        precision: 19,
        displaySize: 20,
      },
      {
        ordinal: 1,
        name: 't',
        typeId: 12,
        typeName: 'VARCHAR',
        rep: 'STRING',
        className: 'java.lang.String',
        isSigned: false,
        precision: 0,
        displaySize: 0,
      },
    ],
  },
  firstFrame: {
    offset: 0,
    done: false,
    rows: [
      [2n ** 63n - 1n, 'a"'],
      [-1, null],
    ],
    reps: ['LONG', 'STRING'],
  },
}

describe('a response', () => {
  const answers: readonly AvaticaResponse[] = [
    { response: 'openConnection' },
    { response: 'connectionSync', connProps: { autoCommit: true } },
    {
      response: 'databaseProperties',
      properties: new Map<string, string | number>([
        ['A', 'x'],
        ['B', 0],
      ]),
    },
    { response: 'createStatement', ...s },
    { response: 'prepare', ...s, signature: resultSet.signature },
    { response: 'resultSet', resultSet },
    { response: 'executeResults', resultSet },
    { response: 'fetch', frame: resultSet.firstFrame },
    { response: 'error', errorMessage: 'No.', errorCode: -1, sqlState: '42000' },
  ]

  test('is encoded as JSON', () => {
    const texts = answers.map((answer) => Buffer.from(encodeJson(answer)).toString())
    expect(texts[7]).toBe(
      '{"response":"fetch","missingStatement":false,"missingResults":false,"frame":{"offset":0,"done":false,"rows":[[9223372036854775807,"a\\""],[-1,null]]}}',
    )
    expect(texts[5]).toContain('"rows":[[9223372036854775807,')
    const parsed = texts.map((text) => JSON.parse(text))
    expect(parsed.slice(0, 4)).toEqual([
      { response: 'openConnection' },
      { response: 'connectionSync', connProps: { connProps: 'connPropsImpl', autoCommit: true, dirty: false } },
      { response: 'databaseProperties', map: { A: 'x', B: 0 } },
      { response: 'createStatement', ...s },
    ])
    const column = { label: 'n', columnName: 'n', type: { type: 'scalar', id: -5, name: 'BIGINT', rep: 'LONG' } }
    const signature = {
      sql: 'SELECT 1',
      columns: [column, {}],
      parameters: [{ name: '?1' }],
      cursorFactory: { style: 'LIST' },
    }
    expect(parsed[4]).toMatchObject({ response: 'prepare', statement: { ...c, id: 7, signature } })
    expect(parsed[6]).toMatchObject({ response: 'executeResults', resultSets: [{ ...s, signature, updateCount: -1 }] })
    expect(parsed[8]).toMatchObject({ exceptions: ['No.'], severity: 'ERROR', errorCode: -1 })
  })

  test('is encoded as protobuf', () => {
    const decoded = answers.map((answer) => {
      const { name, wrapped } = decodeMessage(encodeProtobuf(answer), WireMessage)
      const described = responseMessages.get(answer.response)!
      expect(name).toBe(described.name)
      return decodeMessage(wrapped as Uint8Array, described.message)
    })
    expect(decoded.slice(0, 4)).toEqual([
      {},
      { connProps: { autoCommit: true, hasAutoCommit: true, hasReadOnly: false } },
      {
        props: [
          { key: { name: 'A' }, value: { rep: 21, string: 'x' } },
          { key: { name: 'B' }, value: { rep: 12, number: 0 } },
        ],
      },
      s,
    ])
    const column = { label: 'n', columnName: 'n', type: { id: -5, name: 'BIGINT', rep: 13 } }
    const signature = {
      sql: 'SELECT 1',
      columns: [column, {}],
      parameters: [{ name: '?1' }],
      cursorFactory: { style: 4 },
    }
    expect(decoded[4]).toMatchObject({ statement: { ...c, id: 7, signature } })
    expect(decoded[6]).toMatchObject({ results: [{ ...s, signature, updateCount: 2n ** 64n - 1n }] })
    // A row: two values, each a scalar with its type.
    const frame = decoded[7]?.['frame']
    const rows = typeof frame === 'object' && frame !== null && 'rows' in frame ? frame.rows : null
    expect(Array.isArray(rows) && rows.map((bytes: Uint8Array) => Buffer.from(bytes).toString('hex'))).toEqual([
      '0a0f220d080d20feffffffffffffffff010a08220608151a026122',
      '0a062204080d20010a06220408183801',
    ])
    expect(decoded[8]).toMatchObject({ exceptions: ['No.'], hasExceptions: true, severity: 2, errorCode: -1 })
  })
})

test('a body with a million values of one field is decoded in one pass', () => {
  const execute = [...requestMessages].find(([, { request }]) => request === 'execute')!
  const values = Buffer.from([0x12, 0]).toString('latin1').repeat(1_000_000)
  const body = encodeMessage({ name: execute[0], wrapped: Buffer.from(values, 'latin1') }, WireMessage)
  expect(decodeProtobuf(body)).toMatchObject({ request: 'execute' })
})
