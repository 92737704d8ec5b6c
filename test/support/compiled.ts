// Threads and processes under test run the compiled build. A test of an outdated build would check code that no longer exists.
import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

const build = 'Run "npm run build:tested" first: this test runs what is built.'

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

let isFresh = false

/** Throws an Error where a source is newer than the build. */
export function requireCompiled(): void {
  if (isFresh) return
  const builtMs = changedMs('build/files-built')
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    if (changedMs(`src/${name}`) > builtMs) throw new Error(`src/${name} was changed since it was built. ${build}`)
  }
  isFresh = true
}

/**
 * The path of a suite's program, such as `crash/serve-twice`; most of them have a planted bug. Throws an Error where it is older than the service or
 * than its own source.
 */
export function testProgram(name: string): string {
  requireCompiled()
  const source = `test/${name.replace('/', '/planted/')}.mjs`
  if (Math.max(changedMs('build/files-built'), changedMs(source)) > changedMs('build/planted-built'))
    throw new Error(`${source} is not built as it is now. ${build}`)
  return resolve(`build/tested/planted/${name}.mjs`)
}
