// The Python package: built, checked, installed in a virtual environment that this test creates, and used with a service.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuideCommand, isAsShown, readGuide } from '../docs/guide.ts'
import { follow } from '../docs/shell.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { freePort } from '../support/free-port.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'
import { python } from './python.ts'
import { troubledProxy } from './troubled-proxy.ts'

const run = promisify(execFile)
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const script = pathOf('tidemark_client.py')
const package_ = pathOf('../../clients/python')
const packages = [
  ...['pyarrow>=15', 'pandas>=2', 'polars>=1', 'tzdata'],
  ...['build', 'hatchling>=1.27', 'twine', 'mypy', 'nbclient', 'ipykernel'],
]
/** Functions that run with a proxy in front of the service. */
const troubled = ['write_through_troubles', 'progress_in_a_notebook']
const functions = [...readFileSync(script, 'utf8').matchAll(/^def (\w*_\w+|queries|refusals)\(\):/gm)]
  .map((match) => match[1]!)
  .filter((name) => !['troubles_stored', 'raised_by', ...troubled].includes(name))

let service: RunningService
let interpreter: string
let key: string
let dist: string

/** The error of each function; null for those that succeeded. */
async function raisedBy(names: readonly string[], url: string): Promise<Readonly<Record<string, string | null>>> {
  return JSON.parse((await run(interpreter, [script, names.join(','), url, key])).stdout)
}

/** Creates a subscriber that may push to `written` and read everything, and returns its key. */
async function makePusher(): Promise<string> {
  const body = [{ ingest: 'written' }, { entity: '*' }]
  await callOk(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name: 'notebook' } })
  await callOk(service.url, 'PUT', '/admin/subscribers/notebook/subscriptions', { key: adminKey, body })
  const keyRequest = { key: adminKey, body: { rights: ['ingest', 'consume'] } }
  return (await callOk<{ key: string }>(service.url, 'POST', '/admin/subscribers/notebook/keys', keyRequest)).key
}

async function push(alias: string, pusher: string, rows: readonly object[]): Promise<void> {
  await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pusher, body: rows })
}

async function fill(): Promise<void> {
  const minutes = Array.from({ length: 120 }, (_, minute) => minute)
  const rows = minutes.flatMap((minute) =>
    ['a', 'b'].map((T, index) => ({ D: Date.UTC(2026, 0, 1, 0, minute), T, V: minute + index * 100 })),
  )
  await push('plant', await makeIngest(service.url, adminKey, { alias: 'plant' }), [
    ...rows,
    { D: '2026-01-01T00:01', T: 'sparse', V: 7.5 },
  ])
  await push('twice', await makeIngest(service.url, adminKey, { alias: 'twice' }), [
    { D: '2026-01-01', T: 'a', V: 1 },
    { D: '2026-01-01', T: 'a', V: 2 },
  ])
  await callOk(service.url, 'PATCH', '/admin/entities/twice', { key: adminKey, body: { time_zone: 'Asia/Tokyo' } })
  const fields = [
    { name: 'time', type: 'timestamp', role: 'time' },
    { name: 'site', type: 'string', role: 'tag' },
    { name: 'sensor', type: 'string', role: 'tag' },
    { name: 'value', type: 'double', role: 'metric' },
    { name: 'count', type: 'long', role: 'metric' },
  ]
  const pusher = await makeIngest(service.url, adminKey, { alias: 'wells', fields })
  const text =
    '[{"time":"2026-01-01T08:00","site":"north","sensor":"flow","value":10,"count":9007199254740993},' +
    '{"time":"2026-01-01T09:00","site":"south","sensor":"flow","value":20,"count":2}]'
  await callOk(service.url, 'POST', '/ingests/wells/data?wait=true', { key: pusher, text })
  const written = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'n', type: 'long', role: 'metric' },
  ]
  await makeIngest(service.url, adminKey, { alias: 'written', fields: written })
}

beforeAll(async () => {
  interpreter = await python('tidemark', packages)
  dist = await mkdtemp(join(tmpdir(), 'tidemark-wheel-'))
  await run(interpreter, ['-m', 'build', '--no-isolation', '--outdir', dist, package_])
  const wheel = readdirSync(dist).find((name) => name.endsWith('.whl'))!
  await run(interpreter, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--force-reinstall', join(dist, wheel)])
  service = await runService({ 'access.consumption': 'key' })
  await fill()
  key = await makePusher()
})

afterAll(async () => {
  await service?.close()
  await rm(dist, { recursive: true, force: true })
})

describe('against a service', () => {
  let raised: Readonly<Record<string, string | null>>
  beforeAll(async () => {
    raised = await raisedBy(functions, service.url)
  })
  test.each(functions)('%s', (name) => expect(raised[name]).toBe(null))
})

test.each(troubled)('through a troubled proxy: %s', async (name) => {
  const proxy = await troubledProxy(service.url)
  try {
    expect(await raisedBy([name], proxy.url)).toEqual({ [name]: null })
    expect(proxy.seen.slice(0, 2)).toEqual(['503', '200 lost'])
  } finally {
    await proxy.close()
  }
})

test('each row of a push counts once despite failures', async () => {
  expect(await raisedBy(['troubles_stored'], service.url)).toEqual({ troubles_stored: null })
})

test('twine accepts the wheel and the source package, and mypy the types', async () => {
  const made = readdirSync(dist).map((name) => join(dist, name))
  expect(made).toHaveLength(2)
  await run(interpreter, ['-m', 'twine', 'check', '--strict', ...made])
  const { stdout } = await run(interpreter, ['-m', 'zipfile', '--list', made.find((path) => path.endsWith('.whl'))!])
  expect(stdout).toContain('tidemark/py.typed')
  const types = [
    '-m',
    'mypy',
    '--cache-dir',
    join(dirname(interpreter), '../mypy'),
    '--config-file',
    join(package_, 'pyproject.toml'),
  ]
  await run(interpreter, [...types, join(package_, 'src')])
})

test('each command of its README outputs what the README shows', { timeout: 600_000 }, () =>
  inScratchFolder('tidemark-python-readme-', async (folder) => {
    process.env['PATH'] = `${dirname(interpreter)}:${process.env['PATH']}`
    const demo: GuideCommand = { line: 0, text: 'tidemark demo --data ./data/demo', answer: null, exitCode: 0 }
    const steps = [demo, ...readGuide(readFileSync(join(package_, 'README.md'), 'utf8')).steps]
    const commands = steps.filter((step) => 'text' in step)
    const outcomes = await follow({ folder, port: await freePort(), steps })
    const wrong = commands
      .map(({ text, answer }, index) => ({ text, answer, came: outcomes[index] }))
      .filter(({ answer, came }) => came?.exitCode !== 0 || (answer !== null && !isAsShown(answer, came.output)))
    expect(wrong).toEqual([])
  }),
)

test('the npm package does not contain the Python client', () => {
  const { files }: { files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(files.filter((name) => name.startsWith('clients'))).toEqual([])
  expect(existsSync('clients/python/pyproject.toml')).toBe(true)
})
