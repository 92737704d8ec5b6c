// Node 22 and later keep what V8 made of the code between two starts. It is kept in the data folder, which belongs to the service alone:
// in the folder for temporary files, where Node keeps it by itself, others could put code there that the service would run.
import { existsSync, lstatSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import * as module from 'node:module'
import { basename, dirname, join } from 'node:path'

/** What later releases of Node have in `node:module`. */
export interface CompileCaching {
  enable(directory: string): unknown
  /** The folder that is really used, one a version of Node; nothing where none is. */
  directory(): string | undefined
}

/** Null where Node has none. */
export function nodeCompileCaching(from: object = module): CompileCaching | null {
  const enable: unknown = Reflect.get(from, 'enableCompileCache')
  const directory: unknown = Reflect.get(from, 'getCompileCacheDir')
  if (typeof enable !== 'function' || typeof directory !== 'function') return null
  return { enable: (path) => enable(path), directory: () => directory() }
}

/**
 * Keeps compiled code of modules that are loaded from now on, and of threads and processes that are started from now on. Nothing is kept where the data
 * folder is not made yet, where the environment says another place, and where a link leads elsewhere. What cannot be kept is compiled again.
 */
export async function keepCompiledCode(
  dataDirectory: string,
  environment: NodeJS.ProcessEnv,
  caching: CompileCaching | null = nodeCompileCaching(),
): Promise<void> {
  if (caching === null || environment['NODE_COMPILE_CACHE'] !== undefined || !existsSync(dataDirectory)) return
  const kept = join(dataDirectory, 'compiled')
  if (lstatSync(kept, { throwIfNoEntry: false })?.isSymbolicLink() === true) return
  caching.enable(kept)
  const used = caching.directory()
  if (used === undefined || dirname(used) !== kept) return
  environment['NODE_COMPILE_CACHE'] = kept
  try {
    await chmod(kept, 0o700)
    // Node makes more of them later: one for each set of V8's flags that a thread is started with.
    for (const name of await readdir(kept)) {
      if (versionOf(name) === versionOf(basename(used))) await chmod(join(kept, name), 0o700)
      else await rm(join(kept, name), { recursive: true, force: true })
    }
  } catch {
    // They are looked at again at the next start.
  }
}

/** `v24.21.0` of `v24.21.0-x64-cfae07ec-0`. */
const versionOf = (name: string): string => name.split('-')[0]!
