// Heavy work beside what is measured, in a thread of its own: how long the sender of 16 MiB is busy with them is no part of another client's push.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { request, runLoad } from './load.ts'
import { plantBodies } from './plant.ts'
import type { WorstDataQuery } from './worst-data.ts'

export const largeBodyBytes = 16 * 1024 * 1024
/** Between two large bodies of one connection: they are about half of what the service takes. */
const largePauseMs = 500
const connections = 2

export interface Company {
  readonly name: string
  readonly queries: boolean
  readonly largeBodies: boolean
  /** What is asked again and again, be it answered or refused. */
  readonly question?: WorstDataQuery
}

export interface CompanyWork {
  readonly company: Company
  readonly url: string
  readonly key: string
  readonly seconds: number
}

/** How many large bodies, or queries, were answered; both at once count the bodies. */
export interface CompanyResult {
  readonly answers: number
}

/** Keeps a service busy for some seconds; resolves when the first requests are about to leave, with what comes of them. */
export function beginCompany(workload: CompanyWork): Promise<{ readonly ended: Promise<CompanyResult> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: workload })
  return new Promise((resolve, reject) => {
    const ended = new Promise<CompanyResult>((end, fail) => {
      worker.on('error', fail)
      worker.on('message', (message: CompanyResult | 'begun') => {
        if (message === 'begun') resolve({ ended })
        else end(message)
      })
    })
    worker.on('error', reject)
  })
}

async function work({ company, url, key, seconds }: CompanyWork): Promise<CompanyResult> {
  const large = company.largeBodies ? push(url, key, largeBody()) : null
  parentPort?.postMessage('begun')
  const endMs = performance.now() + seconds * 1000
  if (company.question !== undefined) return askAgain(url, company.question, endMs)
  const load = (payload: Uint8Array, pauseMs: number) =>
    runLoad({ url, connections, pauseMs, next: () => (performance.now() < endMs ? payload : null) })
  const [first] = await Promise.all([
    ...(large === null ? [] : [load(large, largePauseMs)]),
    ...(company.queries ? [load(query(url), 0)] : []),
  ])
  return { answers: first?.answers ?? 0 }
}

async function askAgain(url: string, { path, body, accept }: WorstDataQuery, endMs: number): Promise<CompanyResult> {
  const headers = { 'content-type': 'application/json', accept: accept ?? 'application/json' }
  const text = body === null ? null : JSON.stringify(body)
  let answers = 0
  const ask = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const response = await fetch(url + path, { method: text === null ? 'GET' : 'POST', headers, body: text })
      for await (const _ of response.body ?? []);
      answers++
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  return { answers }
}

export function push(url: string, key: string, body: string): Uint8Array {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return request(url, 'POST', '/ingests/plant/data', headers, body)
}

/** Whole points of a thousand tags, as many as fit. */
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

if (!isMainThread) parentPort?.postMessage(await work(workerData as CompanyWork))
