// The cost of deletions for small queries: tags with a thousand deletions, and one without, compared with a service in which nothing was
// deleted. The service's CPU time is compared, because other work on the machine distorts it less than the latencies.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callOk } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import type { OtherBuild } from './at-rest.ts'
import { median, printTable, quantile, spread } from './figures.ts'
import { firstMs, stepMs, tagName } from './plant.ts'
import { makePlantAtRest } from './plant-at-rest.ts'
import { askFor, pointsOfTag, type Question } from './questions.ts'
import { cpuSeconds } from './small-questions.ts'

interface DeletionsOptions {
  readonly rounds: number
  /** How long each service is queried before the next one's turn. */
  readonly turnMs: number
  readonly deletions: number
  /** Another build, queried in turn with this one. */
  readonly beside: OtherBuild | null
}

const dayMs = 86_400_000
const iso = (ms: number): string => new Date(ms).toISOString()

/** For one tag: the selection of its n-th deletion; null if the tag has none. */
interface Wrong {
  readonly name: string
  readonly selection: ((deletion: number, many: number) => object) | null
}

const at = (point: number, rows: number): object => ({
  start_date: iso(firstMs + point * stepMs),
  end_date: iso(firstMs + (point + rows) * stepMs - 1),
})
const wrongs: readonly Wrong[] = [
  { name: 'without any', selection: null },
  { name: 'half of each minute of a day', selection: (n) => at(6 * n, 3) },
  { name: 'a row now and then', selection: (n, many) => at(n * Math.floor(pointsOfTag / many), 1) },
  {
    name: 'values that read as null now and then',
    selection: (n, many) => ({ ...at(n * Math.floor(pointsOfTag / many), 1), metrics: ['W'] }),
  },
]

export async function benchDeletions({ beside, deletions, rounds, turnMs }: DeletionsOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const whole = join(folder, 'whole')
    await makePlantAtRest(whole, wrongs.length)
    const own = join(folder, 'own')
    await cp(whole, own, { recursive: true })
    await deleteRows(own, deletions)
    const subjects = [await start('nothing deleted', whole, {}, ends), await start('deleted', own, {}, ends)]
    if (beside !== null) {
      const other = join(folder, 'other')
      await cp(own, other, { recursive: true })
      subjects.push(await start('deleted, the other build', other, beside, ends))
    }
    const lines: string[][] = []
    for (const [tag, { name }] of wrongs.entries())
      for (const question of questionsOf(tag)) {
        const times = await askInTurns(subjects, question, { rounds, turnMs })
        const [none, ...others] = times.map((own) => median(own.map(({ cpuUs }) => cpuUs)))
        lines.push([
          `${name}: ${question.name}`,
          ...times.flatMap((own) =>
            (['p50', 'cpuUs'] as const).map((one) =>
              spread(
                own.map((turn) => turn[one]),
                2,
              ),
            ),
          ),
          ...others.map((cpuUs) => (cpuUs / none!).toFixed(2)),
        ])
      }
    const header = subjects.flatMap(({ name }) => [`${name}, p50 ms`, 'CPU us'])
    const ratios = subjects.slice(1).map(({ name }) => `${name}, times`)
    printTable(`${deletions} deletions of each tag`, ['deletions of the tag: question', ...header, ...ratios], lines)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface Subject {
  readonly name: string
  readonly url: string
  readonly processId: number
}

interface Turn {
  readonly p50: number
  readonly cpuUs: number
}

async function start(
  name: string,
  dataDirectory: string,
  build: Partial<OtherBuild>,
  ends: (() => Promise<unknown>)[],
): Promise<Subject> {
  const server = await ServerProcess.start({ dataDirectory, ...build })
  ends.push(() => server.stop())
  return { name, url: server.url, processId: server.id }
}

async function deleteRows(dataDirectory: string, many: number): Promise<void> {
  const environment = { TIDEMARK_LIMITS_DELETIONS: String(wrongs.length * many) }
  const server = await ServerProcess.start({ dataDirectory, environment })
  try {
    for (let n = 0; n < many; n++) {
      // Deletions of several tags are sent in parallel.
      const bodies = wrongs.flatMap(({ selection }, tag) =>
        selection === null ? [] : [{ ...selection(n, many), ids: [tagName(tag)], reason: 'wrong' }],
      )
      const path = '/admin/entities/plant/deletions'
      await Promise.all(bodies.map((body) => callOk(server.url, 'POST', path, { key: adminKey, body })))
    }
  } finally {
    await server.stop()
  }
}

function questionsOf(tag: number): readonly Question[] {
  const asked = { entity: 'plant', ids: [tagName(tag)] }
  // Within the day, but a different query each time.
  const day = (random: () => number): object => ({
    start_date: iso(firstMs),
    end_date: iso(firstMs + dayMs - 1 - Math.floor(random() * (stepMs - 1))),
  })
  const beyond = (random: () => number): string => iso(firstMs + pointsOfTag * stepMs + Math.floor(random() * dayMs))
  const means = { metric_name_field: ['V'] }
  const question = (name: string, kind: string, body: (random: () => number) => object): Question => ({
    name,
    path: `/consumer/data/${kind}`,
    body: (random) => ({ ...asked, ...body(random) }),
  })
  return [
    question('hourly mean of a day', 'average', (random) => ({ ...means, granularity: 'hour', ...day(random) })),
    question('hourly mean of all', 'average', (random) => ({
      ...means,
      granularity: 'hour',
      end_date: beyond(random),
    })),
    question('daily mean', 'average', (random) => ({ ...means, granularity: 'day', end_date: beyond(random) })),
    question('hourly aggregates of a day', 'aggregate', (random) => ({
      ...means,
      aggregates: ['time_mean', 'max', 'count'],
      granularity: 'hour',
      ...day(random),
    })),
    question('latest', 'latest', (random) => ({ date: iso(firstMs - 1 - Math.floor(random() * dayMs)) })),
    question('newest before a date', 'last', (random) => ({
      date: iso(firstMs + Math.floor(random() * pointsOfTag * stepMs)),
    })),
    question('select of a day', 'select', day),
  ]
}

/** The rounds of each subject. */
async function askInTurns(
  subjects: readonly Subject[],
  question: Question,
  { rounds, turnMs }: Pick<DeletionsOptions, 'rounds' | 'turnMs'>,
): Promise<Turn[][]> {
  const turns = subjects.map((): Turn[] => [])
  for (let round = -1; round < rounds; round++)
    for (const [place, { url, processId }] of subjects.entries()) {
      const before = cpuSeconds(processId)
      const { latenciesMs, answers } = await askFor(url, question, 1, turnMs)
      const cpuUs = ((cpuSeconds(processId) - before) / answers) * 1e6
      if (round >= 0) turns[place]!.push({ p50: quantile(latenciesMs, 0.5), cpuUs })
    }
  return turns
}
