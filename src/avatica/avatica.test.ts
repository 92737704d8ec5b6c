import { describe, expect, test } from 'vitest'
import { type AvaticaOfTest, avaticaOfTest } from '../../test/support/avatica-parts.ts'
import type { AvaticaCaller } from './avatica.ts'
import type { AvaticaRequest, AvaticaResponse, Frame, ResultSet } from './avatica-protocol.ts'

const connectionId = 'c'
/** A caller that sends its key only once. */
const keyless = { hasKey: false, network: '10.0.0.1' }
const none = { catalog: null, schemaPattern: null, tableNamePattern: null, columnNamePattern: null, typeList: null }
const execute = (sql: string, statementId = 1, rowsMax: number | null = null): AvaticaRequest => ({
  request: 'prepareAndExecute',
  connectionId,
  statementId,
  sql,
  rowsMax,
  frameRows: null,
})
const fetch = (offset: number, statementId = 1, frameRows: number | null = null): AvaticaRequest => ({
  request: 'fetch',
  connectionId,
  statementId,
  offset,
  frameRows,
})
const plain = (request: 'createStatement' | 'closeConnection' | 'getTypeInfo' | 'commit') => ({ request, connectionId })

async function withStatement(limits: Parameters<typeof avaticaOfTest>[0] = {}): Promise<AvaticaOfTest> {
  const parts = avaticaOfTest(limits)
  await parts.open(connectionId)
  await parts.ask(plain('createStatement'))
  return parts
}

function resultSet(response: AvaticaResponse): ResultSet {
  if (response.response !== 'executeResults' && response.response !== 'resultSet') throw new Error(response.response)
  return response.resultSet
}

function frame(response: AvaticaResponse): Frame {
  if (response.response !== 'fetch') throw new Error(response.response)
  return response.frame
}

describe('a result', () => {
  test('is returned in frames, each value with its type', async () => {
    const { ask, sql } = await withStatement()
    const { firstFrame, signature, ownStatement } = resultSet(await ask(execute('SELECT 6')))
    expect(ownStatement).toBe(false)
    expect(signature.columns.map(({ name, rep }) => `${name} ${rep}`)).toEqual([
      'n LONG',
      'text STRING',
      'at LONG',
      'x DOUBLE',
      'is BOOLEAN',
    ])
    expect(firstFrame.rows.slice(0, 2)).toEqual([
      [9007199254740990, 'row 0', 1767225600000, 0.5, true],
      [1, 'row 1', 1767225600001, 1.5, false],
    ])
    expect(firstFrame.rows[2]?.[0]).toBe(9007199254740992n)
    expect(firstFrame).toMatchObject({ offset: 0, done: false })
    expect(sql.released).toBe(0)
    const rest = frame(await ask(fetch(4)))
    expect(rest).toMatchObject({ offset: 4, done: true })
    expect(rest.rows.map(([, text]) => text)).toEqual(['row 4', 'row 5'])
    expect(sql.released).toBe(1)
  })

  test.each<[string, number, number | null, number, boolean]>([
    ['no rows', 0, null, 0, true],
    ['as many rows as a frame holds', 4, null, 4, true],
    ['more rows than the caller wants', 6, 3, 3, true],
    ['more rows than a frame holds', 5, null, 4, false],
  ])('the first frame of %s', async (_name, rows, rowsMax, shown, done) => {
    const { ask } = await withStatement()
    const { firstFrame } = resultSet(await ask(execute(`SELECT ${rows}`, 1, rowsMax)))
    expect(firstFrame.rows).toHaveLength(shown)
    expect(firstFrame.done).toBe(done)
  })

  test('a frame ends at its byte limit, but has at least one row', async () => {
    const { ask } = await withStatement({ frameBytes: 1 })
    expect(resultSet(await ask(execute('SELECT 3'))).firstFrame.rows).toHaveLength(1)
    expect(frame(await ask(fetch(1))).rows).toHaveLength(1)
  })

  test('a fetch returns 5000 rows even if the caller requests fewer', async () => {
    const { ask } = await withStatement({ frameRows: 10_000, frameBytes: 1e9, heldBytes: 1e9 })
    await ask(execute('SELECT 25000'))
    expect(frame(await ask(fetch(10_000, 1, 1))).rows).toHaveLength(5000)
    expect(frame(await ask(fetch(15_000, 1, 6000))).rows).toHaveLength(6000)
  })

  test('rows are read once, in order: a fetch at an earlier offset and a syncResults are refused', async () => {
    const { ask } = await withStatement()
    await ask(execute('SELECT 9'))
    await expect(ask(fetch(0))).rejects.toThrow('has no rows from 0 on')
    await expect(ask({ request: 'syncResults', connectionId, statementId: 1 })).rejects.toThrow('Execute')
    expect(frame(await ask(fetch(4))).offset).toBe(4)
  })

  test('is released when its statement runs again or is closed, or its connection is closed', async () => {
    const { ask, sql } = await withStatement()
    await ask(execute('SELECT 9'))
    await ask(execute('SELECT 9'))
    expect(sql.released).toBe(1)
    await ask({ request: 'closeStatement', connectionId, statementId: 1 })
    expect(sql.released).toBe(2)
    await ask(plain('createStatement'))
    await ask(execute('SELECT 9', 2))
    await ask(plain('closeConnection'))
    expect(sql.released).toBe(3)
  })

  test('unread results use memory, of which one subscriber gets at most three quarters', async () => {
    const { ask, sql } = await withStatement({ heldBytes: 5000 })
    await ask(execute('SELECT 8'))
    await ask(plain('createStatement'))
    await expect(ask(execute('SELECT 8', 2))).rejects.toMatchObject({ code: 'overloaded' })
    expect(sql.released).toBe(1)
    await ask({ request: 'closeStatement', connectionId, statementId: 1 })
    expect(resultSet(await ask(execute('SELECT 8', 2))).firstFrame.rows).toHaveLength(4)
  })
})

test('refuses most of 10 x 10 statements of 900 columns at the memory limit, and accepts more after some close', async () => {
  // One hundredth of the default; with 100 connections of 100 statements the result is the same.
  const { ask, open } = avaticaOfTest({ connections: 10, ownConnections: 10, statements: 10, heldBytes: 2 ** 30 / 100 })
  let held = 0
  const fill = async (): Promise<void> => {
    for (let at = 0; at < 100; at++) {
      const id = String(Math.floor(at / 10))
      if (at % 10 === 0) await open(id)
      await ask({ request: 'createStatement', connectionId: id })
      await ask({ ...execute('SELECT 5 WIDE', 1 + (at % 10)), connectionId: id })
      held += 1
    }
  }
  await expect(fill()).rejects.toMatchObject({ code: 'overloaded' })
  // Three quarters of 10.7 million bytes, at 900 times 512 bytes and more for each statement.
  expect(held).toBe(17)
  await ask({ request: 'closeConnection', connectionId: '0' })
  await ask({ ...execute('SELECT 5 WIDE', 8), connectionId: '1' })
})

test('a prepared statement does not store its columns', async () => {
  const { ask, open } = avaticaOfTest()
  await open(connectionId)
  const prepared = await ask({ request: 'prepare', connectionId, sql: 'SELECT 1 WIDE', rowsMax: null })
  expect(prepared.response === 'prepare' && prepared.signature.columns).toHaveLength(900)
  for (let statement = 0; statement < 2; statement++)
    await ask({ request: 'prepare', connectionId, sql: 'SELECT 1 WIDE', rowsMax: null })
})

describe('a running query', () => {
  test.each<[string, (parts: AvaticaOfTest) => unknown, string]>([
    [
      'its statement is closed',
      ({ ask }) => ask({ request: 'closeStatement', connectionId, statementId: 1 }),
      'was closed',
    ],
    ['its connection is closed', ({ ask }) => ask(plain('closeConnection')), 'was closed'],
    ['the service stops', ({ avatica }) => avatica.close(), 'is stopping'],
  ])('ends when %s', async (_name, end, message) => {
    const parts = await withStatement()
    const running = parts.ask(execute('SLOW'))
    const refused = expect(running).rejects.toThrow(message)
    await end(parts)
    await refused
  })

  test('ends when its client disconnects', async () => {
    const { ask } = await withStatement()
    const gone = new AbortController()
    const running = ask(execute('SLOW'), 'a', gone.signal)
    gone.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
  })

  test('blocks another run of its statement, and keeps its connection from being closed as idle', async () => {
    const { ask, avatica, clock } = await withStatement()
    const running = ask(execute('SLOW'))
    await expect(ask(execute('SELECT 1'))).rejects.toThrow('is already running')
    clock.nowMs = 5000
    avatica.closeIdle()
    expect(await ask(plain('commit'))).toEqual({ response: 'commit' })
    await ask({ request: 'closeStatement', connectionId, statementId: 1 })
    await expect(running).rejects.toThrow('was closed')
  })
})

describe('a prepared statement', () => {
  test('returns its columns and parameters, and runs with values', async () => {
    const { ask, open, sql } = avaticaOfTest()
    await open(connectionId)
    const prepared = await ask({ request: 'prepare', connectionId, sql: 'SELECT 2 ? ?', rowsMax: 1 })
    expect(prepared).toMatchObject({ statementId: 1, signature: { parameters: 2, sql: 'SELECT 2 ? ?' } })
    const parameterValues = [
      { type: 'LONG', value: 5n },
      { type: 'JAVA_SQL_DATE', value: 20_541 },
    ]
    const run: AvaticaRequest = { request: 'execute', connectionId, statementId: 1, parameterValues, frameRows: null }
    expect(resultSet(await ask(run)).firstFrame.rows).toHaveLength(1)
    expect(sql.asked.at(-1)?.parameters).toEqual([
      { kind: 'number', digits: '5' },
      { kind: 'time', type: 'DATE', value: '2026-03-29' },
    ])
  })

  test.each([
    ['UNSET', undefined, 'has no value'],
    ['ARRAY', undefined, 'ARRAY'],
    ['JAVA_SQL_TIME', 5, 'JAVA_SQL_TIME'],
    ['LONG', 'five', 'BIGINT'],
  ])('refuses a value of type %s: %s', async (type, value, message) => {
    const { ask, open } = avaticaOfTest()
    await open(connectionId)
    await ask({ request: 'prepare', connectionId, sql: 'SELECT 2 ?', rowsMax: null })
    const parameterValues = [{ type, value }]
    const running = ask({ request: 'execute', connectionId, statementId: 1, parameterValues, frameRows: null })
    await expect(running).rejects.toThrow(message)
  })

  test('is refused if it was never prepared or its SQL text exceeds the memory limit', async () => {
    const { ask } = await withStatement()
    const run: AvaticaRequest = {
      request: 'execute',
      connectionId,
      statementId: 1,
      parameterValues: [],
      frameRows: null,
    }
    await expect(ask(run)).rejects.toThrow('not prepared')
    const sql = `SELECT 1 ${' '.repeat(4000)}`
    await expect(ask({ request: 'prepare', connectionId, sql, rowsMax: null })).rejects.toMatchObject({
      code: 'overloaded',
    })
  })
})

describe('connections', () => {
  test("another subscriber's connection is reported as missing", async () => {
    const { ask } = await withStatement()
    await expect(ask(execute('SELECT 1'), 'b')).rejects.toThrow('There is no connection "c"')
    await expect(ask({ ...plain('createStatement'), connectionId: 'none' })).rejects.toThrow(
      'There is no connection "none"',
    )
    expect(await ask(plain('commit'))).toEqual({ response: 'commit' })
  })

  test('ids are per subscriber: opening the id of another subscriber does not reveal that it exists', async () => {
    const { ask, open } = await withStatement()
    expect(await open(connectionId, 'b')).toEqual({ response: 'openConnection' })
    await expect(open(connectionId)).rejects.toThrow('Choose another id')
    await expect(ask(execute('SELECT 1'), 'b')).rejects.toThrow('no statement 1')
    await ask(plain('closeConnection'), 'b')
    await expect(ask(plain('commit'), 'b')).rejects.toThrow('There is no connection')
    expect(resultSet(await ask(execute('SELECT 1'))).firstFrame.rows).toHaveLength(1)
    await ask(plain('closeConnection'))
    await open(connectionId)
  })

  test('a connection whose key was revoked does not block another connection with the same id', async () => {
    const { avatica } = avaticaOfTest()
    const signal = new AbortController().signal
    const revoked = new Set<string | null>()
    const reader = (key: string | null) => {
      if (key === null || revoked.has(key)) throw new Error('no access')
      return { id: `subscriber ${key}`, mayRead: () => true }
    }
    for (const key of ['a', 'b'])
      await avatica.answer(
        { request: 'openConnection', connectionId, info: new Map([['password', key]]) },
        { ...keyless, reader, signal },
      )
    revoked.add('a')
    expect(await avatica.answer(plain('commit'), { ...keyless, reader, signal })).toEqual({ response: 'commit' })
    revoked.add('b')
    await expect(avatica.answer(plain('commit'), { ...keyless, reader, signal })).rejects.toThrow('no access')
  })

  test('an id without a key is accepted only from the network that opened the connection', async () => {
    const { avatica } = avaticaOfTest()
    const from = (network: string, key: string | null = null): AvaticaCaller => ({
      reader: (earlier) => {
        if ((key ?? earlier) === null) throw new Error('no access')
        return { id: `subscriber ${key ?? earlier}`, mayRead: () => true }
      },
      hasKey: key !== null,
      network,
      signal: new AbortController().signal,
    })
    const info = new Map([['password', 'a']])
    await avatica.answer({ request: 'openConnection', connectionId, info }, from('10.0.0.1'))
    const commit = (caller: AvaticaCaller) => avatica.answer(plain('commit'), caller)
    expect(await commit(from('10.0.0.1'))).toEqual({ response: 'commit' })
    await expect(commit(from('10.0.0.2'))).rejects.toThrow('There is no connection')
    expect(await commit(from('10.0.0.2', 'a'))).toEqual({ response: 'commit' })
    await expect(commit(from('10.0.0.1', 'b'))).rejects.toThrow('There is no connection')
  })

  test('are limited per subscriber and in total', async () => {
    const { ask, open } = avaticaOfTest()
    for (const id of ['1', '2', '3']) await open(id)
    await expect(open('4')).rejects.toThrow('jdbc.ownConnections')
    for (const id of ['5', '6']) await open(id, 'b')
    await expect(open('7', 'c')).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('jdbc.connections'),
    })
    await ask({ request: 'closeConnection', connectionId: '1' })
    await open('7', 'c')
  })

  test('the statements of a connection are limited', async () => {
    const { ask } = await withStatement()
    await ask(plain('createStatement'))
    await ask(plain('createStatement'))
    await expect(ask(plain('createStatement'))).rejects.toThrow('jdbc.statements')
  })

  test('an idle connection is closed and frees its slot', async () => {
    const { ask, open, clock, sql } = await withStatement()
    await ask(execute('SELECT 9'))
    for (const id of ['2', '3']) await open(id)
    clock.nowMs = 999
    await ask(fetch(4))
    clock.nowMs = 1500
    await open('4')
    expect(sql.released).toBe(0)
    clock.nowMs = 2500
    await expect(ask(fetch(8))).rejects.toThrow('jdbc.idleMs')
    expect(sql.released).toBe(1)
  })

  test('the key is checked again on each request', async () => {
    const { avatica } = avaticaOfTest()
    const signal = new AbortController().signal
    const shown: (string | null)[] = []
    const reader = (key: string | null) => {
      shown.push(key)
      return { id: 'subscriber a', mayRead: () => true }
    }
    const info = new Map([
      ['user', 'x'],
      ['password', 'the key'],
    ])
    await avatica.answer({ request: 'openConnection', connectionId, info }, { ...keyless, reader, signal })
    await avatica.answer(plain('createStatement'), { ...keyless, reader, signal })
    expect(shown).toEqual(['the key', 'the key'])
  })

  test.each<[string, [string, string][], string]>([
    ['an unknown zone', [['sqlTimeZone', 'Europe/Nowhere']], 'sqlTimeZone'],
    ['an invalid timeout', [['timeout', 'soon']], 'timeout'],
  ])('%s is refused', async (_name, info, message) => {
    const { ask } = avaticaOfTest()
    await expect(ask({ request: 'openConnection', connectionId, info: new Map(info) })).rejects.toThrow(message)
  })

  test('zone and timeout of a connection apply to its queries', async () => {
    const { ask, sql } = avaticaOfTest()
    const info = new Map([
      ['sqlTimeZone', 'Europe/Madrid'],
      ['timeout', '5000'],
    ])
    await ask({ request: 'openConnection', connectionId, info })
    await ask(plain('createStatement'))
    const { firstFrame } = resultSet(await ask(execute('SELECT 1')))
    // The local time there: an hour later.
    expect(firstFrame.rows[0]?.[2]).toBe(1767225600000 + 3_600_000)
    expect(sql.asked.at(-1)).toMatchObject({ timeoutMs: 5000, zone: { name: 'Europe/Madrid' } })
  })

  test('properties are stored and read back', async () => {
    const { ask } = await withStatement()
    await ask({ request: 'connectionSync', connectionId, connProps: { autoCommit: false, catalog: undefined } })
    expect(await ask({ request: 'connectionSync', connectionId, connProps: {} })).toEqual({
      response: 'connectionSync',
      connProps: { autoCommit: false, readOnly: true, transactionIsolation: 0, catalog: 'druid', schema: 'druid' },
    })
  })
})

describe('metadata', () => {
  test('is queried by SQL, in a separate statement that is closed with its response', async () => {
    const { ask, sql } = await withStatement({ statements: 1 })
    await ask({ request: 'closeStatement', connectionId, statementId: 1 })
    const patterns = { ...none, catalog: 'druid', schemaPattern: "d'r", tableNamePattern: 'a\\_%', typeList: ['TABLE'] }
    for (let time = 0; time < 3; time++) {
      const { ownStatement } = resultSet(await ask({ request: 'getTables', connectionId, patterns }))
      expect(ownStatement).toBe(true)
    }
    expect(sql.asked.at(-1)?.text).toMatch(
      / WHERE TABLE_CATALOG = 'druid' AND TABLE_SCHEMA LIKE 'd''r' ESCAPE '\\' AND TABLE_NAME LIKE 'a\\_%' ESCAPE '\\' AND TABLE_TYPE IN \('TABLE'\) ORDER BY /,
    )
  })

  test.each(['getCatalogs', 'getSchemas', 'getTables', 'getTableTypes', 'getColumns'] as const)(
    '%s without patterns queries without a condition',
    async (request) => {
      const { ask, sql } = await withStatement()
      await ask({ request, connectionId, patterns: none })
      expect(sql.asked.at(-1)?.text).not.toContain('WHERE')
    },
  )

  test('an empty list of types matches nothing, unlike a missing list', async () => {
    const { ask, sql } = await withStatement()
    await ask({ request: 'getTables', connectionId, patterns: { ...none, typeList: [] } })
    expect(sql.asked.at(-1)?.text).toContain(' WHERE 1 = 0 ')
  })

  test('each row of getTypeInfo has as many values as there are columns', async () => {
    const { ask } = await withStatement()
    const { firstFrame, signature } = resultSet(await ask(plain('getTypeInfo')))
    expect(firstFrame.rows.map((row) => row.length)).toEqual(firstFrame.rows.map(() => signature.columns.length))
    expect(firstFrame.rows.map(([, id]) => id)).toEqual([-5, 8, 12, 16, 93])
  })
})

test.each(['prepareAndExecuteBatch', 'executeBatch'] as const)(
  '%s is refused: there are no batches',
  async (request) => {
    const { ask } = await withStatement()
    await expect(ask({ request, connectionId, statementId: 1 })).rejects.toThrow('Batches of changes are not supported')
  },
)
