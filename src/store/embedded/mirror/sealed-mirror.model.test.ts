import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkHistory, type SeenHistory, type TestedFolder } from '../../../../test/support/data-at-rest.ts'
import { expectSame, rowsOf } from '../../../../test/support/expect-rows.ts'
import { planSince } from '../../../../test/support/plan-since.ts'
import { type Draw, drawFrom, randomPlan } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import { inScratchFolder } from '../../../../test/support/scratch-folder.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { datesOf } from '../../../model/plan.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import { RegistryLog } from '../registry/registry-log.ts'
import { LocalFolder } from '../sealed/local-folder.ts'
import { type EntityChange, SealedMirror } from './sealed-mirror.ts'

const entityId = 1
const spansMs = [60_000, 30 * 3_600_000, 5 * 86_400_000, 100 * 86_400_000]

const infoOf = ({ info }: SealedFile) => info
const noSettle = async (): Promise<void> => undefined

interface MirrorParts {
  readonly directory: string
  /** Is over when the life before has written what it writes. */
  readonly before: Promise<unknown>
  readonly told: Told
}

/** A store on disk, and a mirror of it that follows each change of its files. */
class MirroredStore {
  readonly folder: TestedFolder
  readonly mirror: SealedMirror
  readonly #store: EmbeddedStore
  readonly #directory: string
  readonly #told: Told
  readonly #gone = new Set<string>()
  #registry: RegistryLog | null = null
  #changed: Promise<void>

  constructor(store: EmbeddedStore, { directory, before, told }: MirrorParts, draw: Draw) {
    this.#changed = before.then(() => undefined)
    this.#store = store
    this.#directory = directory
    this.#told = told
    const options = { disk: nodeDisk, directory, pageCacheBytes: 4096, indexCacheBytes: [1000, 100_000][draw(2)] }
    const folder = new LocalFolder({
      ...options,
      registryOf: (id) => store.registry(id),
      pageRows: 4 + draw(12),
      writing: { sharedPageRows: 4, groupRows: 30, hourRowsMin: draw(3), tailRowsMin: draw(4) },
    })
    this.mirror = new SealedMirror({ ...options, gone: ({ name }) => this.#gone.add(name) })
    this.folder = {
      create: (target, pacer) => folder.create(target, pacer),
      sync: (id) => folder.sync(id),
      open: (info) => folder.open(info),
      remove: async (file) => {
        await this.#changed
        if (this.#gone.has(file.info.name)) await folder.remove(file)
      },
    }
    store.watch({
      switched: (_, add, remove) => this.#follow({ add: add.map(infoOf), remove: remove.map(infoOf) }),
      dropped: () => undefined,
    })
  }

  async caughtUp(): Promise<EmbeddedStore> {
    await this.#changed
    return this.mirror.store
  }

  #follow(files: Pick<EntityChange, 'add' | 'remove'>): void {
    const replaces = this.#store.registry(entityId).columns.replaced !== null
    this.#changed = this.#changed.then(async () => {
      const registry = await this.#writtenRegistry()
      await this.mirror.change(this.#told({ entityId, replaces, registry, ...files }))
    })
  }

  async #writtenRegistry(): Promise<EntityChange['registry']> {
    const directory = join(this.#directory, String(entityId))
    await nodeDisk.makeDirectory(directory)
    const registry = this.#store.registry(entityId)
    this.#registry ??= await RegistryLog.begin({ disk: nodeDisk, directory, registry, settle: noSettle })
    await this.#registry.extend()
    return this.#registry.written
  }
}

/** What a mirror is told of a change; tests of the test tell it something else. */
type Told = (change: EntityChange) => EntityChange

/** Histories whose questions about sealed dates are asked of a mirror and of the model; how many they were. */
async function compare(runs: number, told: Told, seed?: number): Promise<number> {
  let compared = 0
  const look = async (mirrored: MirroredStore, draw: Draw, seen: SeenHistory): Promise<void> => {
    const mirror = await mirrored.caughtUp()
    for (let question = 0; question < 8; question++) {
      const plan = planSince(randomPlan(draw, seen.entity, spansMs[draw(spansMs.length)]), seen.sinceMs)
      if (!seen.store.areSealed(entityId, [datesOf(plan)])) continue
      compared++
      expectSame(plan, await rowsOf(mirror, plan), seen.model.run(plan))
    }
  }
  const tell = async (seed: number, directory: string): Promise<void> => {
    const draw = drawFrom(seed)
    let mirrored: MirroredStore | null = null
    await checkHistory(seed, {
      folder: (store, drawn) => {
        const before = mirrored?.caughtUp() ?? Promise.resolve()
        mirrored = new MirroredStore(store, { directory, before, told }, drawn)
        return mirrored.folder
      },
      look: (seen) => look(mirrored!, draw, seen),
    })
  }
  const history = fc.asyncProperty(fc.nat(), (seed) =>
    inScratchFolder('tidemark-mirror-', (directory) => tell(seed, directory)),
  )
  await fc.assert(history, { numRuns: runs, endOnFailure: true, ...(seed === undefined ? {} : { seed }) })
  return compared
}

test('dates of which no row is in memory are answered by a mirror as by the model', async () => {
  expect(await compare(rounds(100), (change) => change)).toBeGreaterThan(100)
})

describe('the same check finds a mirror that is not told', () => {
  test.each<[string, Told]>([
    ['which files were merged', (change) => ({ ...change, remove: [] })],
    ['of new files', (change) => (change.remove.length === 0 ? { ...change, add: [] } : change)],
    ['that rows are replaced', (change) => ({ ...change, replaces: false })],
  ])('%s', async (_, told) => {
    await expect(compare(200, told, 13)).rejects.toThrow(/AssertionError|Counterexample/)
  })
})
