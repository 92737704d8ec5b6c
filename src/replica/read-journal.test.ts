import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../../test/support/scratch-folder.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { FileStore } from '../object-store/file/file-store.ts'
import { packJournal } from './journal-packing.ts'
import { type JournalRequest, readReplicatedJournal } from './read-journal.ts'
import { encodeObject, logName, type Mark } from './replica-format.ts'

const entryBase = { epoch: 1, token: 'own', copy: 'copy', timeMs: 1 }
/** Rows before 110 are in files. The journal continues in a separate segment, whose pushes reached the disk at 300 and 400. */
const pushes: readonly Mark[] = [
  [300, 120, 110, 82],
  [400, 130, 110, 132],
]
const sealed = { epoch: 1, validFromMs: 200, journalFrom: 0, sealedPosition: 110, position: 110 }

const cases: readonly {
  readonly of: string
  readonly moment: JournalRequest['moment']
  readonly atMs: number
  readonly cut: Mark | null
}[] = [
  { of: 'the newest state', moment: sealed, atMs: Number.POSITIVE_INFINITY, cut: [400, 130, 110, 132] },
  { of: 'a time between two pushes', moment: sealed, atMs: 399, cut: [300, 120, 110, 82] },
  { of: 'the time of a push', moment: sealed, atMs: 300, cut: [300, 120, 110, 82] },
  { of: 'a time before the first push after the moment', moment: sealed, atMs: 299, cut: [200, 110, 110, 32] },
  {
    of: 'a time before a push that the moment already includes',
    moment: { ...sealed, position: 120 },
    atMs: 250,
    cut: [300, 120, 110, 82],
  },
  { of: 'a moment with rows that the journal lacks', moment: { ...sealed, position: 131 }, atMs: 500, cut: null },
]
for (const { of, moment, atMs, cut } of cases) {
  test(`the journal is cut for ${of}`, () =>
    inScratchFolder('tidemark-read-journal-', async (directory) => {
      const store = new FileStore(join(directory, 'copy'), nodeDisk)
      const entry = { ...entryBase, number: 0, kind: 'journal' } as const
      const payload = await packJournal(new Uint8Array(132))
      const object = encodeObject({ ...entry, pieces: [[110, 0, 132]], marks: pushes }, payload)
      await store.putIfAbsent(logName(0), object)
      const request = { moment, untilNumber: 1, atMs }
      const take = async (): Promise<void> => undefined
      const read = await readReplicatedJournal(store, request, (work) => work(), take)
      expect(read.cut).toEqual(cut)
    }))
}
