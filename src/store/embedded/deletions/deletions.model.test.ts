import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkHistory, type SeenHistory } from '../../../../test/support/data-at-rest.ts'
import { smallLocalFolder } from '../../../../test/support/local-folder.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import type { SealedFile, SealedPages } from '../reading/sealed-source.ts'
import { VisibleFile } from './visible-file.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-deletions-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('deleted and restored rows, among pushes, seals, merges and restarts, give the results of the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) =>
      checkHistory(seed, { folder: (store, draw) => smallLocalFolder(directory, store, draw), deletes: true }),
    ),
    { numRuns: rounds(150) },
  )
})

/** A fault of the reader of a file with deleted rows. `stored` reads the file as it is on disk. */
type Spoil = (visible: SealedPages, stored: SealedPages) => Partial<SealedPages>

/** Hours that represent all their rows, including deleted ones. */
const wholeHours: Spoil = (visible) => {
  const hours: SealedPages['hours'] = (place, fromMs, toMs) => {
    const rollups = visible.hours(place, fromMs, toMs)
    return rollups && { ...rollups, hidden: null }
  }
  return { hours, visibleHours: hours }
}

/** A newest row that is visible although it is deleted. */
const oldTail: Spoil = (visible, stored) => ({ tail: (place) => stored.tail(stored.find(visible.seriesAt(place))) })

function spoiled({ store }: SeenHistory, spoil: Spoil): void {
  const files = store.files(1).filter((file) => file instanceof VisibleFile)
  const open = (file: VisibleFile): SealedFile['open'] => {
    return (columns, pass) => {
      const visible = file.open(columns, pass)
      return changed(visible, spoil(visible, file.base.open(columns, pass)))
    }
  }
  store.show(1, new Map(files.map((file) => [file, changed(file, { open: open(file) })])))
}

function changed<Of extends object>(of: Of, members: Partial<Of>): Of {
  return new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in members ? members : target, name, target)
      return typeof member === 'function' && !(name in members) ? member.bind(target) : member
    },
  })
}

describe('the same check detects', () => {
  test.each([
    ['an hour with deleted rows that is answered from the rollups of its file', wholeHours],
    ['a deleted newest row that is still returned', oldTail],
  ])('%s', async (_, spoil) => {
    const folder = (store: SeenHistory['store'], draw: Parameters<typeof smallLocalFolder>[2]) =>
      smallLocalFolder(directory, store, draw)
    const look = async (seen: SeenHistory): Promise<void> => spoiled(seen, spoil)
    const found = await fc.check(
      fc.asyncProperty(fc.nat(), (seed) => checkHistory(seed, { folder, deletes: true, look })),
      // The histories are the same each time and the first one exposes the fault, so nothing is left to chance.
      { numRuns: 60, endOnFailure: true, seed: 7, examples: [[2_147_483_638]] },
    )
    expect(found.errorInstance).toMatchObject({ name: 'AssertionError' })
  })
})
