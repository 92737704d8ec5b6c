// All checks that read the code without running it, in parallel: types, lint and format, unused code. `npm run check`.
// The output of a check is printed in one piece when the check ends.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)
const checks = [
  // Results for unchanged files are kept in build.
  'tsc --noEmit --incremental --tsBuildInfoFile build/types/all.tsbuildinfo',
  'knip',
  // Exports used only by tests.
  'knip --production --include exports',
  'biome check --error-on-warnings .',
  'tsc --noEmit --incremental --tsBuildInfoFile build/types/portal.tsbuildinfo -p portal',
  'tsc --noEmit --incremental --tsBuildInfoFile build/types/e2e.tsbuildinfo -p test/e2e',
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
