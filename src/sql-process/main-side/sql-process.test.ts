// Queries when the engine's process cannot be started, closes its channel or exits. Small programs replace the process.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { SqlRequest } from '../../druid-sql/sql-language.ts'
import { Problem } from '../../model/problem.ts'
import type { SqlProcessData } from '../protocol.ts'
import { SqlProcess } from './sql-process.ts'

const data: SqlProcessData = {
  engine: { directories: [], temporaryDirectory: '', temporaryBytes: 0, memoryBytes: 0, textBytes: 0, threads: 1 },
  spoolDirectory: '',
  residentBytes: 0,
  timeZones: null,
}
const never = new AbortController().signal
const deaths: string[] = []
let opened: SqlProcess | null = null
let launches = 0
let idleMs = 60_000
afterEach(async () => {
  await opened?.close()
  deaths.length = 0
  launches = 0
  idleMs = 60_000
})

/** `launch` receives the number of earlier launches. */
function open(launch: (before: number) => ChildProcess): SqlProcess {
  opened = new SqlProcess({
    launch: () => launch(launches++),
    entryUrl: new URL('file:///entry.js'),
    poolThreads: 1,
    dataBytes: 0,
    data,
    apart: data,
    restartDelayMs: 5,
    idleMs,
    cancelMs: 50,
    unsent: new UnsentAnswers({ answerMemoryBytes: 1000, memoryBytes: 1000, fileBytes: 0 }),
    started: () => undefined,
    refused: () => undefined,
    died: (message) => deaths.push(message),
  })
  return opened
}

/** A program that reports ready and runs `onRun` with the text of each query. */
function program(onRun: string): ChildProcess {
  const script = `
    const answer = (id) => process.send({ kind: 'answer', id, answer: { rows: 1, bytes: 0, body: { kind: 'memory', chunks: [] } } })
    const fail = (id, isOutOfMemory) => process.send({ kind: 'failed', id, failure: { code: 'result_too_large', message: 'memory', isOverflow: false, isOutOfMemory, damagedPath: null, engineWords: null } })
    process.on('message', (message) => {
      if (message.kind === 'start') process.send({ kind: 'ready' })
      else if (message.kind === 'run') ((id, text) => { ${onRun} })(message.id, message.query.text)
    })
    process.on('disconnect', () => process.exit(0))`
  return spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
}

const requestOf = (text: string): SqlRequest => ({
  query: { text, types: [], tables: [] },
  fields: [],
  format: 'json',
  limits: { resultRows: 1, resultBytes: 1 },
})
const ask = (engine: SqlProcess, text = 'good', signal = never): Promise<number> =>
  engine.run(requestOf(text), signal).then(({ rows }) => rows)

test.each([
  ['a missing program', () => spawn('/nowhere/node', [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })],
  ['a launch that throws', () => spawn(process.execPath, ['\0'], { stdio: 'pipe' })],
  [
    'a program that exits immediately',
    () => spawn(process.execPath, ['-e', ''], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
  ],
])('%s: queries fail as unavailable, the launch is retried, and the service continues', async (_name, broken) => {
  const engine = open((before) => (before < 2 ? broken() : program('answer(id)')))
  await expect(ask(engine)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
  expect(engine.state).toBe('starting')
  while (engine.state !== 'ready') await sleep(5)
  expect(await ask(engine)).toBe(1)
  expect(deaths).toHaveLength(2)
})

test('a query sent to a process whose channel is closing is run again', async () => {
  const engine = open((before) =>
    program(
      before === 0
        ? "if (text === 'close') { process.disconnect(); setTimeout(() => process.exit(1), 100) }"
        : 'answer(id)',
    ),
  )
  expect(await Promise.all([ask(engine, 'close'), sleep(20).then(() => ask(engine))])).toEqual([1, 1])
})

test('a query that ends the process each time is refused, and the other queries are answered', async () => {
  const onRun = "if (text === 'bomb') process.exit(3); else setTimeout(answer, 100, id)"
  const engine = open(() => program(onRun))
  const asked = [ask(engine, 'first'), ask(engine, 'second'), ask(engine, 'bomb'), sleep(60).then(() => ask(engine))]
  const [first, second, bomb, later] = await Promise.allSettled(asked)
  expect([first, second, later]).toEqual(Array(3).fill({ status: 'fulfilled', value: 1 }))
  expect(bomb).toMatchObject({ status: 'rejected', reason: { code: 'result_too_large' } })
  expect(deaths).toHaveLength(1)
})

test('a process that reports too much memory is ended, and the query that used it is refused', async () => {
  const onRun =
    "if (text === 'bomb') process.send({ kind: 'spent', residentBytes: 1 }); else setTimeout(answer, 100, id)"
  const engine = open(() => program(onRun))
  const [good, bomb] = await Promise.allSettled([ask(engine), ask(engine, 'bomb')])
  expect(good).toMatchObject({ value: 1 })
  expect(bomb).toMatchObject({ reason: { code: 'result_too_large' } })
  expect(deaths).toEqual([expect.stringContaining('more memory')])
})

test('a query without memory next to others is run again alone; one that already ran alone fails immediately', async () => {
  const onRun = "if (text === 'long') setTimeout(answer, 100, id); else fail(id, true)"
  const engine = open((before) => program(before === 0 ? onRun : 'answer(id)'))
  expect(await Promise.all([ask(engine, 'long'), ask(engine)])).toEqual([1, 1])
  expect(launches).toBe(2)
  await expect(ask(engine)).rejects.toBeInstanceOf(Problem)
  expect(launches).toBe(2)
})

test('a query that ignores its cancel has its process killed, and the other queries are answered', async () => {
  const engine = open(() => program("if (text !== 'deaf') setTimeout(answer, 200, id)"))
  const controller = new AbortController()
  const deaf = ask(engine, 'deaf', controller.signal)
  const good = ask(engine)
  // The process is running by then.
  await sleep(200).then(() => controller.abort(new Error('gone')))
  await expect(deaf).rejects.toThrow('gone')
  expect(await good).toBe(1)
})

test('closing does not wait for running queries', async () => {
  const engine = open(() => program(''))
  const asked = ask(engine).catch((error: unknown) => error)
  await sleep(150)
  await engine.close()
  expect(await asked).toBeInstanceOf(Problem)
})

test('an idle process ends, which is not reported as a death, and the next query starts it again', async () => {
  idleMs = 20
  const engine = open(() => program('answer(id)'))
  for (const launched of [1, 2, 3]) {
    expect(await Promise.all([ask(engine), ask(engine)])).toEqual([1, 1])
    expect(launches).toBe(launched)
    await expect.poll(() => engine.state, { timeout: 20_000 }).toBe('idle')
  }
  expect(deaths).toEqual([])
})

test('a query that takes longer than idleMs is answered', async () => {
  idleMs = 1
  const engine = open(() => program('setTimeout(() => answer(id), 200)'))
  expect(await ask(engine)).toBe(1)
  expect(launches).toBe(1)
})
