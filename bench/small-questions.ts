// The path of a small query: compared with bare node:http and another build in the same run, and the distribution of its CPU time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { programPath, ServerProcess } from '../test/support/server-process.ts'
import type { OtherBuild } from './at-rest.ts'
import { printTable, quantile, spread } from './figures.ts'
import { makePlantAtRest } from './plant-at-rest.ts'
import { askFor, type Question, questions } from './questions.ts'
import { printStages } from './stages.ts'

export interface WayOptions {
  readonly rounds: number
  readonly tags: number
  /** How long each service is queried before the next one's turn. */
  readonly turnMs: number
  /** Another build, queried in turn with this one. */
  readonly beside: OtherBuild | null
}

const asked = [
  'one tag, hourly mean, one day',
  'one tag, hourly mean, all',
  'newest before a date, one tag',
  'latest of one tag',
]
const connectionsMany = 16
export const thisBuild: OtherBuild = { program: programPath, node: process.execPath }

interface Subject {
  readonly name: string
  readonly url: string
  readonly processId: number
  readonly path: (question: Question) => string
}

interface Turn {
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
  readonly cpuUs: number
}

/** Each query selects one tag. The subjects are queried in turn for `turnMs` each, again and again. */
export async function benchSmallQuestions({ beside, ...options }: WayOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const ends: (() => Promise<unknown>)[] = []
  try {
    const own = join(folder, 'own')
    await makePlantAtRest(own, options.tags)
    const subjects = [await startBuild('Tidemark', thisBuild, own, ends)]
    if (beside !== null) {
      // A build may write files that the other one cannot read.
      const other = join(folder, 'other')
      await makePlantAtRest(other, options.tags, beside)
      subjects.push(await startBuild('the other build', beside, other, ends))
    }
    const few = questions(options.tags).filter(({ name }) => asked.includes(name))
    subjects.unshift(await startBare(subjects[0]!.url, few, ends))
    // Warm up, so that compiled code is compared.
    for (const subject of subjects)
      for (const question of few) await takeTurn(subject, question, connectionsMany, 4 * options.turnMs)
    for (const connections of [1, connectionsMany]) await compare(subjects, few, { connections, ...options })
    for (const end of ends.splice(0)) await end()
    await printStages({ dataDirectory: own, question: few[0]!, connections: connectionsMany, forMs: 5000 })
  } finally {
    for (const end of ends) await end()
    await rm(folder, { recursive: true, force: true })
  }
}

export type Ends = (() => Promise<unknown>)[]

async function startBuild(name: string, build: OtherBuild, dataDirectory: string, ends: Ends): Promise<Subject> {
  const server = await ServerProcess.start({ dataDirectory, ...build })
  ends.push(() => server.stop())
  return { name, url: server.url, processId: server.id, path: ({ path }) => path }
}

/** Bare node:http, with responses of the same lengths as those of the service at `likeUrl`. */
async function startBare(likeUrl: string, few: readonly Question[], ends: Ends): Promise<Subject> {
  const lengths = new Map<Question, number>()
  for (const question of few) {
    const body = JSON.stringify(question.body(Math.random))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(likeUrl + question.path, { method: 'POST', headers, body })
    lengths.set(question, (await response.arrayBuffer()).byteLength)
  }
  const bare = await spawnBare(ends)
  return { name: 'bare node:http', ...bare, path: (question) => `/${lengths.get(question)}` }
}

/** The process responds to a request for `/100` with a hundred bytes, whatever the body contains. */
export async function spawnBare(ends: Ends): Promise<{ readonly url: string; readonly processId: number }> {
  const script = fileURLToPath(new URL('./bare-http.js', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  return { url, processId: child.pid! }
}

interface CompareOptions extends Omit<WayOptions, 'beside'> {
  readonly connections: number
}

async function compare(
  subjects: readonly Subject[],
  few: readonly Question[],
  { connections, rounds, turnMs }: CompareOptions,
): Promise<void> {
  const lines: string[][] = []
  for (const question of few) {
    const turns = new Map(subjects.map((subject) => [subject, [] as Turn[]]))
    for (let round = -1; round < rounds; round++)
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        const turn = await takeTurn(subject, question, connections, turnMs)
        if (round >= 0) turns.get(subject)!.push(turn)
      }
    const first = turns.get(subjects[0]!)!
    for (const [{ name }, own] of turns) {
      const of = (figure: keyof Turn): number[] => own.map((turn) => turn[figure])
      const against = (figure: keyof Turn): string =>
        spread(
          own.map((turn, round) => turn[figure] / first[round]![figure]),
          2,
        )
      const ratio = connections === 1 ? against('p50') : against('perSecond')
      const figures = [spread(of('p50'), 3), spread(of('p99'), 2), spread(of('perSecond'), 0), spread(of('cpuUs'), 0)]
      lines.push([question.name, name, ...figures, ratio])
    }
  }
  const ratio = connections === 1 ? 'p50 of bare' : 'a second, of bare'
  printTable(
    `Small questions, connections: ${connections}`,
    ['question', 'asked', 'p50 ms', 'p99 ms', 'a second', 'CPU us', ratio],
    lines,
  )
}

async function takeTurn(subject: Subject, question: Question, connections: number, turnMs: number): Promise<Turn> {
  const { url, processId, path } = subject
  const cpuBefore = cpuSeconds(processId)
  const there = { ...question, path: path(question) }
  const { latenciesMs, answers, seconds } = await askFor(url, there, connections, turnMs)
  return {
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    perSecond: answers / seconds,
    cpuUs: ((cpuSeconds(processId) - cpuBefore) / answers) * 1e6,
  }
}

/** The CPU time of all threads of a process; the kernel counts hundredths of a second. */
export function cpuSeconds(processId: number): number {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
