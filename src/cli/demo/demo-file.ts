import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateFolder } from '../../lib/private-files.ts'
import { CommandError } from '../command-error.ts'

/** The state that a demo needs at its next start. */
export interface DemoFile {
  readonly adminKey: string
  /** The subscriber's key; null until the service has created it. */
  readonly key: string | null
  readonly seed: number
  /** The date of the first row of the history. */
  readonly historyStartMs: number
}

const fileName = 'demo.json'
/** Does not follow a symbolic link planted by somebody else. */
const flagsOfOwn = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
const historyMs = 7 * 86_400_000
const minuteMs = 60_000
/** The same for every new demo, so that readers get the same results as the guides show. */
const newSeed = 1

function isDemoFile(value: unknown): value is DemoFile {
  if (typeof value !== 'object' || value === null) return false
  const { adminKey, key, seed, historyStartMs } = value as Partial<Record<keyof DemoFile, unknown>>
  const keyFits = key === null || typeof key === 'string'
  return typeof adminKey === 'string' && keyFits && typeof seed === 'number' && typeof historyStartMs === 'number'
}

/** Saves the file so that only its owner can read it, because it contains keys. */
export async function saveDemoFile(folder: string, file: DemoFile): Promise<void> {
  const handle = await open(join(folder, fileName), flagsOfOwn, 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The demo in a folder; a new one if there is none. Throws `CommandError` if its file was not written by a demo. */
export async function openDemoFile(folder: string, nowMs: number): Promise<DemoFile> {
  makePrivateFolder(folder)
  const path = join(folder, fileName)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new CommandError(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (text === null) {
    const historyStartMs = Math.floor(nowMs / minuteMs) * minuteMs - historyMs
    const made = {
      adminKey: `demo-admin-${randomBytes(24).toString('base64url')}`,
      key: null,
      seed: newSeed,
      historyStartMs,
    }
    await saveDemoFile(folder, made)
    return made
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (isDemoFile(parsed)) return parsed
  } catch {
    // Invalid JSON is handled like any other invalid text.
  }
  throw new CommandError(`${path} was not written by a demo. Give another folder with --data, or delete this one.`)
}
