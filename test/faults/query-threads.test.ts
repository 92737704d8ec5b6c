// Large questions about sealed rows are answered by threads of their own, which may die at any time.
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServiceEvent } from '../../src/observe/event.ts'
import { callWell, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const events: ServiceEvent['kind'][] = []
let service: RunningService
let key: string

beforeAll(async () => {
  const threadUrl = new URL('../crash/planted/mortal-queries-thread.mjs', import.meta.url)
  // What was pushed is sealed at once, and merged as soon as there are two files.
  const settings = { 'query.threads': '1', 'store.headAgeMs': '1', 'limits.keptAnswerBytes': '0' }
  service = await runService(settings, { threadUrl, observe: ({ kind }) => events.push(kind) })
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
})

afterAll(() => service?.close())

interface Item {
  readonly D: string
  readonly T: string
  readonly V: number
}

const rowsOf = (day: number): readonly Item[] =>
  Array.from({ length: 20 }, (_, tag) => {
    return { D: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(), T: `tag ${10 + tag}`, V: 100 * day + tag }
  })

async function push(day: number): Promise<void> {
  await callWell(service.url, 'POST', '/ingests/plant/data', { key, body: rowsOf(day) })
}

const select = (): Promise<Item[]> =>
  callWell<Item[]>(service.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })

/** How many questions query threads were asked. */
function asked(): number {
  const path = join(service.dataDirectory, 'store', 'asked')
  return existsSync(path) ? readFileSync(path).length : 0
}

/** Asks three at once until a query thread was asked; each answer must be all there is. */
async function untilAsked(expected: readonly Item[]): Promise<void> {
  for (const before = asked(); asked() === before; ) {
    for (const items of await Promise.all([select(), select(), select()])) expect(items).toEqual(expected)
  }
}

test('they answer what the store does, while rows come, files are merged and threads die', async () => {
  const expected: Item[] = []
  for (let day = 0; day < 12; day++) {
    await push(day)
    expected.push(...rowsOf(day))
    // The rows are not queryable at once.
    while ((await select()).length < expected.length);
    if (day % 3 === 2) await writeFile(join(service.dataDirectory, 'store', 'die'), '')
    await untilAsked(expected)
  }
  expect(events.filter((kind) => kind === 'queryThreadDied')).toHaveLength(4)
  expect(events).not.toContain('storeDied')
  expect(events).not.toContain('removalFailed')
})
