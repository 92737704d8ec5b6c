// Starts `<command> serve` in an empty folder, creates an ingest, pushes rows, queries them, restarts the server, and queries them again.
// node scripts/smoke.mjs [--cwd <folder>] -- <command...>
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

const adminKey = 'smoke-admin-key-0123456789'
const separator = process.argv.indexOf('--', 2)
const cwdFlag = process.argv.indexOf('--cwd', 2)
const cwd = cwdFlag > 0 && cwdFlag < separator ? process.argv[cwdFlag + 1] : process.cwd()
const [command, ...commandArguments] = process.argv.slice(separator + 1)
mkdirSync(cwd, { recursive: true })

/** Resolves with the running server and its url when the server has printed its ready line. */
function start() {
  const server = spawn(command, [...commandArguments, 'serve', '--port', '0'], {
    cwd,
    env: { ...process.env, TIDEMARK_ADMIN_KEY: adminKey },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  return new Promise((resolve, reject) => {
    let output = ''
    server.stdout.on('data', (chunk) => {
      output += chunk
      const line = output.split('\n').find((text) => text.includes('"url"'))
      if (line !== undefined) resolve({ server, url: JSON.parse(line).url })
    })
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
  })
}

/** Ends the whole process group: a launcher such as npx may run between this script and the server. */
function stop(server) {
  return new Promise((resolve) => {
    server.removeAllListeners('exit')
    server.once('close', resolve)
    process.kill(-server.pid, 'SIGTERM')
  })
}

async function call(url, method, path, key, body) {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

function expectEqual(actual, expected) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
  }
}

const rows = [1, 2, 3].map((V) => ({ D: `2026-01-01T00:0${V}:00.000Z`, T: 'a', V }))
const first = await start()
try {
  await call(first.url, 'POST', '/admin/ingests', adminKey, { alias: 'smoke', kind: 'series' })
  await call(first.url, 'POST', '/admin/subscribers', adminKey, { name: 'smoke' })
  const { key } = await call(first.url, 'POST', '/admin/subscribers/smoke/keys', adminKey, { rights: ['ingest'] })
  await call(first.url, 'PUT', '/admin/subscribers/smoke/subscriptions', adminKey, [{ ingest: 'smoke' }])
  const receipt = await call(first.url, 'POST', '/ingests/smoke/data?wait=true', key, rows)
  expectEqual([receipt.stored, receipt.rejected], [3, 0])
  expectEqual(await call(first.url, 'POST', '/consumer/data/select', adminKey, { entity: 'smoke' }), rows)
} finally {
  await stop(first.server)
}
const second = await start()
try {
  expectEqual(await call(second.url, 'POST', '/consumer/data/select', adminKey, { entity: 'smoke' }), rows)
} finally {
  await stop(second.server)
}
console.log(`pushed and read back ${rows.length} rows with: ${[command, ...commandArguments].join(' ')}`)
