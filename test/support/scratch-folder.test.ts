import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from './scratch-folder.ts'

test.each([
  ['done', () => Promise.resolve('done')],
  ['failed', () => Promise.reject(new Error('planted'))],
])('the folder of work that is %s is gone', async (_name, end) => {
  let folder = ''
  const working = inScratchFolder('tidemark-scratch-', async (directory) => {
    folder = directory
    await writeFile(join(directory, 'file'), 'x')
    return end()
  })
  await working.catch(() => undefined)
  expect(folder).toContain('tidemark-scratch-')
  expect(existsSync(folder)).toBe(false)
})
