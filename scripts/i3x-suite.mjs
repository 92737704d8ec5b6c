// `I3X_SUITE=/path npm run test:i3x` runs the i3X conformance suite, from a checkout of https://github.com/cesmii/i3X (its folder conformance-tests),
// against a service that it starts with the engine in the environment. It runs three times: with a key as Bearer, as the password of Basic, and without one.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const suite = process.env.I3X_SUITE
if (suite === undefined) {
  process.stdout.write(
    'The conformance suite of i3X was not run: I3X_SUITE names the folder conformance-tests of a checkout of cesmii/i3X.\n',
  )
  process.exit(0)
}

const { runSuite } = createRequire(import.meta.url)(join(suite, 'lib', 'engine.js'))
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const wanted = 'Full 1.0 Compliance'
const adminKey = 'conformance-admin-key-0123456789'

/** These test that a server reports an optional feature as missing; Tidemark has all of them. */
const ofOmitted = ['UPD-05', 'SUB-12']

const pollMs = 20

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'machine', type: 'string', role: 'tag' },
  { name: 'shift', type: 'string', role: 'dimension' },
  { name: 'speed', type: 'double', role: 'metric' },
  { name: 'pieces', type: 'long', role: 'metric' },
  { name: 'running', type: 'boolean', role: 'metric' },
]
const ingests = [
  { alias: 'plant', kind: 'series' },
  { alias: 'machines', kind: 'series', fields },
  {
    alias: 'equipment',
    kind: 'metadata',
    fields: [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'parent', type: 'string', role: 'attribute' },
      { name: 'name', type: 'string', role: 'attribute' },
    ],
  },
]
const equipment = [
  { id: 'site', parent: null, name: 'Site' },
  { id: 'line', parent: 'site', name: 'Line' },
  { id: 'press', parent: 'line', name: 'Press' },
]

async function call(url, method, path, key, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

async function makeKey(url) {
  for (const ingest of ingests) await call(url, 'POST', '/admin/ingests', adminKey, ingest)
  await call(url, 'POST', '/admin/subscribers', adminKey, { name: 'factory' })
  const subscriptions = ingests.flatMap(({ alias }) => [{ ingest: alias }, { entity: alias }])
  await call(url, 'PUT', '/admin/subscribers/factory/subscriptions', adminKey, subscriptions)
  const { key } = await call(url, 'POST', '/admin/subscribers/factory/keys', adminKey, {
    rights: ['consume', 'ingest'],
  })
  return key
}

async function pushRows(url, key) {
  const time = new Date().toISOString()
  const tags = ['boiler.temp', 'boiler.flow', 'pump']
  await call(
    url,
    'POST',
    '/ingests/plant/data?wait=true',
    key,
    tags.map((T, V) => ({ D: time, T, V })),
  )
  const row = { time, machine: 'press', shift: 'early', speed: 1.5, pieces: 7, running: true }
  await call(url, 'POST', '/ingests/machines/data?wait=true', key, [row])
}

/** Whether the verdict is the wanted one, without unexpected skips. */
async function isGood(endpoint, auth) {
  const { summary, results } = await runSuite({ endpoint, auth })
  for (const { id, status, message } of results) {
    if (status === 'fail' || status === 'skip') process.stdout.write(`  ${status} ${id}: ${message}\n`)
  }
  const { pass, fail, warn, skip, total } = summary.counts
  process.stdout.write(
    `  ${summary.verdict}: ${pass} of ${total} passed, ${fail} failed, ${warn} warned, ${skip} skipped\n`,
  )
  const left = results.filter(({ id, status }) => status === 'skip' && !ofOmitted.includes(id))
  return summary.verdict === wanted && left.length === 0
}

/**
 * The suite sends requests with `fetch`, and skips its acknowledgements when a sync returns nothing. A sync without an acknowledgement is
 * therefore repeated until it returns new rows.
 */
function withNewsAtSyncs(pushNew) {
  const { fetch } = globalThis
  globalThis.fetch = async (url, asked) => {
    const waits = String(url).endsWith('/subscriptions/sync') && !asked.body.includes('lastSequenceNumber')
    if (waits) await pushNew()
    let answer = await fetch(url, asked)
    // Ended by the suite's own request timeout.
    while (waits && (await answer.clone().json()).result?.length === 0) {
      await sleep(pollMs)
      answer = await fetch(url, asked)
    }
    return answer
  }
  return () => {
    globalThis.fetch = fetch
  }
}

/** A separate service, on a port chosen by the system. */
async function withService(consumption, work) {
  const data = await mkdtemp(join(tmpdir(), 'tidemark-i3x-'))
  // The first rows of an entity take a while on a cluster.
  const patience = ['--limits-ingest-wait-ms', '60000']
  const clusterName = { TIDEMARK_CLUSTER_NAME: `i3x_${randomUUID().slice(0, 8)}` }
  const flags = ['--port', '0', '--data', data, '--i3x-hierarchy', 'equipment,parent,name', ...patience]
  const service = spawn(
    process.execPath,
    [main, 'serve', ...flags, '--access-consumption', consumption, '--log-format', 'json'],
    {
      env: {
        ...process.env,
        TIDEMARK_ADMIN_KEY: adminKey,
        ...(process.env.TIDEMARK_ENGINE === 'cluster' ? clusterName : {}),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  try {
    const url = await new Promise((resolve, reject) => {
      let log = ''
      service.stderr.setEncoding('utf8').on('data', (text) => {
        log += text
        const found = /https?:\/\/127\.0\.0\.1:[1-9]\d*/.exec(log)
        if (found !== null) resolve(found[0])
      })
      service.once('exit', () => reject(new Error(`the service ended: ${log}`)))
    })
    const key = await makeKey(url)
    await call(url, 'POST', '/ingests/equipment/data?wait=true', key, equipment)
    await pushRows(url, key)
    const restore = withNewsAtSyncs(() => pushRows(url, key))
    try {
      return await work(`${url}/i3x/v1`, key)
    } finally {
      restore()
    }
  } finally {
    service.kill()
    if (service.exitCode === null) await once(service, 'exit')
    await rm(data, { recursive: true, force: true })
  }
}

const good = []
await withService('key', async (endpoint, key) => {
  process.stdout.write('With a key as Bearer:\n')
  good.push(await isGood(endpoint, { type: 'bearer', token: key }))
  process.stdout.write('With a key as the password of Basic:\n')
  good.push(await isGood(endpoint, { type: 'basic', username: 'anyone', password: key }))
})
await withService('public', async (endpoint, key) => {
  process.stdout.write('Where reading is public, with a key that may push:\n')
  good.push(await isGood(endpoint, { type: 'header', name: 'X-API-Key', value: key }))
})
process.exit(good.every(Boolean) ? 0 : 1)
