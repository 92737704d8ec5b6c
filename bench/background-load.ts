// Heavy work next to the measured work, in a separate thread: the time in which the sender prepares 16 MiB must not delay another client's push.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { request, runLoad } from './load.ts'
import { plantBodies } from './plant.ts'

export const largeBodyBytes = 16 * 1024 * 1024
/** The pause between two large bodies of one connection; with it, they are about half of what the service can accept. */
const largePauseMs = 500
const connections = 2

export interface BackgroundLoad {
  readonly name: string
  readonly queries: boolean
  readonly largeBodies: boolean
}

export interface BackgroundWork {
  readonly background: BackgroundLoad
  readonly url: string
  readonly key: string
  readonly seconds: number
}

/** The number of large bodies or queries that were answered; if both run, only the bodies are counted. */
export interface BackgroundResult {
  readonly answers: number
}

/** Keeps a service busy for some seconds. Resolves just before the first requests are sent; `ended` resolves with their result. */
export function beginBackgroundLoad(workload: BackgroundWork): Promise<{ readonly ended: Promise<BackgroundResult> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: workload })
  return new Promise((resolve, reject) => {
    const ended = new Promise<BackgroundResult>((end, fail) => {
      worker.on('error', fail)
      worker.on('message', (message: BackgroundResult | 'begun') => {
        if (message === 'begun') resolve({ ended })
        else end(message)
      })
    })
    worker.on('error', reject)
  })
}

async function work({ background, url, key, seconds }: BackgroundWork): Promise<BackgroundResult> {
  const large = background.largeBodies ? push(url, key, largeBody()) : null
  parentPort?.postMessage('begun')
  const endMs = performance.now() + seconds * 1000
  const load = (payload: Uint8Array, pauseMs: number) =>
    runLoad({ url, connections, pauseMs, next: () => (performance.now() < endMs ? payload : null) })
  const [first] = await Promise.all([
    ...(large === null ? [] : [load(large, largePauseMs)]),
    ...(background.queries ? [load(query(url), 0)] : []),
  ])
  return { answers: first?.answers ?? 0 }
}

export function push(url: string, key: string, body: string): Uint8Array {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return request(url, 'POST', '/ingests/plant/data', headers, body)
}

/** Complete points of a thousand tags, as many as fit. */
function largeBody(): string {
  const rows: string[] = []
  let bytes = 2
  for (const { body } of plantBodies(1000, 1000, 1000)) {
    bytes += body.length - 1
    if (bytes > largeBodyBytes) break
    rows.push(body.slice(1, -1))
  }
  return `[${rows.join()}]`
}

function query(url: string): Uint8Array {
  const body = { entity: 'plant', prefixes: ['01PHD.OSL00'] }
  return request(url, 'POST', '/consumer/data/latest', { 'content-type': 'application/json' }, JSON.stringify(body))
}

if (!isMainThread) parentPort?.postMessage(await work(workerData as BackgroundWork))
