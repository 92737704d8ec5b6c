// Makes the files of dist: the service, its client with its types, the portal. It does nothing where no source was changed since.
// node scripts/build-files.mjs [--planted], which makes the programs with planted bugs that tests start too
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))
const sources = [
  'src',
  'portal',
  'scripts',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.client.json',
  'vite.config.ts',
]
const changedMs = (path) => statSync(path).mtimeMs

// A folder counts too: its own time changes with a file that is gone.
const newestMs = (path) => {
  const inside = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : []
  return Math.max(changedMs(path), ...inside.map((name) => changedMs(join(path, name))))
}

function run(command) {
  const [program, ...words] = command.split(' ')
  const child = spawn(program, words, { stdio: 'inherit', shell: process.platform === 'win32' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`"${command}" failed`))))
  })
}

// The stamp is written when all is done, so a build that was stopped begins anew. What was changed meanwhile is newer.
async function once(stamp, from, made, make) {
  const started = new Date()
  const isMade = [stamp, ...made].every((path) => existsSync(path))
  if (isMade && Math.max(...from.map(newestMs)) < changedMs(stamp)) return
  await make()
  mkdirSync('build', { recursive: true })
  writeFileSync(stamp, '')
  utimesSync(stamp, started, started)
}

const bundle = (mode) => run(`vite build --mode ${mode} --logLevel warn`)

await once('build/files-built', sources, ['dist/main.js', 'dist/portal/index.html'], async () => {
  await bundle('service')
  await Promise.all([
    bundle('client'),
    run('tsc --noCheck -p tsconfig.client.json').then(() => run('node scripts/client-types.mjs')),
    run('vite build --config portal/vite.config.ts --logLevel warn'),
  ])
})
if (process.argv.includes('--planted')) {
  const planted = ['test/crash/planted', 'test/tools/planted', 'test/cluster/planted']
  await once('build/planted-built', ['build/files-built', ...planted], ['build/tested'], () => bundle('planted'))
}
