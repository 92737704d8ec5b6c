// Documents and comments name only things that exist.
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filesUnder, root, sources, textOf } from './source-files.ts'

test('documents name only files that exist', () => {
  const documents = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesUnder('docs', '.md')]
  const missing = documents.flatMap((document) => {
    const text = textOf(document)
    const paths = [...text.matchAll(/`((?:src|test|docs|bench|scripts|portal)\/[\w./-]*)`/g)].map((match) => match[1]!)
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) =>
      join(dirname(document), match[1]!),
    )
    return [...paths, ...links].filter((path) => !existsSync(join(root, path))).map((path) => `${document}: ${path}`)
  })
  expect(missing).toEqual([])
})

test('each decision has 300 to 900 words, and there are at most 15', () => {
  const pages = filesUnder('docs/decisions', '.md').map((page) => ({
    page,
    words: textOf(page).match(/\S*\w\S*/g)!.length,
  }))
  expect(pages.filter(({ words }) => words < 300 || words > 900)).toEqual([])
  expect(pages.length).toBeLessThanOrEqual(15)
})

test('documents in the npm package link only to files in the package', () => {
  const doors = ['README.md', 'docs/README.md']
  const { files }: { files: readonly string[] } = JSON.parse(textOf('package.json'))
  expect(files).toContain('!docs/decisions')
  const packaged = [...readdirSync(root).filter((name) => files.includes(name)), ...filesUnder('docs', '.md')]
  const outside = packaged
    .filter(
      (document) => document.endsWith('.md') && !document.startsWith('docs/decisions/') && !doors.includes(document),
    )
    .flatMap((document) =>
      [...textOf(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map((match) => join(dirname(document), match[1]!))
        .filter((path) => /^(docs\/decisions|CONTRIBUTING\.md|(src|test|bench|scripts|portal)\/)/.test(path))
        .map((path) => `${document}: ${path}`),
    )
  expect(outside).toEqual([])
})

test('comments name only files that exist', () => {
  const all = [
    ...sources,
    ...filesUnder('test', ''),
    ...filesUnder('docs', '.md'),
    ...filesUnder('bench', '.ts'),
    ...filesUnder('scripts', '.mjs'),
  ]
  const names = new Set(all.map((file) => basename(file)))
  const isThere = (path: string): boolean => existsSync(join(root, path)) || names.has(basename(path))
  const missing = all
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .flatMap((file) => {
      const text = textOf(file)
      const comments = text.match(/(?<=^|\s)\/\/ .*$|\/\*\*?[\s\S]*?\*\//gm) ?? []
      const named = comments.join(' ').match(/[\w./-]+\.(?:ts|mjs|md)\b/g) ?? []
      return named.filter((path) => !isThere(path)).map((path) => `${file}: ${path}`)
    })
  expect(missing).toEqual([])
})

test('imports of compiled files name only existing sources', () => {
  const programs = [...filesUnder('test', ''), ...filesUnder('bench', '.ts'), ...filesUnder('scripts', '.mjs')]
  const missing = programs
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .flatMap((file) => {
      const paths = [...textOf(file).matchAll(/dist\/([\w/-]+)\.js\b/g)].map((match) => `src/${match[1]}.ts`)
      return paths.filter((path) => !existsSync(join(root, path))).map((path) => `${file}: ${path}`)
    })
  expect(missing).toEqual([])
})
