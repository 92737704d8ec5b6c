import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkHistory, type SeenHistory, type TestedFolder } from '../../../../test/support/data-at-rest.ts'
import { expectSame, rowsOf } from '../../../../test/support/expect-rows.ts'
import { planSince } from '../../../../test/support/plan-since.ts'
import { type Draw, drawFrom, randomPlan } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import { inScratchFolder } from '../../../../test/support/scratch-folder.ts'
import { ChangeCounts } from '../../../lib/change-counts.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { datesOf, type Plan } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import { RegistryLog } from '../registry/registry-log.ts'
import { LocalFolder } from '../sealed/local-folder.ts'
import type { MirrorNews } from './mirror-news.ts'
import { MirrorTeller } from './mirror-teller.ts'
import { StoreMirror } from './store-mirror.ts'

const entityId = 1
const spansMs = [60_000, 30 * 3_600_000, 5 * 86_400_000, 100 * 86_400_000]

/** What a mirror is told; tests of the test tell it something else. */
type Told = (news: MirrorNews) => MirrorNews

interface MirrorParts {
  readonly directory: string
  readonly changes: ChangeCounts
  readonly told: Told
}

/** A store on disk, and a mirror that is told of it later than it happens. */
class ToldStore {
  readonly folder: TestedFolder
  readonly mirror: StoreMirror
  readonly #teller: MirrorTeller
  readonly #store: EmbeddedStore
  readonly #directory: string
  readonly #news: MirrorNews[] = []
  readonly #removals: Promise<void>[] = []
  #registry: RegistryLog | null = null

  constructor(store: EmbeddedStore, { directory, changes, told }: MirrorParts, draw: Draw) {
    this.#store = store
    this.#directory = directory
    // What an earlier life had made is made anew.
    changes.everythingChanged()
    const options = { disk: nodeDisk, directory, pageCacheBytes: 4096, indexCacheBytes: [1000, 100_000][draw(2)] }
    const folder = new LocalFolder({
      ...options,
      registryOf: (id) => store.registry(id),
      pageRows: 4 + draw(12),
      writing: { sharedPageRows: 4, groupRows: 30, hourRowsMin: draw(3), tailRowsMin: draw(4) },
    })
    this.#teller = new MirrorTeller({
      ...{ store, changes },
      writtenRegistry: () => this.#registry?.written ?? null,
      bytesMax: [12_000, 40_000, 1_000_000][draw(3)],
      nowMs: () => 0,
      valuesAtOnce: [20, 65_536][draw(2)]!,
      rest: () => new Promise((resolve) => setImmediate(resolve)),
      tell: (news, memory) => this.#news.push(told(structuredClone(news, { transfer: [...memory] }))),
    })
    // However busy the machine is, none ends because it takes long.
    const sliceMs = 60_000
    this.mirror = new StoreMirror({
      ...options,
      ...{ changes: changes.shared, gone: (file) => this.#teller.gone(file), sliceMs },
    })
    this.folder = {
      create: (target, pacer) => folder.create(target, pacer),
      sync: (id) => folder.sync(id),
      open: (info) => folder.open(info),
      // The history goes on meanwhile: the mirror is told later.
      remove: async (file) => void this.#removals.push(this.#teller.letGo(file).then(() => folder.remove(file))),
    }
  }

  wanted(): void {
    this.#teller.wanted(entityId)
  }

  async close(): Promise<void> {
    this.#teller.close()
    this.mirror.close()
    await Promise.all(this.#removals)
  }

  /** Tells the mirror some of the news. */
  tell(draw: Draw): void {
    for (let count = draw(this.#news.length + 3); count > 0; count--) {
      const news = this.#news.shift()
      if (news !== undefined) this.mirror.take(news)
    }
  }

  /** Writes down the series that there are. */
  async writeRegistry(): Promise<void> {
    const directory = join(this.#directory, String(entityId))
    await nodeDisk.makeDirectory(directory)
    const registry = this.#store.registry(entityId)
    this.#registry ??= await RegistryLog.begin({ disk: nodeDisk, directory, registry, settle: async () => undefined })
    await this.#registry.extend()
  }
}

/** Asks again while files are read from the disk; null where the mirror does not know any more what it knew. */
async function rowsInTime(
  mirror: StoreMirror,
  plan: Plan,
  isCurrent: () => boolean,
): Promise<Awaited<ReturnType<typeof rowsOf>> | null> {
  // A machine that does other work reads a file when it comes to it.
  for (const giveUpMs = performance.now() + 30_000; performance.now() < giveUpMs; ) {
    if (!isCurrent()) return null
    try {
      return await rowsOf(mirror.store, plan)
    } catch (error) {
      const { cause } = error as Error
      if (!(cause instanceof Error && cause.message.includes('is read from the disk first'))) throw error
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  throw new Error('files are read from the disk without an end')
}

interface Compared {
  /** Of how many questions the mirror said that it knows the rows. */
  known: number
  answered: number
}

interface Compare {
  readonly told?: Told
  readonly isCurrent?: (mirror: StoreMirror) => StoreMirror['isCurrent']
  readonly seed?: number
}

const asTold: Told = (news) => news
const asItSays = (mirror: StoreMirror): StoreMirror['isCurrent'] => mirror.isCurrent.bind(mirror)

/** Histories whose questions are asked of a mirror, where it says that it knows the rows, and of the model. */
async function compare(runs: number, { told = asTold, isCurrent = asItSays, seed }: Compare): Promise<Compared> {
  const compared = { known: 0, answered: 0 }
  const look = async (store: ToldStore, draw: Draw, seen: SeenHistory): Promise<void> => {
    if (draw(3) === 0) await store.writeRegistry()
    if (draw(3) === 0) store.wanted()
    store.tell(draw)
    // What has to be read first was read.
    await new Promise((resolve) => setTimeout(resolve, 1))
    for (let question = 0; question < 8; question++) {
      const plan = planSince(randomPlan(draw, seen.entity, spansMs[draw(spansMs.length)]), seen.sinceMs)
      const isKnown = (): boolean => isCurrent(store.mirror)(entityId, datesOf(plan))
      if (!isKnown()) continue
      compared.known++
      const rows = await rowsInTime(store.mirror, plan, isKnown)
      if (rows === null) continue
      compared.answered++
      expectSame(plan, rows, seen.model.run(plan))
    }
  }
  const tell = async (seed: number, directory: string): Promise<void> => {
    const draw = drawFrom(seed)
    const changes = ChangeCounts.fresh(0)
    let store: ToldStore | null = null
    const closed: Promise<void>[] = []
    await checkHistory(seed, {
      changes,
      folder: (embedded, drawn) => {
        const before = store?.close()
        closed.push(before ?? Promise.resolve())
        store = new ToldStore(embedded, { directory, changes, told }, drawn)
        return store.folder
      },
      look: (seen) => look(store!, draw, seen),
    })
    await Promise.all([...closed, store!.close()])
  }
  const history = fc.asyncProperty(fc.nat(), (seed) =>
    inScratchFolder('tidemark-mirror-', (directory) => tell(seed, directory)),
  )
  await fc.assert(history, { numRuns: runs, endOnFailure: true, ...(seed === undefined ? {} : { seed }) })
  return compared
}

/** Columns whose metrics are null. */
function nulled({ fields, columns }: RowBatch): RowBatch['columns'] {
  return columns.map((column, place) =>
    fields[place]!.role === 'metric' && column.type === 'double'
      ? { ...column, values: new Float64Array(column.values.length).fill(Number.NaN) }
      : column,
  )
}

test('what a mirror says it knows it answers as the model does, however late it is told', async () => {
  const { known, answered } = await compare(rounds(300), {})
  expect(answered).toBeGreaterThan(50)
  expect(answered).toBeGreaterThan(known / 4)
})

/** Seeds that find it in a few histories: a check of 300 finds each. */
describe('the same check finds a mirror', () => {
  const ofEntity = (change: (entity: Extract<MirrorNews, { kind: 'entity' }>['entity']) => object): Told => {
    return (news) => (news.kind === 'entity' ? { ...news, entity: { ...news.entity, ...change(news.entity) } } : news)
  }
  /** The change is counted all the same. */
  const withoutRows: Told = (news) =>
    (news.kind === 'rows' || news.kind === 'part') && news.batch.rows > 1
      ? { ...news, batch: { ...news.batch, columns: nulled(news.batch) } }
      : news
  test.each<[string, Compare]>([
    ['that is not told which files were merged', { told: ofEntity(() => ({ remove: [] })) }],
    ['that is not told of files', { told: ofEntity(() => ({ add: [] })), seed: 14 }],
    ['that is not told of rows', { told: withoutRows, seed: 14 }],
    ['that is told nothing of what is in memory', { told: ofEntity(() => ({ untold: null })), seed: 7 }],
    [
      'that keeps rows which are in files by now',
      { told: ofEntity(({ add }) => (add.length > 0 ? { memory: 'same' } : {})), seed: 4 },
    ],
    ['that takes rows for told which were counted alone', { told: ofEntity(() => ({ memory: 'new', untold: null })) }],
    ['that says it knows all', { isCurrent: () => () => true }],
  ])('%s', async (_, planted) => {
    await expect(compare(300, { seed: 21, ...planted })).rejects.toThrow(/AssertionError|Counterexample/)
  })
})
