// Pushes compared with bare node:http and another build, by one client in one run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import type { OtherBuild } from './at-rest.ts'
import { printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, makePlant, plantBodies } from './plant.ts'
import { cpuSeconds, type Ends, spawnBare, thisBuild } from './small-questions.ts'

export interface PushesOptions {
  readonly rounds: number
  /** How long each service receives pushes before the next one's turn. */
  readonly turnMs: number
  /** Another build, measured in turn with this one. */
  readonly beside: OtherBuild | null
}

const shapes = [
  { rowsInBody: 1, connections: 64, bodies: 5000 },
  { rowsInBody: 100, connections: 64, bodies: 1000 },
  { rowsInBody: 1000, connections: 8, bodies: 200 },
] as const
type Shape = (typeof shapes)[number]

interface Subject {
  readonly name: string
  readonly url: string
  readonly processId: number
  readonly path: string
  readonly key: string
  /** Waits until all pushed rows are validated; this time belongs to the turn that pushed them. */
  readonly settle: () => Promise<void>
}

interface Turn {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpuUs: number
}

/** About the length of the response to a push. */
const answerBytes = 70

export async function benchPushes({ rounds, turnMs, beside }: PushesOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const ends: Ends = []
  try {
    const bare = { ...(await spawnBare(ends)), path: `/${answerBytes}`, key: '', settle: async () => undefined }
    const subjects: Subject[] = [{ name: 'bare node:http', ...bare }]
    subjects.push(await startBuild('Tidemark', thisBuild, join(folder, 'own'), ends))
    if (beside !== null) subjects.push(await startBuild('the other build', beside, join(folder, 'other'), ends))
    for (const shape of shapes) await compare(subjects, shape, { rounds, turnMs })
  } finally {
    for (const end of ends) await end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function startBuild(name: string, build: OtherBuild, dataDirectory: string, ends: Ends): Promise<Subject> {
  const server = await ServerProcess.start({ dataDirectory, ...build })
  ends.push(() => server.stop())
  const { url, id: processId } = server
  const key = await makePlant(url, 'plant')
  return { name, url, processId, key, path: '/ingests/plant/data', settle: () => drain(url, 'plant') }
}

async function compare(
  subjects: readonly Subject[],
  shape: Shape,
  { rounds, turnMs }: Omit<PushesOptions, 'beside'>,
): Promise<void> {
  const turns = new Map(subjects.map((subject) => [subject, [] as Turn[]]))
  // Compiled code is compared: the first turns are long and are not counted.
  for (const subject of subjects) await takeTurn(subject, shape, 4 * turnMs)
  for (let round = 0; round < rounds; round++)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed())
      turns.get(subject)!.push(await takeTurn(subject, shape, turnMs))
  const first = turns.get(subjects[0]!)!
  const lines = [...turns].map(([{ name }, own]) => {
    const of = (figure: keyof Turn, unit = 1): number[] => own.map((turn) => turn[figure] / unit)
    const ratios = own.map((turn, round) => turn.perSecond / first[round]!.perSecond)
    const thousands = spread(of('perSecond', 1000 / shape.rowsInBody), 1)
    const times = [spread(of('p50'), 2), spread(of('p99'), 2), spread(of('cpuUs'), 0)]
    return [name, thousands, ...times, spread(ratios, 2)]
  })
  printTable(
    `Pushes of ${shape.rowsInBody} from ${shape.connections} connections`,
    ['pushed to', 'k rows/s', 'p50 ms', 'p99 ms', 'CPU us a push', 'a second, of bare'],
    lines,
  )
}

async function takeTurn(subject: Subject, shape: Shape, turnMs: number): Promise<Turn> {
  const { url, path, key, processId, settle } = subject
  const { rowsInBody, connections } = shape
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const tags = Math.max(1000, rowsInBody)
  const points = Math.ceil((shape.bodies * rowsInBody) / tags)
  const requests = [...plantBodies(tags, points, rowsInBody)].map(({ body }) =>
    request(url, 'POST', path, headers, body),
  )
  const cpuBefore = cpuSeconds(processId)
  let sent = 0
  const endMs = performance.now() + turnMs
  const next = (): Uint8Array | null => (performance.now() < endMs ? requests[sent++ % requests.length]! : null)
  const { answers, seconds, latenciesMs } = await runLoad({ url, connections, next })
  await settle()
  return {
    perSecond: answers / seconds,
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    cpuUs: ((cpuSeconds(processId) - cpuBefore) / answers) * 1e6,
  }
}
