// The CPU time of one query by station: the samples of a CPU profile of each thread, by the location of their code.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { printTable } from './figures.ts'
import { askFor, type Question } from './questions.ts'

/** The format of `node --cpu-prof`. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  /** In microseconds, by the clock shared by all processes of the machine. */
  readonly startTime: number
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

/** The first match applies. The work of Node's own functions belongs to the station that calls them. */
const stations: readonly (readonly [name: string, file: RegExp, functionName?: RegExp])[] = [
  ['idle', /^$/, /^\(idle\)$/],
  ['garbage collector', /^$/, /^\(garbage collector\)$/],
  ['the system, and what is native', /^$/, /^\((program|root)\)$/],
  ['thread: messages', /store-thread\/(outbox|protocol|sent-error)|lib\/actor|store-thread\/main-side|take-messages/],
  ['thread: messages', /internal\/worker|internal\/per_context\/messageport/],
  ['validation', /http\/validation|typebox/],
  ['body', /http\/body/],
  ['guard', /http\/guard|http\/consumption|src\/access|dist\/access|forwarded|proxy-addr/],
  ['accept', /http\/accept/],
  [
    'time and cancelling',
    /admission\/in-time|lib\/timer|http\/in-flight|internal\/abort_controller|internal\/event_target/,
  ],
  ['queue', /admission\/admission/],
  ['metrics and log', /observe\/|prom-client|pino/],
  ['plan', /dist\/query\/|dist\/model\//],
  ['run', /dist\/store\//],
  ['shape and spool', /dist\/answer\//],
  ['answer', /http\/answer|internal\/streams|_http_outgoing|_http_server|http\/problems|http\/common-headers/],
  ['hooks and routes', /fastify|find-my-way|dist\/http\//],
  ['HTTP parser and sockets', /_http|node:net|internal\/stream_base_commons|internal\/http/],
]

export interface StationsOptions {
  readonly dataDirectory: string
  readonly question: Question
  readonly connections: number
  readonly forMs: number
}

/** Repeats one query on a service that profiles itself. */
export async function printStages({ dataDirectory, question, connections, forMs }: StationsOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-profile-'))
  try {
    const nodeArguments = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
    const server = await ServerProcess.start({ dataDirectory, nodeArguments })
    // Compiled code is measured, without the start and the stop.
    await askFor(server.url, question, connections, forMs)
    const fromUs = clockUs()
    const { answers } = await askFor(server.url, question, connections, forMs)
    const during = { answers, fromUs, toUs: clockUs() }
    await server.stop()
    const lines: string[][] = []
    for (const name of await readdir(folder)) {
      const profile = JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile
      lines.push(...linesOf(profile, during))
    }
    printTable(`Stations of one question (${question.name}, ${connections} connections)`, ['station', 'us'], lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const clockUs = (): number => Number(process.hrtime.bigint() / 1000n)

interface During {
  readonly answers: number
  readonly fromUs: number
  readonly toUs: number
}

function linesOf({ nodes, samples, timeDeltas, startTime }: CpuProfile, { answers, fromUs, toUs }: During): string[][] {
  const parents = new Map<number, ProfileNode>()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const stationOf = new Map(nodes.map((node) => [node.id, stationAt(node, parents)]))
  const us = new Map<string, number>()
  let atUs = startTime
  for (const [at, id] of samples.entries()) {
    const deltaUs = timeDeltas[at] ?? 0
    atUs += deltaUs
    if (atUs < fromUs || atUs > toUs) continue
    const station = stationOf.get(id) ?? 'other'
    us.set(station, (us.get(station) ?? 0) + deltaUs)
  }
  const thread = us.has('run') ? 'store' : 'main'
  return [...us]
    .sort((left, right) => right[1] - left[1])
    .map(([station, sum]) => [`${thread}: ${station}`, (sum / answers).toFixed(1)])
}

/** The station of the code itself, or else of its nearest caller that has one. */
function stationAt(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  for (let at: ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
    const { url, functionName } = at.callFrame
    const found = stations.find(([, file, name]) => file.test(url) && (name === undefined || name.test(functionName)))
    if (found !== undefined) return found[0]
  }
  return 'other'
}
