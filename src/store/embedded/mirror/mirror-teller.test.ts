import { beforeEach, describe, expect, test } from 'vitest'
import { fileOf } from '../../../../test/support/file-of.ts'
import { columnOf } from '../../../../test/support/random-rows.ts'
import { tag, time, value } from '../../../../test/support/selection.ts'
import { ChangeCounts } from '../../../lib/change-counts.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { MirrorNews } from './mirror-news.ts'
import { MirrorTeller } from './mirror-teller.ts'

let store: EmbeddedStore
let news: MirrorNews[]
let rests: (() => void)[]
let nowMs: number
let position = 0

beforeEach(() => {
  news = []
  rests = []
  nowMs = 0
})

function start(bytesMax = 100_000): MirrorTeller {
  const changes = ChangeCounts.fresh(0)
  store = new EmbeddedStore({ changes })
  return new MirrorTeller({
    ...{ store, changes, bytesMax, writtenRegistry: () => null, nowMs: () => nowMs },
    rest: () => new Promise((resolve) => rests.push(resolve)),
    tell: (told) => news.push(told),
  })
}

function batchOf(rows: number, entityId = 1, tags = 1): RowBatch {
  const values = Array.from({ length: rows }, (_, row) => row)
  return {
    ...{ entityId, rows, positions: Float64Array.from(values, () => position++), fields: [time, tag, value] },
    columns: [
      columnOf('timestamp', values),
      columnOf(
        'string',
        values.map((row) => `tag ${row % tags}`),
      ),
      columnOf('double', values),
    ],
  }
}

const seal = (add: readonly SealedFile[], remove: readonly SealedFile[] = []): void =>
  store.switchFiles({ add, remove, frozen: store.freeze(position), gone: () => undefined })
const merge = (add: readonly SealedFile[], remove: readonly SealedFile[]): void =>
  store.switchFiles({ add, remove, frozen: null, gone: () => undefined })

/** What was told, in short. */
const told = (): readonly string[] =>
  news.map((one) => {
    if (one.kind === 'part') return `a part, ${one.batch.rows}`
    if (one.kind === 'rows') return `${one.batch.rows} rows`
    if (one.kind === 'dropped') return `dropped, ${one.files.length} files`
    if (one.kind === 'whole') return 'whole'
    const { add, remove, memory, untold, series } = one.entity
    const dates = untold === null ? '' : `, untold ${untold.fromMs} to ${untold.toMs}`
    return `+${add.length} -${remove.length}, ${memory}${dates}, series from ${series.first} ${series.series.length}`
  })

const begun = '+0 -0, new, series from 0 0'

/** The store knows the entity, and the mirror is told of it. */
function begin(teller: MirrorTeller, entityId = 1): void {
  store.registry(entityId)
  teller.wanted(entityId)
}

test('nothing is told of an entity that nobody asked for, or that is not there', () => {
  const teller = start()
  store.write(batchOf(3))
  teller.wanted(3)
  begin(teller, 2)
  store.write(batchOf(3))
  store.write(batchOf(2, 2))
  expect(told()).toEqual([begun, '2 rows'])
})

test('files, rows and series are told as they come', () => {
  const teller = start()
  store.write(batchOf(3, 1, 2))
  teller.wanted(1)
  store.write(batchOf(4, 1, 4))
  seal([fileOf('a')])
  store.write(batchOf(2))
  merge([fileOf('b')], store.files(1))
  expect(told()).toEqual([
    '+0 -0, new, untold 0 to 2, series from 0 2',
    'a part, 3',
    'whole',
    '4 rows',
    '+1 -0, new, series from 4 0',
    '2 rows',
    '+1 -1, same, series from 4 0',
  ])
})

test('who asks again is told the state that he is at: what another entity of its counts did is not told', () => {
  const teller = start()
  begin(teller)
  store.write(batchOf(1))
  store.write(batchOf(1, 257))
  teller.wanted(1)
  expect(told()).toEqual([begun, '1 rows', 'whole'])
})

describe('what has no room', () => {
  test('is not told, until rows are sealed', () => {
    const teller = start(30_000)
    begin(teller)
    store.write(batchOf(20))
    store.write(batchOf(2000))
    store.write(batchOf(1))
    seal([fileOf('a')])
    store.write(batchOf(5))
    expect(told()).toEqual([begun, '20 rows', '+1 -0, new, series from 1 0', '5 rows'])
  })

  test('is named by its dates', () => {
    const teller = start(30_000)
    store.write(batchOf(2000))
    teller.wanted(1)
    store.write(batchOf(1))
    expect(told()).toEqual(['+0 -0, new, untold 0 to 1999, series from 0 1'])
  })

  test('of series, the entity is not told of', () => {
    const teller = start(60_000)
    store.write(batchOf(1000, 1, 1000))
    teller.wanted(1)
    expect(told()).toEqual([])
    begin(teller, 2)
    seal([fileOf('b', 2)])
    store.write(batchOf(1000, 2, 1000))
    seal([fileOf('a', 2)])
    expect(told().at(-1)).toBe('dropped, 1 files')
  })

  test('counts what texts take, and each entity', () => {
    const teller = start(100_000)
    begin(teller)
    const texts = columnOf('string', ['x'.repeat(60_000)])
    const { fields, columns, ...batch } = batchOf(1)
    const text = { name: 'N', type: 'string', role: 'dimension' } as const
    store.write({ ...batch, fields: [...fields, text], columns: [...columns, texts] })
    expect(told()).toEqual([begun])
    for (let entityId = 2; entityId < 40; entityId++) begin(teller, entityId)
    expect(told()).toHaveLength(100_000 >> 13)
  })

  test('of series that are not on disk more than some thousands are not told', () => {
    const teller = start(10_000_000)
    store.write(batchOf(5000, 1, 5000))
    teller.wanted(1)
    expect(told()).toEqual([])
  })
})

describe('many rows', () => {
  const turn = async (): Promise<void> => {
    rests.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const first = ['+0 -0, new, untold 0 to 39999, series from 0 1', 'a part, 21845']

  test('are told a part at a time, and what comes meanwhile behind them', async () => {
    const teller = start(10_000_000)
    store.write(batchOf(40_000))
    teller.wanted(1)
    store.write(batchOf(3, 1, 2))
    await turn()
    teller.wanted(1)
    store.write(batchOf(2, 1, 3))
    await turn()
    await turn()
    store.write(batchOf(1))
    expect(told()).toEqual([...first, 'a part, 18155', 'whole', '3 rows', '2 rows', '1 rows'])
  })

  test.each<[string, () => void, readonly string[]]>([
    ['when they are sealed', () => seal([fileOf('a')]), ['+1 -0, new, series from 1 0', '5 rows']],
    ['when the entity is dropped', () => store.drop(1, () => undefined), ['dropped, 0 files']],
    ['when so many come at once', () => store.write(batchOf(30_000, 1, 2)), []],
  ])('are told no further %s', async (_, change, expected) => {
    const teller = start(10_000_000)
    store.write(batchOf(40_000))
    teller.wanted(1)
    store.write(batchOf(2))
    change()
    await turn()
    store.write(batchOf(5))
    expect(told()).toEqual([...first, ...expected])
  })

  test('that come fast are not told, and are asked for again once they do not', () => {
    const teller = start(10_000_000)
    begin(teller)
    for (let batch = 0; batch < 3; batch++) store.write(batchOf(20_000))
    store.write(batchOf(6000, 1, 2))
    store.write(batchOf(1))
    teller.wanted(1)
    nowMs = 999
    teller.wanted(1)
    expect(told()).toEqual([begun, '20000 rows', '20000 rows', '20000 rows'])
    nowMs = 1000
    teller.wanted(1)
    expect(told().slice(4)).toEqual(['+0 -0, new, untold 0 to 19999, series from 1 1', 'a part, 21845'])
  })
})

test('newer rows that replace older ones end it', () => {
  const teller = start()
  begin(teller)
  store.write(batchOf(1))
  store.write({ ...batchOf(1), pushedNulls: [null, null, null] })
  teller.wanted(1)
  expect(told()).toEqual([begun, '1 rows', 'dropped, 0 files'])
})

test('the store does not fail because of what cannot be told', () => {
  const changes = ChangeCounts.fresh(0)
  store = new EmbeddedStore({ changes })
  let isBroken = false
  const teller = new MirrorTeller({
    ...{ store, changes, bytesMax: 100_000, writtenRegistry: () => null, nowMs: () => 0, rest: async () => undefined },
    tell: (one) => {
      if (isBroken && one.kind !== 'dropped') throw new Error('it cannot be told')
      news.push(one)
    },
  })
  begin(teller)
  isBroken = true
  store.write(batchOf(1))
  seal([fileOf('a')])
  teller.wanted(1)
  expect(store.files(1)).toHaveLength(1)
  expect(told()).toEqual([begun, 'dropped, 0 files', 'dropped, 1 files'])
})

describe('a removed file', () => {
  async function isLetGo(teller: MirrorTeller, file: SealedFile): Promise<boolean> {
    let isGone = false
    void teller.letGo(file).then(() => {
      isGone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    return isGone
  }
  const [old, merged] = [fileOf('old'), fileOf('merged')]

  test('waits for the mirror, where that was told of it', async () => {
    const teller = start()
    seal([old])
    expect(await isLetGo(teller, old)).toBe(true)
    teller.wanted(1)
    merge([merged], [old])
    expect(await isLetGo(teller, old)).toBe(false)
    teller.gone(old.info)
    expect(await isLetGo(teller, old)).toBe(true)
  })

  test.each<[string, (teller: MirrorTeller) => void]>([
    ['once it says so', (teller) => teller.gone(old.info)],
    ['no longer when the store stops', (teller) => teller.close()],
  ])('of a dropped entity waits too, %s', async (_, end) => {
    const teller = start()
    seal([old])
    teller.wanted(1)
    store.drop(1, () => undefined)
    expect(told().at(-1)).toBe('dropped, 1 files')
    expect(await isLetGo(teller, old)).toBe(false)
    end(teller)
    expect(await isLetGo(teller, old)).toBe(true)
  })
})
