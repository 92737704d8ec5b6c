// Type-checks the guides' programs, as an editor with the package's types does.
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { SavedFile } from './guide.ts'

const compilerOptions = {
  ...{ target: 'ES2023', module: 'NodeNext', strict: true, allowJs: true, checkJs: true, noEmit: true },
  ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
}

/** The compiler's errors in the programs; empty if there are none. The folder must be empty. */
export async function typeFaults(folder: string, programs: readonly SavedFile[]): Promise<string> {
  await mkdir(join(folder, 'node_modules'))
  await symlink(resolve('.'), join(folder, 'node_modules/tidemark'))
  for (const { name, content } of programs) await writeFile(join(folder, name), content)
  const files = programs.map(({ name }) => name)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  try {
    await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', folder])
    return ''
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'stdout' in error && error.stdout) return String(error.stdout)
    throw error
  }
}
