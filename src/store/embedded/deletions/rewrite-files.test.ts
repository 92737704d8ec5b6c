import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { smallLocalFolder } from '../../../../test/support/local-folder.ts'
import { drawFrom } from '../../../../test/support/random-rows.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { sealRows } from '../sealing/sealer.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { VisibleFile } from './visible-file.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-rewrite-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Rests at each opportunity; throws while resting, to give way, when `isDue` is set. */
class GivingWay extends Pacer {
  isDue = false

  override spend(): boolean {
    return true
  }

  override async rest(): Promise<void> {
    if (this.isDue) throw new Error('something else goes before it')
  }
}

/** A file of four rows, and a deletion that selects the second one. */
async function worldOf(name: string) {
  const store = new EmbeddedStore({ chunkRows: 8 }, 0)
  const folder = smallLocalFolder(join(directory, name), store, drawFrom(1))
  const values = [1, 2, 3, 4]
  store.write({
    entityId: 1,
    rows: values.length,
    positions: Float64Array.from(values),
    fields: [
      { name: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', type: 'string', role: 'tag' },
    ],
    columns: [
      { type: 'timestamp', values: Float64Array.from(values) },
      { type: 'string', dictionary: ['a'], codes: new Int32Array(values.length) },
    ],
  })
  const pacer = new GivingWay({ sliceMs: 5, signal: new AbortController().signal })
  const options = { folder, dayRowsMin: 1, pacer }
  const [sealed] = await sealRows(store.freeze(5), { ...options, sinceMs: () => null, reach: () => undefined })
  const registry = store.registry(1)
  const vector = { deletionId: 1, metrics: null, rows: new Map([[0, Uint32Array.of(1, 2)]]) }
  const visible = new VisibleFile(folder.stored(sealed!), [vector], registry)
  const files = (): readonly string[] => readdirSync(join(directory, name, '1'))
  return { folder, pacer, visible, files, options: { ...options, registry, sinceMs: null } }
}

test('a rewrite that gives way after its files are written removes them', async () => {
  const { folder, pacer, visible, files, options } = await worldOf('given-way')
  const before = files()
  const removals: Promise<void>[] = []
  const rewritten = rewriteFiles([visible], {
    ...options,
    isErased: () => false,
    reach: (point) => {
      pacer.isDue = point === 'merge-directory-synced'
    },
    remove: (file) => removals.push(folder.remove(file)),
  })
  await expect(rewritten).rejects.toThrow('goes before it')
  await Promise.all(removals)
  expect(files()).toEqual(before)
})

test('rows whose erasure becomes due while files are being written stay hidden', async () => {
  const { visible, options } = await worldOf('erased-meanwhile')
  let isErased = false
  const rewritten = await rewriteFiles([visible], {
    ...options,
    isErased: () => isErased,
    reach: (point) => {
      isErased ||= point === 'merge-file-written'
    },
    remove: () => undefined,
  })
  expect(rewritten.files.map(({ info }) => info.rows)).toEqual([3])
  expect(rewritten.vectors).toMatchObject([{ deletionId: 1 }])
})
