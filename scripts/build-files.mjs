// Makes the files of dist: the compiled service, the types of its client, the portal. It does nothing where no source was changed since.
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
  'tsconfig.build.json',
  'tsconfig.client.json',
]
// Written when all is done, so a build that was stopped begins anew.
const stamp = 'build/files-built'

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

const isBuilt =
  existsSync(stamp) &&
  existsSync('dist/main.js') &&
  existsSync('dist/portal/index.html') &&
  Math.max(...sources.map(newestMs)) < changedMs(stamp)

if (!isBuilt) {
  const started = new Date()
  await Promise.all([
    run('tsc --noCheck -p tsconfig.build.json')
      .then(() => run('tsc --noCheck -p tsconfig.client.json'))
      .then(() => run('node scripts/client-types.mjs')),
    run('vite build --config portal/vite.config.ts --logLevel warn'),
  ])
  mkdirSync('build', { recursive: true })
  writeFileSync(stamp, '')
  // What was changed meanwhile is newer.
  utimesSync(stamp, started, started)
}
