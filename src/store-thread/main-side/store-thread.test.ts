import { expect, test } from 'vitest'
import { loadSettings } from '../../config/load.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import { StoreThread } from './store-thread.ts'

/** A substitute for the store: its number of files shows whether they are held, and it dies when it must purge. */
const script = `
  import { parentPort, workerData } from 'node:worker_threads'
  let isHeld = workerData.isHeld
  const state = () => ({ sealedPosition: 0, files: isHeld ? 1 : 0, rows: 0, bytes: 0 })
  const take = ({ kind, id }) => {
    if (kind === 'close') return parentPort.close()
    if (kind === 'purge') process.exit(1)
    if (kind !== 'hold' && kind !== 'release') return
    isHeld = kind === 'hold'
    parentPort.postMessage([{ kind: 'state', state: state() }, { kind: 'held', id }])
  }
  parentPort.on('message', (messages) => messages.forEach(take))
  parentPort.postMessage([{ kind: 'begun', state: state(), counts: [] }, { kind: 'ready' }])`

const { store: settings, spool } = loadSettings({ flags: {}, environment: {}, file: null })
const folder = {
  journalDirectory: '',
  catalogPath: '',
  spoolDirectory: '',
  deltasDirectory: '',
  storeDirectory: '',
  validationNotePath: '',
  isSmall: false,
  timeZones: null,
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const scriptUrl = new URL(`data:text/javascript,${encodeURIComponent(script)}`)

async function startThread(urls: readonly URL[] = [], diesValidating = false) {
  const left = [...urls]
  const events: ServiceEvent[] = []
  const thread = await StoreThread.start(
    {
      get threadUrl() {
        return left.shift() ?? scriptUrl
      },
      data: { ...folder, rowBytes: 1, fieldsMax: 1000, settings },
      observe: (event) => events.push(event),
      restartDelayMs: 1,
      spool,
      sealed: () => undefined,
      noteDeath: async () => diesValidating,
    },
    0,
  )
  await thread.started()
  const isHeld = (): boolean => thread.state.files === 1
  const die = async (): Promise<void> => {
    await expect(thread.purge(1, 60_000)).rejects.toMatchObject({ code: 'unavailable' })
  }
  return { thread, isHeld, die, events }
}

test('files are held until every holder releases them, also after a restart of the thread', async () => {
  const { thread, isHeld, die } = await startThread()
  const first = await thread.hold()
  const second = await thread.hold()
  expect(isHeld()).toBe(true)
  await die()
  await until(() => thread.isReady)
  expect(isHeld()).toBe(true)
  first.release()
  const third = await thread.hold()
  second.release()
  expect(isHeld()).toBe(true)
  third.release()
  await until(() => !isHeld())
  await thread.close()
})

test('a hold that was unanswered when the thread died holds nothing', async () => {
  const { thread, isHeld, die } = await startThread()
  const dying = die()
  await expect(thread.hold()).rejects.toMatchObject({ code: 'unavailable' })
  await dying
  await until(() => thread.isReady)
  expect(isHeld()).toBe(false)
  await thread.close()
})

test('a failed restart of the thread is retried', async () => {
  const { thread, die, events } = await startThread([scriptUrl, new URL('none:here')])
  await die()
  await until(() => thread.isReady)
  expect(events.map(({ kind }) => kind)).toEqual(['storeStarted', 'storeDied', 'storeDied', 'storeStarted'])
  await thread.close()
})

/** A store thread that dies before it is ready. */
const dyingUrl = new URL(`data:text/javascript,${encodeURIComponent('process.exit(1)')}`)

test('a first start is retried when the thread died while validating an entry', async () => {
  const { thread, events } = await startThread([dyingUrl, dyingUrl], true)
  expect(events.map(({ kind }) => kind)).toEqual(['storeDied', 'storeDied', 'storeStarted'])
  await thread.close()
})

test('a first start that fails for another reason is not retried', async () => {
  await expect(startThread([dyingUrl])).rejects.toThrow('the store thread ended')
})
