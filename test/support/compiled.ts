// Threads and processes under test run what is compiled: a test of an old build would tell of a program that is not there any more.
import { readdirSync, statSync } from 'node:fs'

const build = 'Run "npm run build" first: this test runs what is compiled.'

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

let isFresh = false

/** Throws an Error where a source was changed since it was compiled. */
export function requireCompiled(): void {
  if (isFresh) return
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    if (changedMs(`src/${name}`) > changedMs(`dist/${name.slice(0, -3)}.js`))
      throw new Error(`src/${name} was changed since it was compiled. ${build}`)
  }
  isFresh = true
}
