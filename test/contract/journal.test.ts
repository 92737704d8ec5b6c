import { describe } from 'vitest'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { openFileJournalCursor } from '../../src/journal/file/file-journal-cursor.ts'
import { seededRandom } from '../support/random.ts'
import { SimulatedDisk } from '../support/simulated-disk.ts'
import { journalTests } from './journal.ts'

describe('a journal in files', () => {
  journalTests(async () => {
    const disk = new SimulatedDisk(seededRandom(1))
    const directory = '/journal'
    const sizes = { segmentBytes: 100_000, batchBytesMax: 1_000_000, apartBytesMin: 1_000_000 }
    return {
      open: ({ pendingBytesMax }) =>
        openFileJournal({
          disk: disk.mount(),
          directory,
          settings: { ...sizes, pendingBytesMax: pendingBytesMax ?? 1 << 30 },
          observe: () => undefined,
        }),
      openCursor: () => openFileJournalCursor({ disk: disk.mount(), directory }),
      firstPosition: () => 0,
      remove: async () => undefined,
    }
  })
})
