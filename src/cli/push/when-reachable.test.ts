import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { connectionErrorOf, serviceErrorOf } from '../../client/service-error.ts'
import { whenReachable } from './when-reachable.ts'

const url = 'http://127.0.0.1:8080'
const failing = (code: string) =>
  connectionErrorOf(url, new Error('x', { cause: Object.assign(new Error('x'), { code }) }))
const refused = failing('ECONNREFUSED')
const unknownHost = failing('ENOTFOUND')
const untrusted = failing('CERT_HAS_EXPIRED')
const broken = failing('ECONNRESET')
const starting = serviceErrorOf(503, '{"code":"unavailable","detail":"It starts.","retryable":true}', null)
const forbidden = serviceErrorOf(403, '{"code":"forbidden","detail":"No.","retryable":false}', null)
const start = 'Does the service run, and is this its address? Start it with "tidemark serve", or give its address'
const again = 'Trying again for up to 10 s (--retry-seconds); Ctrl-C ends it.'

/** The request fails with each of these errors in turn and then returns 7; with `forever`, it keeps failing with the last one. */
async function asked(
  failures: readonly Error[],
  forever: boolean,
  { retryMs = 10_000, silent = false }: { retryMs?: number; silent?: boolean } = {},
) {
  const [left, sleeps]: [Error[], number[]] = [[...failures], []]
  let [now, err] = [0, '']
  const write = (text: string | Uint8Array): boolean => {
    err += text
    return true
  }
  const output = { write, once: () => {} }
  const context = {
    ...{ environment: {}, stdin: Readable.from([]), stdout: output, stderr: output, mainPath: '', exitWith: () => {} },
    nowMs: () => now,
    sleep: async (ms: number) => {
      sleeps.push(ms)
      now += ms
    },
  }
  const ask = async (signal: AbortSignal) => {
    if (silent)
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(connectionErrorOf(url, signal.reason)))
      })
    const failure = forever && left.length === 1 ? left[0] : left.shift()
    if (failure !== undefined) throw failure
    return 7
  }
  const result = await whenReachable(context, retryMs, ask).catch((error: unknown) => error)
  return { result, sleeps, lines: err.split('\n').slice(0, -1) }
}

test('a reachable service is requested once, and nothing is printed', async () => {
  expect(await asked([], false)).toEqual({ result: 7, sleeps: [], lines: [] })
})

test('waits for a service that is starting, and prints each failure once', async () => {
  const { result, sleeps, lines } = await asked([refused, refused, broken, starting, starting], false)
  expect([result, sleeps]).toEqual([7, [250, 500, 1000, 2000, 4000]])
  expect(lines).toEqual([
    expect.stringContaining(`(ECONNREFUSED). ${start}`),
    expect.stringContaining('broke before its answer arrived'),
    `tidemark: It starts. ${again}`,
    'tidemark: The service answers now.',
  ])
  expect(lines[0]).toContain(again)
})

test('waits for a service that never starts for as long as requested', async () => {
  const { result, sleeps, lines } = await asked([refused], true)
  expect([result, sleeps.reduce((sum, ms) => sum + ms, 0), lines.length]).toEqual([refused, 7750, 1])
})

test.each([
  ['an unknown host', unknownHost],
  ['an untrusted certificate', untrusted],
  ['a refusal by the service', forbidden],
])('fails at once on %s', async (_, failure) => {
  expect(await asked([failure], true)).toEqual({ result: failure, sleeps: [], lines: [] })
})

test('reports an address that accepts the request and never answers', async () => {
  const { result } = await asked([], false, { retryMs: 20, silent: true })
  expect(result).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('no answer within 0.02 s') })
})
