import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Manifest, ManifestChange, StoreFile } from '../../src/catalog/manifest.ts'

const file = (name: string, change: Partial<StoreFile> = {}): StoreFile => ({
  entityId: 1,
  name,
  kind: 'day',
  day: 20_454,
  rows: 10,
  firstMs: -5,
  lastMs: 2 ** 41,
  firstPosition: 0,
  lastPosition: 2 ** 50,
  bytes: 1000,
  indexBytes: 100,
  ...change,
})

const nothing: ManifestChange = { add: [], remove: [], registries: [], seal: null }
const empty: Manifest = { sealedPosition: 0, files: [], registries: [], counts: [] }
const count = (ingestId: number, validated: number, rejected = 0) => ({ ingestId, validated, rejected })
const registry = (entityId: number, series: number) => ({ entityId, series, bytes: 16 * series })

/** Tests of the manifest, for every catalog. */
export function manifestTests(catalog: () => Catalog, reopen: () => Promise<void>): void {
  describe('the manifest', () => {
    test.each<[string, readonly Partial<ManifestChange>[], Manifest]>([
      ['is empty at first', [], empty],
      [
        'stores files, registries and counts with the position of their seal',
        [
          {
            add: [file('2', { kind: 'mixed', day: null }), file('1')],
            registries: [registry(1, 3)],
            seal: { position: 7, counts: [count(1, 6, 1)], journalEnd: 7 },
          },
        ],
        {
          sealedPosition: 7,
          files: [file('1'), file('2', { kind: 'mixed', day: null })],
          registries: [registry(1, 3)],
          counts: [count(1, 6, 1)],
        },
      ],
      [
        'keeps entries that a later seal does not mention',
        [
          {
            add: [file('1')],
            registries: [registry(1, 1), registry(2, 1)],
            seal: { position: 4, counts: [count(1, 1), count(2, 3)], journalEnd: 4 },
          },
          {
            add: [file('2')],
            registries: [registry(2, 2)],
            seal: { position: 9, counts: [count(2, 8, 2)], journalEnd: 9 },
          },
        ],
        {
          sealedPosition: 9,
          files: [file('1'), file('2')],
          registries: [registry(1, 1), registry(2, 2)],
          counts: [count(1, 1), count(2, 8, 2)],
        },
      ],
      [
        'replaces files in a merge and keeps the position',
        [
          { add: [file('1'), file('2')], seal: { position: 4, counts: [], journalEnd: 4 } },
          { add: [file('3')], remove: [file('1'), file('2')] },
        ],
        { ...empty, sealedPosition: 4, files: [file('3')] },
      ],
      [
        'allows files of the same name in different entities',
        [{ add: [file('1', { entityId: 2 }), file('1')] }, { remove: [file('1')] }],
        { ...empty, files: [file('1', { entityId: 2 })] },
      ],
    ])('%s', async (_name, changes, expected) => {
      for (const change of changes) await catalog().manifest.commit({ ...nothing, ...change })
      expect(await catalog().manifest.load()).toEqual(expected)
      await reopen()
      expect(await catalog().manifest.load()).toEqual(expected)
    })

    test.each<[string, Partial<ManifestChange>, RegExp]>([
      ['an existing file', { add: [file('2'), file('1')] }, /./],
      [
        'the removal of an unknown file',
        { add: [file('2')], remove: [file('1'), file('9')] },
        /file 1\/9 is to leave the manifest/,
      ],
      [
        'a position that moves back',
        { add: [file('2')], seal: { position: 3, counts: [], journalEnd: 3 } },
        /go back from 4 to 3/,
      ],
      ['a registry that becomes shorter', { add: [file('2')], registries: [registry(1, 2)] }, /would become shorter/],
    ])('refuses %s, and changes nothing', async (_name, change, message) => {
      await catalog().manifest.commit({
        ...nothing,
        add: [file('1')],
        registries: [registry(1, 3)],
        seal: { position: 4, counts: [], journalEnd: 4 },
      })
      const before = await catalog().manifest.load()
      await expect(catalog().manifest.commit({ ...nothing, ...change })).rejects.toThrow(message)
      expect(await catalog().manifest.load()).toEqual(before)
    })

    test('stores the end of the journal, with a seal or separately; it never moves back', async () => {
      const { manifest } = catalog()
      expect(await manifest.journalEnd()).toBeNull()
      await manifest.noteJournalEnd(0)
      expect(await manifest.journalEnd()).toBe(0)
      await manifest.commit({ ...nothing, seal: { position: 4, counts: [], journalEnd: 7 } })
      expect(await manifest.journalEnd()).toBe(7)
      await manifest.noteJournalEnd(5)
      expect(await manifest.journalEnd()).toBe(7)
      await manifest.noteJournalEnd(9)
      expect(await manifest.journalEnd()).toBe(9)
    })

    test('reports the size of entities, including indexes and registries', async () => {
      const { manifest } = catalog()
      const [first, second] = [file('1', { firstMs: 7 }), file('2', { rows: 5, lastMs: 9, indexBytes: 1 })]
      const other = file('1', { entityId: 3 })
      const hours = file('3', { kind: 'hours', day: null, firstMs: -9e9, lastMs: -8e9 })
      const registries = [registry(1, 3), registry(2, 1)]
      await manifest.commit({ ...nothing, add: [first, second, hours, other], registries })
      const expected = {
        files: 3,
        rows: 15,
        bytes: 2101 + hours.bytes + hours.indexBytes + 48,
        firstMs: -5,
        lastMs: 2 ** 41,
      }
      expect(await manifest.sizes([2, 1, 9])).toEqual(new Map([[1, expected]]))
    })

    test('drops one entity completely, and nothing else', async () => {
      const { manifest } = catalog()
      const other = { add: [file('1', { entityId: 2 })], registries: [registry(2, 1)] }
      const seal = { position: 4, counts: [count(1, 4)], journalEnd: 4 }
      await manifest.commit({ ...nothing, ...other, seal })
      const before = await manifest.load()
      await manifest.commit({ ...nothing, add: [file('1'), file('2')], registries: [registry(1, 3)] })
      for (let asked = 0; asked < 2; asked++) {
        await manifest.drop(1)
        expect(await manifest.load()).toEqual(before)
      }
    })
  })
}
