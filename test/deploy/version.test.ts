import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageVersion } from '../../src/lib/own-package.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test.each([
  ['package-lock.json', `"version": "${packageVersion}",\n  "lockfileVersion"`],
  ['README.md', `./tidemark-${packageVersion}.tgz`],
  ['deploy/kubernetes/kustomization.yaml', `newTag: ${packageVersion} `],
  ['test/openapi.json', `"version": "${packageVersion}"`],
])('%s names the version of the package', (path, words) => {
  expect(read(path)).toContain(words)
})
