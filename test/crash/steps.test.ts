// The server is killed at every step at which a crash could leave something half done; the next start must find every row once.
import { spawnSync } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CrashPoint,
  restoreCrashPoints,
  serviceCrashPoints,
  storeCrashPoints,
} from '../../src/observe/crash-point.ts'
import { testProgram } from '../support/compiled.ts'
import { ServerProcess } from '../support/server-process.ts'
import { clean, validate } from './kill-rounds.ts'
import { withPasses } from './passes.ts'
import { makeBackup, StepRounds } from './step-rounds.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const pause = (): Promise<void> => new Promise((next) => setTimeout(next, 5))
// A backup passes its steps once, and the journal rarely starts another file.
const steps = withPasses<CrashPoint>([...storeCrashPoints, ...serviceCrashPoints], (step) =>
  step.startsWith('backup') ? [0] : step === 'journal-rotated' ? [0, 1] : [0, 3],
)

let rounds: StepRounds
beforeAll(async () => {
  rounds = await StepRounds.open(seed)
})
afterAll(() => rounds?.close())

describe(`after a crash (TIDEMARK_TEST_SEED=${seed})`, () => {
  test.each(steps)(
    'at %s, passed %i times before, every row exists once',
    { timeout: 300_000 },
    async (step, passes) => {
      const meanwhile = step.startsWith('backup') ? makeBackup : pause
      await rounds.endAt({ step, passes }, meanwhile)
      const { orphans, ...findings } = await rounds.findings()
      expect(findings).toMatchObject(clean)
      expect(orphans).toEqual([])
    },
  )

  test('every backup that remains is complete and can be restored', { timeout: 120_000 }, async () => {
    const server = await rounds.start()
    const acknowledged = new Set(rounds.pushers.batches.filter((batch) => batch.acknowledged))
    const newest = await rounds.pushDuring(server.url, () => makeBackup(server.url))
    await server.kill()
    const backups = (await readdir(join(rounds.dataDirectory, 'backups'))).map((name) =>
      join(rounds.dataDirectory, 'backups', name),
    )
    expect(backups.length).toBeGreaterThan(1)
    for (const backup of backups) {
      const { findings, data } = await restored(backup, acknowledged)
      // `acknowledged` was read just before the newest backup; older backups may lack some of these pushes.
      expect(findings).toMatchObject(backup === newest ? clean : { doubled: 0, partial: 0, foreign: 0, miscounted: 0 })
      await rm(data, { recursive: true })
    }
  })

  test.each(restoreCrashPoints)('of a restore at %s, the data folder is complete or absent', async (step) => {
    const server = await rounds.start()
    const backup = await makeBackup(server.url)
    await server.kill()
    const data = `${rounds.dataDirectory}-${step}`
    restore(backup, data, { KILL_AT_STEP: `${step}:0` })
    const isThere = (await readdir(data).catch(() => [])).length > 0
    expect(isThere).toBe(step === 'restore-renamed')
    if (!isThere) expect(restore(backup, data)).toBe(0)
    const restoredServer = await ServerProcess.start({ dataDirectory: data })
    expect(await validate(seed, rounds.pushers.batches, restoredServer.url)).toMatchObject(clean)
    await restoredServer.kill()
    await rm(data, { recursive: true })
  })
})

/** Returns the exit code; null after a kill. */
function restore(backup: string, data: string, environment: Readonly<Record<string, string>> = {}): number | null {
  const program = testProgram('crash/restore-kill-at-step')
  return spawnSync(process.execPath, [program, backup, data], { env: { ...process.env, ...environment } }).status
}

/** The findings of a service on a restored backup; `acknowledged` are the batches acknowledged before the backup began. */
async function restored(backup: string, acknowledged: ReadonlySet<object>) {
  const data = `${rounds.dataDirectory}-restored`
  expect(restore(backup, data)).toBe(0)
  const server = await ServerProcess.start({ dataDirectory: data })
  const batches = rounds.pushers.batches.map((batch) => ({ ...batch, acknowledged: acknowledged.has(batch) }))
  const findings = await validate(seed, batches, server.url)
  await server.kill()
  return { findings, data }
}
