import type { LocalJournalWriter } from '../journal.ts'
import { type FileJournalOptions, openFileJournal } from './file-journal.ts'

/**
 * Opens a journal as the target of a copy: entries get their positions in the order of the calls, whatever their sizes. None is written apart,
 * where smaller ones would overtake it, and none is refused because too much waits: all were read from disk before.
 */
export function openJournalCopy(
  options: Omit<FileJournalOptions, 'settings' | 'observe'> & {
    readonly settings: Pick<FileJournalOptions['settings'], 'segmentBytes' | 'batchBytesMax'>
  },
): Promise<LocalJournalWriter> {
  const { segmentBytes, batchBytesMax } = options.settings
  const unbounded = { pendingBytesMax: Number.POSITIVE_INFINITY, apartBytesMin: Number.POSITIVE_INFINITY }
  return openFileJournal({
    ...options,
    settings: { segmentBytes, batchBytesMax, ...unbounded },
    observe: () => undefined,
  })
}
