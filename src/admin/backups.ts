// A backup is a snapshot of a data folder: a copy of the catalog, the sealed files that it lists, and the journal from the sealed position on.

import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import type { Manifest } from '../catalog/manifest.ts'
import { type JournalCursor, type LocalJournalWriter, positionAfter } from '../journal/journal.ts'
import { type Disk, isDiskFull } from '../lib/disk.ts'
import { copyDurably, linkOrCopy, measureFile, writeDurably } from '../lib/durable-files.ts'
import type { Held } from '../lib/held.ts'
import { messageOf } from '../lib/message-of.ts'
import { codeOf } from '../lib/system-error.ts'
import { Problem } from '../model/problem.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { Observe } from '../observe/event.ts'
import { type BackupFile, contentsName, encodeContents } from './backup-contents.ts'

export const BackupAnswer = Type.Object(
  {
    path: Type.String({ description: 'The folder, on the server.' }),
    bytes: Type.Integer({ description: 'The size of its files.' }),
  },
  { description: 'A backup.' },
)
export type BackupAnswer = Type.Static<typeof BackupAnswer>

/** Paths are relative to the data folder. */
export interface BackedUpFile {
  readonly path: string
  /** The number of bytes that belong to the backup, for a file that is still being written; null for a complete file that never changes. */
  readonly bytesMax: number | null
}

export interface BackupParts {
  readonly disk: Disk
  readonly dataDirectory: string
  /** The folder for backups. */
  readonly directory: string
  /** Distinguishes unfinished backups of this service from those of others. */
  readonly ownerName: string
  /** Prevents trimming and the removal of files until it is released. */
  readonly hold: () => Promise<Held>
  /** Everything before this position is in the journal. */
  readonly durablePosition: () => number
  /** Copies a snapshot of the catalog, and returns the copy's manifest and position. */
  readonly copyCatalog: (
    path: string,
  ) => Promise<{ readonly manifest: Manifest; readonly acknowledgedPosition: number }>
  /** The files of a manifest. */
  readonly storedFiles: (manifest: Manifest) => readonly BackedUpFile[]
  /** Writes the idempotency keys of records before a position to files, and returns these files. */
  readonly keepKeys: (position: number) => Promise<readonly string[]>
  readonly readJournal: () => JournalCursor
  /** Creates a journal that begins at a position and orders entries by the order of the calls, whatever their sizes. */
  readonly newJournal: (directory: string, position: number) => Promise<LocalJournalWriter>
  /** The most bytes of the journal in memory at a time. */
  readonly journalReadBytes: number
  readonly reach: Reach
  readonly observe: Observe
  readonly nowMs: () => number
}

/** The beginning of a backup folder's name; the time follows. */
export const backupPrefix = 'tidemark-'

export class Backups {
  readonly #parts: BackupParts
  #running = false

  constructor(parts: BackupParts) {
    this.#parts = parts
  }

  /** Removes unfinished backups left by a crash. */
  async removeUnfinished(): Promise<void> {
    const { directory, observe } = this.#parts
    const names = (await namesIn(directory)).filter((name) => name.startsWith(this.#unfinishedPrefix))
    for (const name of names) await rm(join(directory, name), { recursive: true })
    if (names.length > 0) observe({ kind: 'orphansRemoved', names })
  }

  /**
   * Resolves when the backup is complete and on disk. Throws Problem `unavailable` while another backup is being made, and when the disk is full or fails; the
   * incomplete backup is then removed.
   */
  async make(): Promise<BackupAnswer> {
    if (this.#running) {
      throw new Problem('unavailable', 'Another backup is running. Retry when it is complete.', {
        retryAfterS: 10,
      })
    }
    this.#running = true
    try {
      return await this.#make()
    } catch (error) {
      throw this.#failure(error)
    } finally {
      this.#running = false
    }
  }

  /** Reports every failure to the log and to hooks, and converts disk errors to Problems for the caller. */
  #failure(error: unknown): unknown {
    this.#parts.observe({ kind: 'backupFailed', message: messageOf(error) })
    if (isOutOfSpace(error)) return diskIsFull(error)
    return isDiskFailure(error) ? diskHasFailed(error) : error
  }

  async #make(): Promise<BackupAnswer> {
    const { directory, disk, reach, observe, nowMs } = this.#parts
    const startedMs = performance.now()
    const made = new Date(nowMs()).toISOString()
    await disk.makeDirectory(directory)
    const stamp = made.replace(/[-:]/g, '')
    const unfinished = join(directory, `${this.#unfinishedPrefix}${stamp}`)
    await mkdir(unfinished, { mode: 0o700 })
    let folder = unfinished
    try {
      const files = await this.#fill(unfinished, made)
      reach('backup-manifest-written')
      const path = await freePath(join(directory, `${backupPrefix}${stamp}`))
      await disk.rename(unfinished, path)
      folder = path
      await disk.syncDirectory(directory)
      reach('backup-renamed')
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      observe({ kind: 'backupMade', path, files: files.length, bytes, ms: performance.now() - startedMs })
      return { path, bytes }
    } catch (error) {
      // A folder that a failing disk keeps is either unfinished, and removed at the next start, or a complete backup.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      throw error
    }
  }

  async #fill(target: string, made: string): Promise<readonly BackupFile[]> {
    const { disk, hold, durablePosition, copyCatalog, storedFiles, keepKeys, reach } = this.#parts
    const held = await hold()
    try {
      reach('backup-held')
      // Rows pushed before this point use definitions that are in the copy.
      const durable = durablePosition()
      const { manifest, acknowledgedPosition } = await copyCatalog(join(target, 'catalog.sqlite'))
      reach('backup-catalog-copied')
      const stored = storedFiles(manifest)
      for (const file of stored) await this.#copy(file, target)
      const kept = await keepKeys(manifest.sealedPosition)
      for (const path of kept) await this.#copy({ path, bytesMax: Number.POSITIVE_INFINITY }, target)
      reach('backup-files-copied')
      const { sealedPosition } = manifest
      // The copy may include outcomes of rows pushed since `durable` was read; without these rows, the journal would assign their positions again.
      const position = Math.max(durable, acknowledgedPosition, sealedPosition)
      await this.#copyJournal(join(target, 'journal'), sealedPosition, position)
      reach('backup-journal-copied')
      const journal = (await disk.list(join(target, 'journal'))).map((name) => `journal/${name}`)
      const files: BackupFile[] = []
      for (const path of ['catalog.sqlite', ...stored.map((file) => file.path), ...kept, ...journal]) {
        files.push({ path, ...(await measureFile(join(target, path))) })
      }
      await writeDurably(disk, join(target, contentsName), encodeContents({ made, sealedPosition, position, files }))
      for (const folder of new Set(files.map(({ path }) => dirname(path))))
        await disk.syncDirectory(join(target, folder))
      return files
    } finally {
      held.release()
    }
  }

  async #copy({ path, bytesMax }: BackedUpFile, target: string): Promise<void> {
    const { disk, dataDirectory } = this.#parts
    const [from, to] = [join(dataDirectory, path), join(target, path)]
    await disk.makeDirectory(dirname(to))
    if (bytesMax === null) await linkOrCopy(disk, from, to)
    else await copyDurably(disk, from, to, bytesMax)
  }

  /** Copies entry by entry, so that the copy ends with the last entry before `untilPosition`, whatever is written to the journal in the meantime. */
  async #copyJournal(directory: string, fromPosition: number, untilPosition: number): Promise<void> {
    const { readJournal, newJournal, journalReadBytes } = this.#parts
    const firstPosition = await this.#firstPosition(fromPosition, untilPosition)
    const journal = await newJournal(directory, firstPosition)
    const cursor = readJournal()
    try {
      for (let position = firstPosition; position < untilPosition; ) {
        const entries = await cursor.read(position, untilPosition, journalReadBytes)
        const positions = await Promise.all(entries.map((entry) => journal.append(entry)))
        if (entries.some((entry, index) => entry.position !== positions[index])) {
          throw new Error('the entries of the journal got other positions in the backup')
        }
        position = positionAfter(entries.at(-1)!)
      }
    } catch (error) {
      // A failed journal asks for a restart of the service. This one ends with the backup, so only the cause of its failure matters.
      throw error instanceof Problem && error.cause instanceof Error ? error.cause : error
    } finally {
      await journal.close().finally(() => cursor.close())
    }
    // Closing writes the end of the journal, so it can still fail.
    if (journal.hasFailed) throw Object.assign(new Error('EIO: the end of the journal in the backup'), { code: 'EIO' })
  }

  /** A seal may end inside an entry; the copy then contains that entry completely. */
  async #firstPosition(fromPosition: number, untilPosition: number): Promise<number> {
    const cursor = this.#parts.readJournal()
    try {
      const [first] = await cursor.read(fromPosition, untilPosition, 1)
      return Math.min(fromPosition, first?.position ?? fromPosition)
    } finally {
      await cursor.close()
    }
  }

  get #unfinishedPrefix(): string {
    return `.unfinished-${this.#parts.ownerName}-`
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Returns the path, with a number appended if such a folder exists. */
async function freePath(wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}-${number}`
    try {
      await stat(path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return path
      throw error
    }
  }
}

/** The backup's own journal reports a full disk as Problem `overloaded`. */
function isOutOfSpace(error: unknown): boolean {
  if (isDiskFull(error) || (error instanceof Problem && error.code === 'overloaded')) return true
  return error instanceof Error && error.cause !== undefined && isOutOfSpace(error.cause)
}

/** Whether the error has a code of the operating system, such as EIO. */
function isDiskFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code)
}

function diskIsFull(cause: unknown): Problem {
  return new Problem('unavailable', 'The disk of the backups is full. Free some space on it, then retry.', { cause })
}

function diskHasFailed(cause: unknown): Problem {
  const detail =
    'The backup could not be written and was removed: the log shows the reason. Check the disk of the backups, then retry.'
  return new Problem('unavailable', detail, { cause })
}
