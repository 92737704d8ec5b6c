// Rows are written while the service is killed repeatedly: each is stored once. TIDEMARK_WRITER_ROWS and TIDEMARK_WRITER_KILLS set larger numbers.
import { expect, test } from 'vitest'
import { type BatchOutcome, Tidemark } from '../../src/client/tidemark.ts'
import { makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

const rowCount = Number(process.env['TIDEMARK_WRITER_ROWS'] ?? 40_000)
const kills = Number(process.env['TIDEMARK_WRITER_KILLS'] ?? 3)
const rowsAtOnce = 500

test('each row is stored exactly once, however often the service is killed', { timeout: 600_000 }, () =>
  inScratchFolder('tidemark-writer-', async (dataDirectory) => {
    let server = await ServerProcess.start({ dataDirectory })
    const { port } = new URL(server.url)
    const key = await makeIngest(server.url, adminKey, { alias: 'written' })
    const random = seededRandom(Number(process.env['TIDEMARK_TEST_SEED'] ?? 1))
    const reported: BatchOutcome[] = []
    let retries = 0
    const writer = new Tidemark({ url: server.url, key }).writer('written', {
      maxBatchRows: 1000,
      maxBufferedBytes: 200_000,
      flushIntervalMs: 20,
      maxConcurrentPushes: 2,
      onBatch: (outcome) => reported.push(outcome),
      onRetry: () => {
        retries++
      },
    })
    const killAt = Array.from({ length: kills }, () => random.below(rowCount))
    for (let first = 0; first < rowCount; first += rowsAtOnce) {
      const rows = Array.from({ length: Math.min(rowsAtOnce, rowCount - first) }, (_, index) => ({
        D: new Date(Date.UTC(2026, 0, 1) + first + index).toISOString(),
        T: 'a',
        V: first + index,
      }))
      const written = writer.write(...rows)
      if (killAt.some((at) => at >= first && at < first + rowsAtOnce)) {
        await server.kill()
        server = await ServerProcess.start({ dataDirectory, port })
      }
      await written
    }
    expect(await writer.close()).toEqual({ rows: rowCount, acknowledged: rowCount, failed: 0 })
    expect(retries).toBeGreaterThan(0)
    expect(reported.reduce((sum, { rows }) => sum + rows, 0)).toBe(rowCount)
    const admin = new Tidemark({ url: server.url, key: adminKey })
    let stored: unknown
    const wanted = { n: rowCount, differing: rowCount, least: 0, most: rowCount - 1 }
    for (let attempt = 0; attempt < 100; attempt++) {
      stored = (
        await admin.sql(
          'SELECT COUNT(*) AS n, COUNT(DISTINCT V) AS differing, MIN(V) AS least, MAX(V) AS most FROM written',
        )
      )[0]
      if (JSON.stringify(stored) === JSON.stringify(wanted)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(stored).toEqual(wanted)
    await server.stop()
  }),
)
