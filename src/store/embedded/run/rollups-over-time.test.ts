import { expect, test } from 'vitest'
import { OpenFile } from '../reading/open-file.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import { hoursOf } from './rollups-over-time.ts'

const hourMs = 3_600_000

test('files outside the range are not opened', () => {
  const file = (fromHour: number): SealedFile => ({
    info: {
      entityId: 1,
      kind: 'mixed',
      day: null,
      name: `from ${fromHour}`,
      rows: 1,
      firstMs: fromHour * hourMs,
      lastMs: (fromHour + 1) * hourMs - 1,
      firstPosition: 0,
      lastPosition: 0,
      bytes: 1,
      indexBytes: 1,
    },
    digits: new Map(),
    open: () => {
      throw new Error(`from ${fromHour} is opened`)
    },
  })
  const files = [file(0), file(2)].map((one) => new OpenFile(one, [], 'cached'))
  const run = { sinceMs: Number.NEGATIVE_INFINITY, tables: [], files, metrics: [], quality: null }
  expect([...hoursOf(0, { fromMs: hourMs, toMs: 2 * hourMs - 1 }, run)]).toEqual([])
  expect(() => [...hoursOf(0, { fromMs: hourMs, toMs: 2 * hourMs }, run)]).toThrow('from 2 is opened')
})
