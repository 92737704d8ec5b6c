import { afterEach, expect, test } from 'vitest'
import { fileOf } from '../../../test/support/file-of.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import type { EntityField } from '../../model/entity.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import type { SealedFile } from '../../store/embedded/reading/sealed-source.ts'
import { EntityRegistry } from '../../store/embedded/registry/entity-registry.ts'
import { type PlanAsk, receivedAsk } from '../../store-thread/plan-answers.ts'
import { sentPlan } from '../../store-thread/plan-text.ts'
import { askThread, QueryThreads } from './query-threads.ts'

/**
 * In the place of a thread: answers what is to be JSON, dies of what is to be lines, and of all else it is cancelled only. It reads removed files
 * until an entity is dropped.
 */
const script = `
  import { parentPort } from 'node:worker_threads'
  const send = (message) => parentPort.postMessage([message])
  const answer = { rows: 0, bytes: 5, body: { kind: 'short', bytes: 'there' } }
  const removed = []
  const take = (message) => {
    const { kind, id } = message
    if (kind === 'close') process.exit()
    if (kind === 'cancel') send({ kind: 'failed', id, error: { code: null, message: 'cancelled' } })
    if (kind === 'dropped') for (const info of removed.splice(0)) send({ kind: 'gone', info })
    if (kind === 'changed') {
      for (const { remove } of message.entities) removed.push(...remove)
      send({ kind: 'ready' })
    }
    if (kind === 'run' && message.format === 'json') send({ kind: 'answer', id, answer })
    if (kind === 'run' && message.format === 'ndjson') throw new Error('it is over')
  }
  parentPort.on('message', (messages) => messages.forEach(take))`

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const entityId = 7

/** Rows of one tag, which are in memory from 10 ms on. */
function ask(format: AnswerFormat, toMs = 5): PlanAsk {
  const selection = {
    entityId,
    sinceMs: null,
    time,
    tags: [tag],
    ids: ['a'],
    prefixes: null,
    metrics: [],
    fields: [],
  } as const
  const plan = sentPlan({ kind: 'select', selection, range: { fromMs: 0, toMs } })
  const limits = { resultRows: 1, buckets: 1, resultBytes: 1 }
  return { kind: 'run', id: 4711, plan, format, limits, room: { memoryBytes: 1, fileBytes: 1 } }
}

let close = async (): Promise<void> => undefined
afterEach(() => close())

function start(threads = 1) {
  const events: ServiceEvent[] = []
  const files = [fileOf('old', entityId)]
  const queryThreads = new QueryThreads({
    threads,
    threadUrl: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    data: { storeDirectory: '', spoolDirectory: '', cacheBytes: 0, timeZones: null },
    store: {
      ...{ entityIds: [entityId], files: () => files, registry: () => new EntityRegistry(entityId) },
      areSealed: (_, ranges) => ranges.every(({ toMs }) => toMs < 10),
      watch: () => undefined,
    },
    writtenRegistry: () => null,
    observe: (event) => events.push(event),
    restartDelayMs: 1,
  })
  close = () => queryThreads.close()
  const choose = (asked = ask('json'), here = 1) => queryThreads.choose(receivedAsk(asked), here)
  return { queryThreads, events, choose, ready: () => until(() => choose()) }
}

async function until<T>(make: () => T | null): Promise<T> {
  for (let made = make(); ; made = make()) {
    if (made !== null) return made
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const signal = new Cancellation()

test('a large question beside others starts a thread, and the next one is answered there', async () => {
  const { choose, ready } = start()
  expect(choose()).toBeNull()
  const reply = await askThread(await ready(), ask('json'), signal)
  expect(reply).toMatchObject({ kind: 'answer', id: 4711, answer: { body: { bytes: 'there' } } })
})

test('without threads, and of dates of which rows are in memory, the store answers', async () => {
  expect(start(0).choose()).toBeNull()
  const { choose, ready } = start()
  await ready()
  expect(choose(ask('json', 10))).toBeNull()
})

test('the one with the fewest questions answers, the store among them', async () => {
  const { choose, ready } = start(2)
  const first = await ready()
  const cancellation = new Cancellation()
  const one = askThread(first, ask('csv'), cancellation)
  expect(choose(ask('json'), 0)).toBeNull()
  expect(choose(ask('json'), 1)).toBe(first)
  const other = askThread(first, ask('csv'), cancellation)
  expect(choose(ask('json'), 1)).toBeNull()
  const second = await until(() => choose(ask('json'), 1))
  expect(second).not.toBe(first)
  cancellation.cancel()
  expect(await other).toMatchObject({ kind: 'failed' })
  expect(await one).toMatchObject({ kind: 'failed', error: { message: 'cancelled' } })
})

test('what a thread does not live to answer is left to the store, and it is started again', async () => {
  const { events, ready } = start()
  expect(await askThread(await ready(), ask('ndjson'), signal)).toBeNull()
  expect(await askThread(await ready(), ask('json'), signal)).toMatchObject({ kind: 'answer' })
  expect(events).toMatchObject([{ kind: 'queryThreadDied', message: 'it is over', restartInMs: 1 }])
})

test('a removed file is not let go before its thread has, or has died', async () => {
  const { queryThreads, ready } = start()
  const thread = await ready()
  const gone: string[] = []
  const remove = (file: SealedFile): Promise<void> => {
    queryThreads.switched(entityId, [], [file])
    return queryThreads.letGo(file).then(() => void gone.push(file.info.name))
  }
  await queryThreads.letGo(fileOf('never read', entityId))
  const old = remove(fileOf('old', entityId))
  await askThread(thread, ask('json'), signal)
  expect(gone).toEqual([])
  queryThreads.dropped(entityId, [])
  await old
  const older = remove(fileOf('older', entityId))
  await askThread(thread, ask('ndjson'), signal)
  await older
  expect(gone).toEqual(['old', 'older'])
})

test('memory of answers goes back to the thread that lent it, the rest to the store', async () => {
  const { queryThreads } = start()
  const memory = [new ArrayBuffer(8)]
  expect(queryThreads.giveBack(memory)).toEqual(memory)
})
