import type { LocalJournalWriter } from '../journal.ts'

/**
 * Throws an Error when the journal begins after the sealed position: rows between the two are in neither, and files with them would be mistaken
 * for leftovers of a crash.
 */
export function requireJournal(
  { firstPosition }: Pick<LocalJournalWriter, 'firstPosition'>,
  sealedPosition: number,
  directory: string,
): void {
  if (firstPosition <= sealedPosition) return
  throw new Error(
    `${directory}: the journal begins at position ${firstPosition}, but the catalog knows of rows in files up to ${sealedPosition} only: it is ` +
      'an older copy, or its log (catalog.sqlite-wal) is damaged or gone. Put back the right one, or restore a backup.',
  )
}
