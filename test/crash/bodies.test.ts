// Kills while large pushes are validated in steps, and pushes that crash the process themselves.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type CrashPoint, quarantineCrashPoints } from '../../src/observe/crash-point.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { PeakMemory } from '../support/peak-memory.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { makeNarrowAndWide, packed, pushWorst, worstBodies } from '../support/worst-bodies.ts'
import { clean, killRounds } from './kill-rounds.ts'
import { restlessEnvironment } from './step-rounds.ts'
import { settled, WorstCompany } from './worst-company.ts'

const rounds = Math.ceil(Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100) / 4)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
/** Steps so small that a kill rarely happens at the end of a push. */
const environment = { ...restlessEnvironment, TIDEMARK_STORE_STEP_ROWS: '50' }

test(`${rounds} kills during large pushes lose and duplicate no row (TIDEMARK_TEST_SEED=${seed})`, async () => {
  const findings = await killRounds({ rounds, clients: 2, seed, environment, rowsMax: 3000 })
  console.log(findings)
  expect(findings).toMatchObject(clean)
  expect(findings.acknowledged).toBeGreaterThan(rounds / 2)
})

test(`${rounds} kills during the validation of the worst bodies lose and duplicate no row (TIDEMARK_TEST_SEED=${seed})`, async () => {
  const company = new WorstCompany(seed, { bytes: 300_000, rowsMax: 3000 })
  const findings = await killRounds({ rounds, clients: 1, seed, environment: restlessEnvironment, company })
  console.log({ ...findings, worstBodies: company.bodies })
  expect(findings).toMatchObject(clean)
})

/** In a full run each body has the maximum number of rows of a push. */
const worstRowsMax = rounds < 25 ? 20_000 : 1_000_000

test('while the worst bodies are validated other requests are answered, and memory stays bounded', async () => {
  await inScratchFolder('tidemark-bodies-', async (dataDirectory) => {
    const environment = { TIDEMARK_LIMITS_REJECTED_BYTES: String(64 * 2 ** 30) }
    const server = await ServerProcess.start({ dataDirectory, environment })
    const memory = new PeakMemory(server.id)
    try {
      const keys = await makeNarrowAndWide(server.url)
      const small = await makeIngest(server.url, adminKey, { alias: 'plant' })
      const row = { D: '2026-01-01T00:00:00Z', T: 'a', V: 1 }
      const asked: number[] = []
      let isOver = false
      const neighbour = (async () => {
        for (; !isOver; await sleep(20)) {
          asked.push((await call(server.url, 'POST', '/ingests/plant/data', { key: small, body: row })).status)
          asked.push((await call(server.url, 'POST', '/consumer/data/latest', { body: { entity: 'plant' } })).status)
        }
      })()
      let rows = 0
      for (const body of worstBodies) {
        rows += await pushWorst(server.url, keys[body.alias], body, packed(body, 16_000_000, worstRowsMax))
      }
      const counters = [await settled(server.url, 'narrow'), await settled(server.url, 'wide')]
      isOver = true
      await neighbour
      expect(counters.reduce((sum, { stored, rejected }) => sum + stored + rejected, 0)).toBe(rows)
      expect(asked.filter((status) => status !== 200)).toEqual([])
      expect(
        (await callOk<{ quarantine: object }>(server.url, 'GET', '/readyz', { key: adminKey })).quarantine,
      ).toMatchObject({
        entries: 0,
      })
      const peakBytes = memory.takePeakBytes()
      console.log({ rows, neighbours: asked.length, peakMebibytes: Math.round(peakBytes / 2 ** 20) })
      expect(peakBytes).toBeLessThan(1.5 * 2 ** 30)
    } finally {
      memory.stop()
      await server.kill()
    }
  })
})

test('canary: a store that restarts a push in its middle is detected', async () => {
  const program = testProgram('crash/serve-piece-twice')
  const findings = await killRounds({ rounds: 2, clients: 2, seed, environment, program, rowsMax: 3000 })
  expect(findings.doubled).toBeGreaterThan(0)
})

test.each<[string, readonly CrashPoint[]]>([
  ['', []],
  [', also when the start that quarantines it is killed', quarantineCrashPoints],
])(
  'a push that kills the process is quarantined after some starts, and the others are stored once%s',
  async (_words, killedAt) => {
    await inScratchFolder('tidemark-bodies-', async (dataDirectory) => {
      const program = testProgram('crash/serve-dies-on-entry')
      let server = await ServerProcess.start({ dataDirectory, program })
      const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
      const row = (T: string, V: number): object => ({ D: '2026-01-01T00:00:00Z', T, V })
      const push = (body: unknown) => callOk(server.url, 'POST', '/ingests/plant/data', { key, body })
      await push([row('a', 1), row('b', 2)])
      await push([row('c', 3), row('ends the process', 4)]).catch(() => undefined)
      await server.ended()
      // Anything may kill a process: the entry is blamed only when nothing else can be the cause.
      for (let starts = 0; starts < 5; starts++)
        await expect(ServerProcess.start({ dataDirectory, program })).rejects.toThrow('the server ended')
      for (const step of killedAt) {
        const environment = { KILL_AT_STEP: step }
        await expect(ServerProcess.start({ dataDirectory, program, environment })).rejects.toThrow('the server ended')
      }
      server = await ServerProcess.start({ dataDirectory, program })
      await push(row('d', 5))
      const options = { body: { entity: 'plant' } }
      const select = () => callOk<{ V: number }[]>(server.url, 'POST', '/consumer/data/select', options)
      await expect.poll(async () => (await select()).map(({ V }) => V).sort(), { timeout: 30_000 }).toEqual([1, 2, 5])
      // The counters agree with the visible rows.
      const { counters } = await callOk<{ counters: object }>(server.url, 'GET', '/admin/ingests/plant', {
        key: adminKey,
      })
      expect(counters).toEqual({ received: 5, stored: 3, rejected: 2, pending: 0 })
      expect(server.log).toContain('entry quarantined')
      expect(await server.stop()).toBe(0)
    })
  },
)
