import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepCompiledCode, nodeCompileCaching } from './compile-cache.ts'

let data = ''
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tidemark-compiled-'))
})
afterEach(() => rmSync(data, { recursive: true }))

/** As in Node.js, each version has its own folder. */
function cachingOf(version: string) {
  const enabled: string[] = []
  const used = (path: string): string => join(path, version)
  const enable = (path: string): void => {
    mkdirSync(used(path), { recursive: true, mode: 0o755 })
    enabled.push(path)
  }
  return { enabled, enable, directory: () => (enabled[0] === undefined ? undefined : used(enabled[0])) }
}

test('compiled code is cached in the data folder, for its owner only; other versions of Node are removed', async () => {
  const kept = join(data, 'compiled')
  await keepCompiledCode(data, {}, cachingOf('v22.9.0-x64-1-0'))
  mkdirSync(join(kept, 'v24.2.1-x64-2-0'), { mode: 0o755 })
  const environment: NodeJS.ProcessEnv = {}
  await keepCompiledCode(data, environment, cachingOf('v24.2.1-x64-1-0'))
  const folders = readdirSync(kept).toSorted()
  expect(folders).toEqual(['v24.2.1-x64-1-0', 'v24.2.1-x64-2-0'])
  expect(['', ...folders].map((name) => statSync(join(kept, name)).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
  // Threads and processes started later use this folder.
  expect(environment).toEqual({ NODE_COMPILE_CACHE: kept })
})

test('nothing is cached without a data folder, with another NODE_COMPILE_CACHE, or if Node has no cache', async () => {
  const caching = cachingOf('v24')
  await keepCompiledCode(join(data, 'new'), {}, caching)
  await keepCompiledCode(data, { NODE_COMPILE_CACHE: '/elsewhere' }, caching)
  await keepCompiledCode(data, {}, null)
  expect([caching.enabled, readdirSync(data)]).toEqual([[], []])
  expect(nodeCompileCaching({})).toBeNull()
})

test('nothing is cached behind a symbolic link, where others could put code', async () => {
  const caching = cachingOf('v24')
  symlinkSync(tmpdir(), join(data, 'compiled'))
  await keepCompiledCode(data, {}, caching)
  expect(caching.enabled).toEqual([])
})
