import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../lib/message-of.ts'
import { resolveLinks } from '../lib/resolve-links.ts'
import { CommandError } from './command-error.ts'

/**
 * Writes a file that the user named, under a temporary name first: the file is replaced whole or not at all, even by two commands at once. It keeps its
 * permissions and owner, and a link stays a link. A FIFO or a device is written directly as the chunks come. The temporary file of a killed command is
 * deleted by a later one. Throws `CommandError` if the file cannot be written, and any error of the chunks.
 */
export async function writeAnswerFile(path: string, chunks: AsyncIterable<Uint8Array>, nowMs: number): Promise<void> {
  const older = await statOf(path)
  if (older !== null && !older.isFile()) {
    const handle = await withPath(path, open(path, 'w'))
    return writeTo(handle, path, chunks)
  }
  const target = await withPath(path, resolveLinks(path))
  await removeLeftParts(target, nowMs)
  const part = `${target}.${randomBytes(4).toString('hex')}.part`
  // Registered before the temporary file exists, because a signal may come at once.
  const keep = removeAtEnd(part)
  try {
    const handle = await withPath(path, open(part, 'wx'))
    if (older !== null) await copyPermissions(handle, older)
    await writeTo(handle, path, chunks)
    await withPath(path, rename(part, target))
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw error
  } finally {
    keep()
  }
}

/**
 * A temporary file older than this is abandoned: no response pauses as long, since the service ends a query, or a connection that reads nothing,
 * earlier. The file itself does not identify its writer.
 */
const leftMs = 60 * 60 * 1000

/** Deletes abandoned temporary files of this file: of commands that could not delete them because they were killed or the machine went down. */
async function removeLeftParts(target: string, nowMs: number): Promise<void> {
  const folder = dirname(target)
  const before = `${basename(target)}.`
  const isPart = (name: string): boolean =>
    name.startsWith(before) && /^[0-9a-f]{8}\.part$/.test(name.slice(before.length))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!isPart(name)) continue
    const part = join(folder, name)
    const written = await stat(part).catch(() => null)
    if (written?.isFile() && nowMs - written.mtimeMs > leftMs) await rm(part, { force: true }).catch(() => undefined)
  }
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Deletes the temporary file before a signal such as Ctrl-C ends the command. The returned function cancels this. */
function removeAtEnd(part: string): () => void {
  const end = (signal: NodeJS.Signals): void => {
    rmSync(part, { force: true })
    calledOff()
    process.kill(process.pid, signal)
  }
  const calledOff = (): void => {
    for (const signal of endSignals) process.off(signal, end)
  }
  for (const signal of endSignals) process.on(signal, end)
  return calledOff
}

interface Rights {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

async function statOf(path: string): Promise<(Rights & { isFile(): boolean }) | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw cannotBeWritten(path, error)
  })
}

/** Sets the owner first, since a change of owner clears some permissions. Only root may give files away; for other users the new file is their own. */
async function copyPermissions(handle: FileHandle, { mode, uid, gid }: Rights): Promise<void> {
  await handle.chown(uid, gid).catch(() => undefined)
  await handle.chmod(mode & 0o7777).catch(() => undefined)
}

async function writeTo(handle: FileHandle, path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) await withPath(path, handle.writeFile(chunk))
  } finally {
    await withPath(path, handle.close())
  }
}

async function withPath<T>(path: string, done: Promise<T>): Promise<T> {
  return done.catch((error: unknown) => {
    throw cannotBeWritten(path, error)
  })
}

function cannotBeWritten(path: string, cause: unknown): CommandError {
  return new CommandError(`${path} cannot be written: ${messageOf(cause)}`, { cause })
}
