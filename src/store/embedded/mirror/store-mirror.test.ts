import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileOf } from '../../../../test/support/file-of.ts'
import { ChangeCounts } from '../../../lib/change-counts.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import type { EntityNews } from './mirror-news.ts'
import { StoreMirror } from './store-mirror.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-mirror-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const ever = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

function start(letGo: (name: string) => void = () => undefined) {
  const counted = ChangeCounts.fresh(0)
  const gone: string[] = []
  const mirror = new StoreMirror({
    ...{ disk: nodeDisk, directory, pageCacheBytes: 1000, indexCacheBytes: 1000, changes: counted.shared },
    gone: ({ name }) => {
      letGo(name)
      gone.push(name)
    },
  })
  const tell = (change: Partial<EntityNews>): void =>
    mirror.take({
      kind: 'entity',
      entity: {
        ...{ entityId: 1, registry: null, add: [], remove: [], memory: 'new', untold: null },
        series: { first: 0, tags: [], series: [] },
        counts: counted.countsOf(1),
        ...change,
      },
    })
  return { mirror, counted, gone, tell }
}

const { info: old } = fileOf('old')
const { info: merged } = fileOf('merged')

test('it knows dates of which nothing has changed since it was told', () => {
  const { mirror, counted, tell } = start()
  expect(mirror.isCurrent(1, ever)).toBe(false)
  tell({})
  expect(mirror.isCurrent(1, ever)).toBe(true)
  expect(mirror.isCurrent(2, ever)).toBe(false)
  counted.changed(1, Float64Array.of(5 * 86_400_000), 1)
  expect(mirror.isCurrent(1, ever)).toBe(false)
  expect(mirror.isCurrent(1, { fromMs: 0, toMs: 1 })).toBe(true)
})

test('of dates that it was not told of it knows nothing', () => {
  const { mirror, tell } = start()
  tell({ untold: { fromMs: 10, toMs: 20 } })
  const knows = (fromMs: number, toMs: number): boolean => mirror.isCurrent(1, { fromMs, toMs })
  expect([knows(0, 9), knows(0, 10), knows(12, 13), knows(20, 30), knows(21, 30)]).toEqual([
    ...[true, false, false, false],
    true,
  ])
  tell({ memory: 'same' })
  expect(knows(12, 13)).toBe(false)
  tell({})
  expect(knows(12, 13)).toBe(true)
})

test('what it cannot follow it does not know, and holds up no file', async () => {
  const { mirror, counted, gone, tell } = start()
  tell({ add: [old] })
  // There is no such file.
  tell({ registry: { entityId: 1, series: 1, bytes: 100 }, add: [merged], remove: [old] })
  await expect.poll(() => gone).toContain('old')
  expect(mirror.isCurrent(1, ever)).toBe(false)
  tell({ remove: [merged] })
  expect(gone).toContain('merged')
  expect(mirror.isCurrent(1, ever)).toBe(false)
  gone.length = 0
  mirror.take({ kind: 'dropped', entityId: 1, files: [old, merged] })
  expect(gone).toEqual(['old', 'merged'])
  // Another entity of that number, or the same that is told of anew.
  tell({ counts: counted.countsOf(1) })
  expect(mirror.isCurrent(1, ever)).toBe(true)
})

test('one that fails as it is let go holds up no other', async () => {
  const { mirror, tell } = start(() => {
    throw new Error('the thread is gone')
  })
  tell({ add: [old] })
  tell({ registry: { entityId: 1, series: 1, bytes: 100 }, remove: [old] })
  tell({ entityId: 2 })
  await expect.poll(() => mirror.isCurrent(2, ever)).toBe(true)
  expect(mirror.isCurrent(1, ever)).toBe(false)
})

test('a dropped entity is unknown, and its files are let go', () => {
  const { mirror, gone, tell } = start()
  tell({ add: [old] })
  mirror.take({ kind: 'dropped', entityId: 1, files: [old] })
  expect(mirror.isCurrent(1, ever)).toBe(false)
  expect(gone).toEqual(['old'])
})
