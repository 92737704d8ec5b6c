// Avatica's own JDBC driver, used as tools use it, in both wire formats. Maven downloads it, Java runs `JdbcClient.java` from source.
// TIDEMARK_DRIVER_ROWS=1000000 makes it read a million rows.
import { execFileSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

const output = execFileSync(process.execPath, ['scripts/jdbc-driver.mjs'], { encoding: 'utf8' })
const classPath = output.trim().split('\n').at(-1)!
const environment = {
  TIDEMARK_ACCESS_CONSUMPTION: 'key',
  // Long enough to open a hundred connections, and short enough for the test to wait until they are closed.
  TIDEMARK_JDBC_IDLE_MS: '20000',
}

type Line = Readonly<Record<string, unknown>>

interface Asked {
  readonly url: string
  readonly key: string
}

/** The lines that a command of the client prints. The client pauses after its first line, until `atPause` has resolved. */
async function client(command: string, { url, key }: Asked, sql = '', atPause = async () => {}): Promise<Line[]> {
  const child = spawn('java', ['-cp', classPath, 'test/tools/jdbc/JdbcClient.java', command, url, key, sql], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: Line[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(text))
    if (lines.length !== 1) continue
    await atPause()
    child.stdin.end('\n')
  }
  return lines
}

const rowsPushed = Number(process.env['TIDEMARK_DRIVER_ROWS'] ?? 100_000)
const rowsOfPush = 50_000
const sumOfV = Array.from({ length: rowsPushed }, (_, n) => (n % 7 === 0 ? 0 : n)).reduce((sum, n) => sum + n, 0)

const rowOf = (n: number) => ({
  D: new Date(1_767_225_600_000 + n).toISOString(),
  T: n % 2 === 0 ? 'a' : 'b',
  V: n % 7 === 0 ? null : n,
})

const find = (lines: readonly Line[], name: string) => lines.find((line) => line['name'] === name)?.['rows']

test.each(['avatica', 'avatica-protobuf'])('%s', { timeout: 600_000 }, (path) =>
  inScratchFolder('tidemark-jdbc-', async (dataDirectory) => {
    const service = await ServerProcess.start({ dataDirectory, environment })
    try {
      const pushKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
      const key = await makeReader(service.url, adminKey, ['plant'])
      for (let from = 0; from < rowsPushed; from += rowsOfPush) {
        const body = Array.from({ length: rowsOfPush }, (_, place) => rowOf(from + place))
        await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key: pushKey, body })
      }
      const asked = { url: `${service.url}/druid/v2/sql/${path}/`, key }

      const metadata = await client('metadata', asked)
      expect(find(metadata, 'catalogs')).toEqual([['druid']])
      expect(find(metadata, 'tables')).toEqual([['druid', 'druid', 'plant', 'TABLE', ...Array(6).fill(null)]])
      expect(find(metadata, 'one column')).toEqual([expect.arrayContaining(['plant', 'V', '8', 'DOUBLE'])])
      expect(find(metadata, 'a quote')).toEqual([])

      const first = await client('query', asked, 'SELECT __time, T, V FROM plant ORDER BY __time LIMIT 2')
      expect(find(first, 'query')).toEqual([
        ['2026-01-01T00:00:00Z', 'a', null],
        ['2026-01-01T00:00:00.001Z', 'b', '1.0'],
      ])
      expect(await client('query', asked, 'SELECT nothing FROM plant')).toMatchObject([{ state: '42000' }])

      const [all, few, next] = await client('count', asked, 'SELECT CAST(V AS BIGINT) AS n, T, __time FROM plant')
      expect(all).toEqual({ rows: String(rowsPushed), sum: String(sumOfV) })
      expect([few, next]).toEqual([{ maxRows: 7 }, { next: true }])

      const prepared = await client('prepared', asked, 'plant')
      expect(prepared.filter(({ name }) => name === 'long').map(({ rows }) => rows)).toEqual([
        [['9223372036854775807']],
        [['-9223372036854775808']],
        [['9007199254740993']],
      ])
      expect(find(prepared, 'timestamp')).toEqual([['2026-03-29T01:30:00.123Z']])
      expect(find(prepared, 'where')).toHaveLength(2)
      expect(prepared.at(-1)).toMatchObject({ unset: expect.stringContaining('has no value') })

      const many = await client('many', asked, '200', async () => new Promise((done) => setTimeout(done, 22_000)))
      expect(many).toMatchObject([
        { opened: 100, refused: expect.stringContaining('jdbc.ownConnections') },
        { first: expect.stringContaining('There is no connection') },
        { after: true },
      ])

      const revoked = await client('revoked', asked, 'SELECT COUNT(*) AS n FROM plant', async () => {
        await callOk(service.url, 'DELETE', '/admin/subscribers/reader', { key: adminKey })
      })
      expect(revoked[1]).toMatchObject({ after: expect.stringContaining('The API key is unknown') })
    } finally {
      await service.stop()
    }
  }),
)
