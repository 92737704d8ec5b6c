// Readers of live rows, through cuts and kills of the server.
import { expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { LiveReader } from '../support/live-reader.ts'
import { checkLive } from '../support/live-rounds.ts'
import { rounds } from '../support/rounds.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

test.each(Array.from({ length: rounds(6) }, (_, seed) => seed))(
  'each reader receives the rows of its query once and in order (seed %i)',
  (seed) => checkLive(seed, { steps: 60 }),
)

test('canary: a reader that resumes from an id one too early is detected', async () => {
  const found = async (seed: number): Promise<boolean> => {
    const checked = checkLive(seed, { steps: 60, idOf: ({ lastId, idBefore }) => idBefore ?? lastId })
    return checked.then(
      () => false,
      (error: Error) => error.message.includes('expected'),
    )
  }
  // Which blocks of a stream contain only ids depends on timing.
  expect((await found(3)) || (await found(4)) || (await found(5))).toBe(true)
})

test('an id is valid right after a kill, before its rows are validated again', () =>
  inScratchFolder('tidemark-live-', async (dataDirectory) => {
    let server = await ServerProcess.start({ dataDirectory })
    const reader = new LiveReader()
    try {
      const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
      await reader.connect(server.url, 'entity=plant&ids=b')
      const rows = Array.from({ length: 50_000 }, (_, V) => ({ D: '2026-01-01T00:00:00.000Z', T: 'a', V }))
      for (let push = 0; push < 8; push++) await callOk(server.url, 'POST', '/ingests/plant/data', { key, body: rows })
      const last = [{ ...rows[0]!, T: 'b' }]
      await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, body: last })
      await expect.poll(() => reader.rows, { timeout: 60_000 }).toEqual(last)
      await server.kill()
      server = await ServerProcess.start({ dataDirectory })
      await reader.connect(server.url, 'entity=plant&ids=b')
      const next = [{ ...rows[1]!, T: 'b' }]
      await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, body: next })
      await expect.poll(() => reader.rows, { timeout: 60_000 }).toEqual([...last, ...next])
      expect(reader.events).toEqual([])
    } finally {
      await reader.cut()
      await server.kill()
    }
  }))
