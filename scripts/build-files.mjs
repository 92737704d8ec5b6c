// Builds the files of dist: the service, its client with types, and the portal. Does nothing if no source has changed since the last build.
// node scripts/build-files.mjs [--planted]; --planted also builds the programs with planted bugs that tests start
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

// Folders count too: a folder's own time changes when a file in it is deleted.
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

// The stamp is written at the end, so an interrupted build restarts. Its time is that of the start, so that changes during the build are newer.
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
