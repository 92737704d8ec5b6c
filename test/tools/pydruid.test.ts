// Real clients of Druid with a service: pydruid, SQLAlchemy and pandas, in a Python virtual environment that this test creates.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { python } from './python.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('pydruid_client.py', import.meta.url))
const functions = [...readFileSync(script, 'utf8').matchAll(/^def (\w*_\w+)\(\):/gm)].map((match) => match[1]!)

let service: RunningService
let interpreter: string
let readerKey: string

beforeAll(async () => {
  interpreter = await python()
  service = await runService({ 'access.consumption': 'key' })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'secret' })
  const hours = Array.from({ length: 48 }, (_, hour) => hour)
  const rows = hours.flatMap((hour) =>
    ['a', 'b'].map((T, index) => ({ D: Date.UTC(2026, 0, 1, hour), T, V: hour + index * 100 })),
  )
  const pushed = { key: plantKey, text: JSON.stringify(rows) }
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', pushed)
  readerKey = await makeReader(service.url, adminKey, ['plant'])
})

afterAll(() => service?.close())

test.each(functions.filter((name) => name !== 'is_'))('%s', async (name) => {
  const { hostname, port } = new URL(service.url)
  await expect(run(interpreter, [script, name, hostname, port, readerKey])).resolves.toMatchObject({ stdout: '' })
})
