// Avatica's core over a plain function in place of SQL.
import type { Reader } from '../../src/admission/reader.ts'
import { Avatica, type AvaticaLimits, type SqlOfAvatica } from '../../src/avatica/avatica.ts'
import type { AvaticaRequest, AvaticaResponse } from '../../src/avatica/avatica-protocol.ts'
import { Problem } from '../../src/model/problem.ts'
import { plainAnswer } from './in-process.ts'

const avaticaLimits: AvaticaLimits = {
  connections: 5,
  ownConnections: 3,
  statements: 3,
  idleMs: 1000,
  frameRows: 4,
  frameBytes: 1024,
  heldBytes: 5000,
}

const columns = [
  { name: 'n', sqlType: 'BIGINT' },
  { name: 'text', sqlType: 'VARCHAR' },
  { name: 'at', sqlType: 'TIMESTAMP' },
  { name: 'x', sqlType: 'DOUBLE' },
  { name: 'is', sqlType: 'BOOLEAN' },
]

/** The row with number `n`. An even number's long exceeds the exact integers of a double. */
function rowText(n: number): string {
  const long = n % 2 === 0 ? `900719925474099${n % 10}` : String(n)
  return `{"n":${long},"text":"row ${n}","at":"2026-01-01T00:00:00.00${n % 10}Z","x":${n}.5,"is":${n % 3 === 0}}\n`
}

const wideColumns = Array.from({ length: 900 }, (_, n) => ({ name: `column ${n}`, sqlType: 'BIGINT' }))

/** `SELECT <rows>` returns that many rows, with `WIDE` of 900 columns. `SLOW` ends when its signal aborts. Any other text is not a query. */
export class SqlOfTest implements SqlOfAvatica {
  readonly asked: Parameters<SqlOfAvatica['run']>[0][] = []
  readonly readers: string[] = []
  released = 0

  describe = ({ text }: { readonly text: string }): ReturnType<SqlOfAvatica['describe']> => {
    if (!/^(SELECT|SLOW)/.test(text))
      throw new Problem('invalid_request', 'sql_query: a query begins with SELECT (line 1, column 1)')
    return { columns: text.includes('WIDE') ? wideColumns : columns, parameters: text.split('?').length - 1 }
  }

  run: SqlOfAvatica['run'] = async (question, signal, reader) => {
    this.asked.push(question)
    this.readers.push(reader.id)
    const { text } = question
    const described = this.describe(question)
    if (text === 'SLOW') {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const rows = Number(/^SELECT (\d+)/.exec(text)?.[1] ?? 0)
    const body = Array.from({ length: rows }, (_, n) => rowText(n)).join('')
    const release = (): void => {
      this.released += 1
    }
    return { columns: described.columns, answer: { ...plainAnswer(body, rows), release } }
  }
}

export interface AvaticaOfTest {
  readonly avatica: Avatica
  readonly sql: SqlOfTest
  readonly clock: { nowMs: number }
  /** Sends a request as the subscriber with that name. */
  readonly ask: (request: AvaticaRequest, name?: string, signal?: AbortSignal) => Promise<AvaticaResponse>
  readonly open: (connectionId: string, name?: string) => Promise<AvaticaResponse>
}

export function avaticaOfTest(limits: Partial<AvaticaLimits> = {}): AvaticaOfTest {
  const sql = new SqlOfTest()
  const clock = { nowMs: 0 }
  const avatica = new Avatica({
    sql,
    limits: { ...avaticaLimits, ...limits },
    nowMs: () => clock.nowMs,
    observe: () => undefined,
  })
  const reader = (name: string): Reader => ({ id: `subscriber ${name}`, mayRead: () => true })
  const ask: AvaticaOfTest['ask'] = (request, name = 'a', signal = new AbortController().signal) =>
    avatica.answer(request, { reader: () => reader(name), hasKey: true, network: '10.0.0.1', signal })
  const open: AvaticaOfTest['open'] = (connectionId, name) =>
    ask({ request: 'openConnection', connectionId, info: new Map() }, name)
  return { avatica, sql, clock, ask, open }
}
