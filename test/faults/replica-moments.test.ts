// Restores of random moments from a replica match a plain model: rows, rejected rows, receipts, definitions, subscribers, metadata items.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { isCopied, replicaUrl, restoreChecked, rowsOf, valuesIn } from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

/** The number of moments to restore; a long run uses 50. */
const moments = Number(process.env['TIDEMARK_MOMENTS'] ?? 6)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const settings = {
  'replica.intervalMs': '20',
  'replica.catalogMs': '200',
  'store.headRows': '60',
  'store.headAgeMs': '300',
}
const embedded = { engine: 'embedded' } as const

interface State {
  readonly values: readonly number[]
  readonly items: readonly string[]
  /** Receipts of pushes whose rows have all been validated. */
  readonly receipts: readonly string[]
  readonly ingests: readonly string[]
  readonly subscribers: readonly string[]
}

/** The whole state; of the receipts, those of `batches` that exist. */
async function stateOf(url: string, key: string, batches: readonly string[]): Promise<State> {
  type Listed = { readonly Items: readonly { readonly id: string; readonly alias: string; readonly name: string }[] }
  const list = async (path: string): Promise<Listed['Items']> =>
    (await callOk<Listed>(url, 'GET', path, { key: adminKey })).Items
  const receipts: string[] = []
  for (const batch of batches)
    if ((await callOk<{ pending: number }>(url, 'GET', `/ingests/kept/batches/${batch}`, { key })).pending === 0)
      receipts.push(batch)
  return {
    values: await valuesIn(url),
    items: (await list('/consumer/metadata/tags?limit=1000')).map(({ id }) => id),
    receipts,
    ingests: (await list('/admin/ingests')).map(({ alias }) => alias).sort(),
    subscribers: (await list('/admin/subscribers')).map(({ name }) => name).sort(),
  }
}

test(
  `${moments} restores of random moments match a model (seed ${seed})`,
  () =>
    inScratchFolder('tidemark-moments-', async (directory) => {
      const random = seededRandom(seed)
      let service = await runService(
        { ...settings, 'replica.url': replicaUrl(directory) },
        { ...embedded, dataDirectory: join(directory, 'data') },
      )
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      const fields = [
        { name: 'id', source: 'Tag', type: 'string', role: 'index' },
        { name: 'unit', type: 'string', role: 'attribute' },
      ]
      const itemKey = await makeIngest(service.url, adminKey, { alias: 'tags', kind: 'metadata', fields })
      let state: State = {
        values: [],
        items: [],
        receipts: [],
        ingests: ['kept', 'tags'],
        subscribers: ['admin', 'pusher-of-kept', 'pusher-of-tags'],
      }
      const history: { readonly fromMs: number; readonly toMs: number; readonly state: State }[] = []
      const batches: string[] = []
      const pushRows = async (): Promise<void> => {
        const values = Array.from({ length: 1 + random.below(30) }, (_, index) => state.values.length + index)
        const path = '/ingests/kept/data?wait=true'
        const { batch } = await callOk<{ batch: string }>(service.url, 'POST', path, { key, body: rowsOf(values) })
        batches.push(batch)
        state = { ...state, values: [...state.values, ...values], receipts: [...state.receipts, batch] }
      }
      const pushItem = async (): Promise<void> => {
        const id = `item-${String(state.items.length).padStart(4, '0')}`
        const body = [{ Tag: id, unit: 'K' }]
        await callOk(service.url, 'POST', '/ingests/tags/data?wait=true', { key: itemKey, body })
        state = { ...state, items: [...state.items, id] }
      }
      /** The copier polls for changes. */
      const settle = async (): Promise<void> => {
        await sleep(200)
        await isCopied(service.url)
      }
      const operate = async (): Promise<void> => {
        const name = `operated-${history.length}`
        // A moment near an operator's change may be a little later than requested, as the documentation of the format explains.
        await settle()
        if (random.below(2) === 0) {
          await makeIngest(service.url, adminKey, { alias: name })
          state = { ...state, ingests: [...state.ingests, name].sort() }
          state = { ...state, subscribers: [...state.subscribers, `pusher-of-${name}`].sort() }
        } else {
          await callOk(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name } })
          state = { ...state, subscribers: [...state.subscribers, name].sort() }
        }
        await settle()
      }
      const restart = async (): Promise<void> => {
        await isCopied(service.url)
        service = await service.restart()
        await isCopied(service.url)
      }
      await settle()
      for (let step = 0; step < moments * 2; step++) {
        const kind = random.below(10)
        const act = kind < 6 ? pushRows : kind < 8 ? pushItem : kind < 9 || step < 3 ? operate : restart
        await act()
        const fromMs = Date.now() + 1
        await sleep(5 + random.below(60))
        history.push({ fromMs, toMs: Date.now() - 1, state })
      }
      await isCopied(service.url)
      await service.close()
      for (let count = 0; count < moments; count++) {
        const { fromMs, toMs, state: wanted } = history[random.below(history.length)]!
        const at = new Date(fromMs + random.below(toMs - fromMs + 1)).toISOString()
        const data = join(directory, `at-${count}`)
        await restoreChecked(replicaUrl(directory), data, at)
        const restored = await runService({}, { ...embedded, dataDirectory: data })
        const found = await stateOf(restored.url, key, batches)
        expect({ at, ...found }).toEqual({ at, ...wanted })
        await restored.close()
      }
    }),
  60_000 + moments * 10_000,
)
