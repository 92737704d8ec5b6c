import { open, readdir, rename, rm, rmdir, stat, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { segmentName } from '../journal/file/segment-header.ts'
import type { Disk } from '../lib/disk.ts'
import { resolveLinks } from '../lib/resolve-links.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import type { Reach } from '../observe/crash-point.ts'
import { type ChosenMoment, chooseMoment } from './choose-moment.ts'
import { eachPart } from './read-parts.ts'
import { type Mark, type ReplicatedFile, sha256Of } from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'
import { markedUrl, readReplicaMark, replicaMarkName, writeReplicaMark } from './replica-mark.ts'

export interface ReplicaRestoreRequest {
  /** The data folder to be made: empty, or not existing yet. */
  readonly data: string
  /** Null for the newest state. */
  readonly atMs: number | null
}

export interface ReplicaRestoreParts {
  readonly store: ObjectStore
  /** The address of the replica. */
  readonly url: string
  readonly attempt: StoreAttempt
  readonly disk: Disk
  readonly reach: Reach
  /** Called with the bytes restored so far, and their total. */
  readonly progress: (done: number, total: number) => void
}

export interface RestoredReplica {
  readonly chosen: ChosenMoment
  readonly files: number
  readonly bytes: number
}

/**
 * Makes a data folder from a replica: whole or not at all. Files of an earlier attempt are verified and kept. Throws an Error when the folder is
 * not empty, and one that names the object when the replica is damaged; when no file had been restored by then, nothing is left behind.
 */
export async function restoreReplica(
  { data, atMs }: ReplicaRestoreRequest,
  parts: ReplicaRestoreParts,
): Promise<RestoredReplica> {
  const { disk, reach } = parts
  const target = await resolveLinks(data)
  const unfinished = join(dirname(target), `${basename(target)}.restoring`)
  await requireEmpty(target)
  await requireOwn(unfinished)
  await disk.makeDirectory(unfinished)
  const restored = await fillFolder(unfinished, atMs, parts).catch(async (error: unknown) => {
    await removeIfNothingRestored(unfinished)
    throw error
  })
  await rmdir(target).catch(ignoreMissing)
  await rename(unfinished, target)
  await disk.syncDirectory(dirname(target))
  reach('replica-restore-renamed')
  return restored
}

async function fillFolder(
  unfinished: string,
  atMs: number | null,
  parts: ReplicaRestoreParts,
): Promise<RestoredReplica> {
  const { disk, reach } = parts
  const markPath = join(unfinished, replicaMarkName)
  if ((await readReplicaMark(markPath).catch(() => null)) === null)
    await writeReplicaMark(disk, markPath, { copy: '', token: '', next: null, url: null })
  reach('replica-restore-begun')
  const chosen = await restoreJournal(join(unfinished, 'journal'), atMs, parts)
  reach('replica-restore-journal-written')
  const bytes = await restoreFiles(unfinished, chosen.moment.files, parts)
  const { copy, token } = chosen.last
  await writeReplicaMark(disk, markPath, { copy, token, next: null, url: markedUrl(parts.url) })
  await removeOthers(unfinished, chosen.moment.files)
  return { chosen, files: chosen.moment.files.length, bytes }
}

/** The journal is restored from the beginning each time; the next attempt continues with the files. */
async function removeIfNothingRestored(unfinished: string): Promise<void> {
  const names = await readdir(unfinished).catch(ignoreMissing)
  const isRestored = names?.some((name) => name !== 'journal' && !name.startsWith(replicaMarkName)) ?? true
  if (!isRestored) await rm(unfinished, { recursive: true, force: true })
}

async function restoreJournal(
  directory: string,
  atMs: number | null,
  { store, attempt, disk }: ReplicaRestoreParts,
): Promise<ChosenMoment> {
  const begin = async (): Promise<void> => {
    await rm(directory, { recursive: true, force: true })
    await disk.makeDirectory(directory)
  }
  const take = async (segment: number, offset: number, bytes: Uint8Array): Promise<void> => {
    const file = await disk.open(join(directory, segmentName(segment)), { create: offset === 0 })
    await file.write([bytes], offset).finally(() => file.close())
  }
  const chosen = await chooseMoment({ store, attempt, journal: { begin, take } }, atMs)
  await cutJournal(directory, chosen.cut, disk)
  return chosen
}

async function cutJournal(directory: string, [, , segment, offset]: Mark, disk: Disk): Promise<void> {
  const last = segmentName(segment)
  for (const name of await disk.list(directory)) {
    const path = join(directory, name)
    if (name > last) await rm(path)
    else if (name === last) await truncate(path, offset)
  }
  for (const name of await disk.list(directory)) {
    const file = await disk.open(join(directory, name), { create: false })
    await file.sync().finally(() => file.close())
  }
  await disk.syncDirectory(directory)
}

async function restoreFiles(
  folder: string,
  files: readonly ReplicatedFile[],
  parts: ReplicaRestoreParts,
): Promise<number> {
  const { disk, reach, progress } = parts
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const file of files) {
    const path = join(folder, file.path)
    await disk.makeDirectory(dirname(path))
    await restoreFile(path, file, parts, (bytes) => {
      done += bytes
      progress(done, total)
    })
    reach('replica-restore-file-written')
  }
  for (const directory of new Set(files.map(({ path }) => dirname(join(folder, path)))))
    await disk.syncDirectory(directory)
  return total
}

/** Pieces that exist already and are whole are not written again. */
async function restoreFile(
  path: string,
  file: ReplicatedFile,
  parts: ReplicaRestoreParts,
  progress: (bytes: number) => void,
): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  const written = await parts.disk.open(path, { create: !isThere })
  const reading = await open(path, 'r')
  try {
    const write = async (bytes: Uint8Array, offset: number): Promise<void> => {
      await written.write([bytes], offset)
      progress(bytes.length)
    }
    await eachPart(parts, file, write, async ([, bytes, sha256], offset) => {
      if (!isThere) return false
      const buffer = Buffer.allocUnsafe(bytes)
      const { bytesRead } = await reading.read(buffer, 0, bytes, offset)
      const isWhole = bytesRead === bytes && (await sha256Of(buffer)) === sha256
      if (isWhole) progress(bytes)
      return isWhole
    })
    await written.truncate(file.bytes)
    await written.sync()
  } finally {
    await reading.close()
    await written.close()
  }
}

/** An earlier attempt may have restored files that this moment does not have. */
async function removeOthers(folder: string, files: readonly ReplicatedFile[]): Promise<void> {
  const named = new Set([replicaMarkName, ...files.map(({ path }) => path)])
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (entry.isFile() && !named.has(name) && !name.startsWith('journal/')) await rm(path)
  }
}

async function requireEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch(ignoreMissing)
  if (names === undefined || names.length === 0) return
  throw new Error(`"${target}" is not empty. Restore into a folder that is empty or does not exist yet.`)
}

/** A folder with the mark of a replica is that of an earlier restore; any other one is refused. */
async function requireOwn(unfinished: string): Promise<void> {
  const names = (await readdir(unfinished).catch(ignoreMissing)) ?? []
  if (names.length === 0 || names.some((name) => name.startsWith(replicaMarkName))) return
  throw new Error(`"${unfinished}" is in the way, and was not created by a restore from a replica. Move it away.`)
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
