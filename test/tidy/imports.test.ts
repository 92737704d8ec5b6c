// Checks imports against the rules in `import-table.ts`.
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { mayImport, vendors } from './import-table.ts'
import { codeOf, isWithin, portal, production, root, textOf } from './source-files.ts'

interface Import {
  readonly from: string
  /** One of our files, or the name of a package. */
  readonly to: string
}

const importExpression = /^(?:import|export)\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(file: string): Import[] {
  const text = textOf(file)
  return [...text.matchAll(importExpression)].map((match) => {
    const to = match[1] ?? match[2] ?? match[3] ?? ''
    return { from: file, to: to.startsWith('.') ? relative(root, join(root, dirname(file), to)) : packageName(to) }
  })
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

const isOurs = (to: string): boolean => to.startsWith('src/') || to.startsWith('portal/src/')

function isOwnFolder(from: string, to: string, folder: string): boolean {
  return folder.endsWith('/') && to.startsWith(folder) && from.startsWith(folder)
}

test('every folder imports only what the table allows', () => {
  const strays = production.flatMap(importsOf).filter(({ from, to }) => {
    if (!isOurs(to)) return false
    const rule = mayImport.find(([folder]) => isWithin(from, [folder]))
    if (rule === undefined) return true
    const [folder, allowed] = rule
    return !isOwnFolder(from, to, folder) && !isWithin(to, allowed)
  })
  expect(strays).toEqual([])
})

test('the client imports only types of the service, not its code', () => {
  const text = textOf('src/client/answers.ts')
  expect(text.match(/^import (?!type ).*|^export (?!type |interface ).*/gm)).toBe(null)
})

test('code of the service that the portal imports runs in a browser', () => {
  // This file first checks where it runs.
  const runsInBoth = 'src/client/early-close.ts'
  const seen = new Set(portal.filter((file) => !file.endsWith('.test.ts')))
  for (const file of seen) {
    const text = textOf(file)
    const running = text.replace(/^import type [\s\S]*?from '[^']*'/gm, '')
    for (const [, to] of running.matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+\.tsx?)'/gm)) {
      seen.add(relative(root, join(root, dirname(file), to!)))
    }
  }
  expect(seen).toContain(runsInBoth)
  seen.delete(runsInBoth)
  const strays = [...seen].filter((file) => /\bBuffer\b|\bsetImmediate\b|(?<!\{)\bprocess\.|'node:/.test(codeOf(file)))
  expect(strays).toEqual([])
})

test('a package is imported only by its adapter', () => {
  const strays = production
    .flatMap(importsOf)
    .filter(({ from, to }) => !isOurs(to) && to !== 'node' && !isWithin(from, vendors[to] ?? []))
  expect(strays).toEqual([])
})

test('imports have no cycle', () => {
  const edges = new Map(production.map((file) => [file, importsOf(file).map(({ to }) => to)]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file) || path.includes(file)) return
    for (const next of edges.get(file) ?? []) if (edges.has(next)) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of production) visit(file, [])
  expect(cycles).toEqual([])
})
