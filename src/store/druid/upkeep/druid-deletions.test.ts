import { expect, test } from 'vitest'
import type { Deletion, DeletionSelection } from '../../../model/deletion.ts'
import type { HoursKept } from '../../../model/entity.ts'
import { DruidDeletions } from './druid-deletions.ts'

const everything: DeletionSelection = {
  tag: 'T',
  ids: null,
  prefixes: null,
  fromMs: null,
  toMs: null,
  metrics: null,
  where: null,
}
const request = { entityId: 1, selection: everything, reason: 'wrong', subscriber: 'ana', createdMs: 7, isDry: false }
const bounds = { deletionsMax: 10, waitMs: 1000 }

function opened(sinceMs: number | null, made: readonly Deletion[] = [], hours?: HoursKept) {
  const calls: string[] = []
  const noted = (name: string) => async (): Promise<void> => void calls.push(name)
  const deletions = new DruidDeletions({
    store: {
      itemsMeeting: async () => null,
      countHidden: async () => 3,
      hidesHours: async () => hours?.sinceMs === null,
    },
    catalog: {
      list: async () => made,
      lastChange: async () => 0,
      hasChanged: async () => false,
      changesAfter: async () => ({ changes: [], isUnderWay: false }),
      hidden: async () => new Map(),
      begin: async () => calls.push('begin') > 0,
      renew: noted('renew'),
      end: noted('end'),
      takeBack: async () => calls.push('take back') > 0,
      create: async (deletion) => {
        calls.push('create')
        return { ...deletion, id: 5, erasedMs: null }
      },
    },
    entity: () => ({ duplicates: 'keep', sinceMs, ...(hours && { hours }) }),
    refresh: noted('refresh'),
    ends: async () => [4],
    changesKeptMs: 1000,
  })
  return { calls, deletions }
}

test('live readers are not blocked while a deletion waits for the rows pushed before it', async () => {
  const { calls, deletions } = opened(null)
  await deletions.delete({ ...request, ...bounds }, async () => {
    calls.push('pushed')
    return []
  })
  expect(calls.filter((call) => call !== 'refresh')).toEqual(['pushed', 'begin', 'pushed', 'create', 'end'])
})

test.each([
  ['cannot be taken back when all its rows have expired', 100, false],
  ['can be taken back while its last rows exist', 99, true],
])('a deletion %s', async (_, sinceMs, isTaken) => {
  const made = { ...request, id: 5, position: 0, rows: 3, erasedMs: null, selection: { ...everything, toMs: 99 } }
  const { deletions } = opened(sinceMs, [made])
  const taken = deletions.takeBack({ entityId: 1, deletionId: 5, waitMs: 1000, nowMs: 8 })
  if (isTaken) expect(await taken).toBe(true)
  else await expect(taken).rejects.toMatchObject({ code: 'conflict' })
})

const hourMs = 3_600_000
const forEver: HoursKept = { retention: null, sinceMs: null }

test('a deletion among expired rows with stored hours must cover complete hours', async () => {
  const made = (selection: Partial<DeletionSelection>) =>
    opened(10 * hourMs, [], forEver).deletions.delete(
      { ...request, ...bounds, selection: { ...everything, ...selection } },
      async () => [],
    )
  for (const part of [{ fromMs: 5 }, { toMs: hourMs + 5 }, { fromMs: hourMs, toMs: hourMs }]) {
    await expect(made(part)).rejects.toMatchObject({ code: 'rows_expired' })
  }
  const whole = await made({ fromMs: hourMs, toMs: 2 * hourMs })
  expect(whole.deletion?.selection).toMatchObject({ fromMs: hourMs, toMs: 2 * hourMs - 1 })
  const rows = await made({ fromMs: 10 * hourMs + 5, toMs: 11 * hourMs })
  expect(rows.deletion?.selection).toMatchObject({ fromMs: 10 * hourMs + 5, toMs: 11 * hourMs })
})

test('a deletion can be taken back while it hides stored hours', async () => {
  const made = { ...request, id: 5, position: 0, rows: 3, erasedMs: null, selection: { ...everything, toMs: 99 } }
  const takeBack = (hours: HoursKept) =>
    opened(100, [made], hours).deletions.takeBack({ entityId: 1, deletionId: 5, waitMs: 1000, nowMs: 8 })
  expect(await takeBack(forEver)).toBe(true)
  await expect(takeBack({ ...forEver, sinceMs: 100 })).rejects.toMatchObject({ code: 'conflict' })
})
