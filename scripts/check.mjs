// All that reads the code without running it, side by side: types, lint and format, and what nobody uses. `npm run check`.
// What a check says comes in one piece, when it has ended.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)
const checks = [
  // What was found of files that did not change since is kept in build.
  'tsc --noEmit --incremental --tsBuildInfoFile build/types/all.tsbuildinfo',
  'knip',
  // What only tests use.
  'knip --production --include exports',
  'biome check --error-on-warnings .',
  'tsc --noEmit -p portal',
  'tsc --noEmit -p test/e2e',
]

function run(check) {
  const [command, ...words] = check.split(' ')
  const child = spawn(join(root, 'node_modules/.bin', command), words, {
    cwd: root,
    shell: process.platform === 'win32',
  })
  const said = []
  child.stdout.on('data', (bytes) => said.push(bytes))
  child.stderr.on('data', (bytes) => said.push(bytes))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code !== 0) process.stdout.write(`${check}:\n`)
      process.stdout.write(Buffer.concat(said))
      resolve(code === 0)
    })
  })
}

const passed = await Promise.all(checks.map(run))
process.exitCode = passed.every(Boolean) ? 0 : 1
