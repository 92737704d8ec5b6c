import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Disk } from '../lib/disk.ts'
import { copyDurably, writeDurably } from '../lib/durable-files.ts'
import { resolveLinks } from '../lib/resolve-links.ts'
import { codeOf } from '../lib/system-error.ts'
import type { Reach } from '../observe/crash-point.ts'
import { type BackupContents, encodeContents, readContents } from './backup-contents.ts'

/** A file in a restored folder with the contents of its backup. Before the end of the restore, it marks an unfinished restore. */
const originName = 'restored.json'

export interface RestoreRequest {
  readonly backup: string
  /** The data folder to create; it must be empty or not exist. */
  readonly data: string
}

export interface RestoreParts {
  readonly disk: Disk
  readonly reach: Reach
}

/**
 * Creates a data folder from a backup, completely or not at all: files are checked while they are copied, under another name. Throws an Error that names the
 * place when the backup is damaged or the folder is not empty.
 */
export async function restoreBackup({ backup, data }: RestoreRequest, parts: RestoreParts): Promise<BackupContents> {
  const { disk, reach } = parts
  const contents = await readContents(backup)
  const target = await resolveLinks(data)
  await requireEmpty(target)
  const unfinished = join(dirname(target), `${basename(target)}.restoring`)
  await removeUnfinished(unfinished)
  await disk.makeDirectory(dirname(target))
  await mkdir(unfinished, { mode: 0o700 })
  try {
    await fill(unfinished, backup, contents, parts)
    await rmdir(target).catch(ignoreMissing)
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  await disk.syncDirectory(dirname(target))
  reach('restore-renamed')
  return contents
}

async function fill(
  unfinished: string,
  backup: string,
  contents: BackupContents,
  { disk, reach }: RestoreParts,
): Promise<void> {
  await writeDurably(disk, join(unfinished, originName), encodeContents(contents))
  reach('restore-begun')
  const folders = new Set([unfinished])
  for (const file of contents.files) {
    const [from, to] = [join(backup, file.path), join(unfinished, file.path)]
    await disk.makeDirectory(dirname(to))
    folders.add(dirname(to))
    const copied = await copyDurably(disk, from, to).catch((error: unknown) => {
      throw isMissing(error, from) ? missing(from) : error
    })
    if (copied.bytes !== file.bytes || copied.checksum !== file.checksum) throw damaged(from)
    reach('restore-file-copied')
  }
  for (const folder of folders) await disk.syncDirectory(folder)
  reach('restore-files-copied')
}

async function requireEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch(ignoreMissing)
  if (names === undefined || names.length === 0) return
  throw new Error(`"${target}" is not empty. Restore into a folder that is empty or does not exist yet.`)
}

/** Removes what an interrupted restore left, recognized by its file; other folders are kept. */
async function removeUnfinished(unfinished: string): Promise<void> {
  const names = await readdir(unfinished).catch(ignoreMissing)
  if (names === undefined) return
  if (names.length > 0) {
    await stat(join(unfinished, originName)).catch((cause: unknown) => {
      throw new Error(`"${unfinished}" is in the way, and was not created by a restore. Move it away.`, { cause })
    })
  }
  await rm(unfinished, { recursive: true })
}

function damaged(path: string): Error {
  return new Error(
    `${path} is damaged: it has changed since the backup. Take another backup, or another copy of this one.`,
  )
}

function missing(path: string): Error {
  return new Error(`${path} is missing: the backup is incomplete. Take another backup, or another copy of this one.`)
}

function isMissing(error: unknown, path: string): boolean {
  return codeOf(error) === 'ENOENT' && error instanceof Error && 'path' in error && error.path === path
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  throw error
}
