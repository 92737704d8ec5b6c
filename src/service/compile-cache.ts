// Node 22 and later cache code compiled by V8 between starts. The cache is in the data folder, which belongs to the service alone: in the folder for
// temporary files, Node's default, other users could place code that the service would run.
import { existsSync, lstatSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import * as module from 'node:module'
import { basename, dirname, join } from 'node:path'

/** Functions that later releases of Node have in `node:module`. */
export interface CompileCaching {
  enable(directory: string): unknown
  /** The folder that is used, one for each version of Node; undefined if there is none. */
  directory(): string | undefined
}

/** Null where Node has no compile cache. */
export function nodeCompileCaching(from: object = module): CompileCaching | null {
  const enable: unknown = Reflect.get(from, 'enableCompileCache')
  const directory: unknown = Reflect.get(from, 'getCompileCacheDir')
  if (typeof enable !== 'function' || typeof directory !== 'function') return null
  return { enable: (path) => enable(path), directory: () => directory() }
}

/**
 * Caches the compiled code of modules that are loaded, and of threads and processes that are started, from now on. Nothing is cached when the data folder
 * does not exist yet, when the environment names another place, or when the folder of the cache is a link. Code that cannot be cached is compiled again.
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
    // Node creates more of them later: one for each set of V8 flags with which a thread is started.
    for (const name of await readdir(kept)) {
      if (versionOf(name) === versionOf(basename(used))) await chmod(join(kept, name), 0o700)
      else await rm(join(kept, name), { recursive: true, force: true })
    }
  } catch {
    // They are checked again at the next start.
  }
}

/** `v24.21.0` of `v24.21.0-x64-cfae07ec-0`. */
const versionOf = (name: string): string => name.split('-')[0]!
