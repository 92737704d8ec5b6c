import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { messageOf } from '../lib/message-of.ts'
import { pathBehind } from '../lib/path-behind.ts'
import { CommandError } from './command-error.ts'

/**
 * Writes a file that a user named. Under a name of its own first: chunks that break off leave neither a part of themselves nor an older file destroyed,
 * and of two commands that write one file each has its own part, so that the file is that of one of them, whole.
 * An older file keeps its rights and its owner, and a link stays a link. What is no plain file, as a FIFO or a device, is written as the chunks
 * come: nothing could be renamed onto it. Throws `CommandError` where it cannot be written, and what the chunks throw.
 */
export async function writeAnswerFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const older = await statOf(path)
  if (older !== null && !older.isFile()) {
    const handle = await told(path, open(path, 'w'))
    return writeTo(handle, path, chunks)
  }
  const target = await told(path, pathBehind(path))
  const part = `${target}.${randomBytes(4).toString('hex')}.part`
  const handle = await told(path, open(part, 'wx'))
  try {
    if (older !== null) await makeAlike(handle, older)
    await writeTo(handle, path, chunks)
    await told(path, rename(part, target))
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw error
  }
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

/** The owner first: a change of owner takes some rights away. Only root may give files away; who may not writes a file of his own. */
async function makeAlike(handle: FileHandle, { mode, uid, gid }: Rights): Promise<void> {
  await handle.chown(uid, gid).catch(() => undefined)
  await handle.chmod(mode & 0o7777).catch(() => undefined)
}

async function writeTo(handle: FileHandle, path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) await told(path, handle.writeFile(chunk))
  } finally {
    await told(path, handle.close())
  }
}

async function told<T>(path: string, done: Promise<T>): Promise<T> {
  return done.catch((error: unknown) => {
    throw cannotBeWritten(path, error)
  })
}

function cannotBeWritten(path: string, cause: unknown): CommandError {
  return new CommandError(`${path} cannot be written: ${messageOf(cause)}`, { cause })
}
