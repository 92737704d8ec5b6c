// The package as a program installs it: its types and its code work without other packages.
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../support/scratch-folder.ts'

const compilerOptions = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Check the types of the package too.
  skipLibCheck: false,
}

/** Packs the package and unpacks it where a program in the folder finds it. */
async function unpackInto(folder: string): Promise<void> {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  const home = join(folder, 'node_modules/tidemark')
  await mkdir(home, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, tarball!), '-C', home, '--strip-components', '1'])
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
}

const compile = (folder: string, project: string): string => {
  try {
    return execFileSync(resolve('node_modules/.bin/tsc'), ['-p', join(folder, project)], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch (error) {
    return String((error as { stdout: string }).stdout)
  }
}

test('a program is checked against its types and runs with its code', { timeout: 120_000 }, () =>
  inScratchFolder('tidemark-packed-', async (folder) => {
    await unpackInto(folder)
    await copyFile('test/client/program.ts', join(folder, 'program.ts'))
    const node = { ...compilerOptions, types: ['node'], typeRoots: [resolve('node_modules/@types')] }
    await writeFile(join(folder, 'node.json'), JSON.stringify({ compilerOptions: node, files: ['program.ts'] }))
    expect(compile(folder, 'node.json')).toBe('')
    // In a browser the types of Node.js are missing.
    await writeFile(
      join(folder, 'page.ts'),
      "import { Tidemark } from 'tidemark/client'\nexport const tidemark = new Tidemark({ url: location.origin })\n",
    )
    const page = {
      ...compilerOptions,
      module: 'ESNext',
      moduleResolution: 'bundler',
      types: [],
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    }
    await writeFile(join(folder, 'page.json'), JSON.stringify({ compilerOptions: page, files: ['page.ts'] }))
    expect(compile(folder, 'page.json')).toBe('')
    const printed = execFileSync(process.execPath, [join(folder, 'program.js')], { encoding: 'utf8' })
    // One row was written, and no service was running to accept it.
    expect(printed).toBe('false\n2\n')
  }),
)
