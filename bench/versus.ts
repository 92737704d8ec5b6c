// The same rows and queries sent to Tidemark and to the other systems that are installed, in one run, by one client, in turns.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { printTable } from './figures.ts'
import { runLoad } from './load.ts'
import { firstMs, plantValue, stepMs, tagName } from './plant.ts'
import { pointsOfTag } from './questions.ts'
import { type Ends, spawnBare } from './small-questions.ts'
import { printAtRest } from './versus/at-rest.ts'
import { findClient } from './versus/client.ts'
import { influxdb } from './versus/influxdb.ts'
import { questdb } from './versus/questdb.ts'
import { answerTo, type Candidate, type System } from './versus/system.ts'
import { printPushes, printQuestions } from './versus/tables.ts'
import { byLines, tidemark } from './versus/tidemark.ts'
import { askAll, inItsTurn, pushAll, type Subject } from './versus/turns.ts'
import { victoriaMetrics } from './versus/victoria-metrics.ts'
import { bodyOf, day, filledToMs, type VersusQuestion, versusQuestions } from './versus/workload.ts'

export interface VersusOptions {
  readonly rows: number
  /** 0: only their size at rest is measured. */
  readonly rounds: number
  /** How long each system is queried before the next one's turn. */
  readonly turnSeconds: number
  /** How long each system rests after it was filled, for its background work. */
  readonly restMs: number
}

const candidates: readonly Candidate[] = [tidemark, victoriaMetrics, questdb, influxdb]
export async function benchVersus({ rows, rounds, turnSeconds, restMs }: VersusOptions): Promise<void> {
  const tags = Math.max(1, Math.round(rows / pointsOfTag))
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-versus-'))
  const ends: Ends = []
  try {
    const systems = await startAll(folder, ends)
    for (const system of systems) {
      const startedMs = performance.now()
      await inItsTurn(system, () => fillAndCheck(system, tags))
      console.log(`${system.name}: filled in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
    }
    for (const { processId } of systems) process.kill(processId, 'SIGCONT')
    await sleep(restMs)
    await printAtRest(systems, folder, tags * pointsOfTag)
    if (rounds === 0) return
    const subjects = await subjectsOf(systems, tags, ends)
    for (const { processId } of subjects) process.kill(processId, 'SIGSTOP')
    const client = findClient()
    console.log(`\n${tags * pointsOfTag} rows of ${tags} tags; asked by ${client.name}; rounds: ${rounds}`)
    for (const connections of [1, 16]) {
      const figures = await askAll({ client, subjects, connections, rounds, turnSeconds })
      printQuestions(figures, subjects, connections)
    }
    const lines = await byLines(await tidemark.start(join(folder, 'by lines'), ends))
    process.kill(lines.processId, 'SIGSTOP')
    const pushed = [...subjects, { ...lines, requestsOf: () => [] }]
    const { figures, rowsOf, toMs } = await pushAll({ client, subjects: pushed, rounds, tags: Math.max(1000, tags) })
    printPushes(figures, pushed)
    for (const system of [...systems, lines]) {
      const rowsMin = (system === lines ? 0 : tags * pointsOfTag) + rowsOf.get(system.name)!
      await inItsTurn(system, () => untilCounted(system, rowsMin, toMs))
    }
  } finally {
    for (const end of ends) await end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function startAll(folder: string, ends: Ends): Promise<readonly System[]> {
  const systems: System[] = []
  const lines: string[][] = []
  for (const candidate of candidates) {
    const missing = candidate.missing()
    lines.push([candidate.name, missing === null ? candidate.answersWhen : `it is not there: ${missing}`])
    if (missing !== null) continue
    const system = await candidate.start(join(folder, candidate.name), ends)
    process.kill(system.processId, 'SIGSTOP')
    systems.push(system)
  }
  printTable('What is compared', ['system', 'a push is answered when'], lines)
  return systems
}

const rowsInFill = 10_000

async function fillAndCheck(system: System, tags: number): Promise<void> {
  const rows = tags * pointsOfTag
  let from = 0
  const next = (): Uint8Array | null => {
    if (from === rows) return null
    const body = bodyOf(system.format, { from, rows: Math.min(rowsInFill, rows - from), tags })
    from += Math.min(rowsInFill, rows - from)
    return system.push(body)
  }
  await runLoad({ url: system.url, connections: 4, next })
  const counted = await untilCounted(system, rows, filledToMs)
  if (counted !== rows) throw new Error(`${system.name} counts ${counted} rows of ${rows}`)
  await checkAnswers(system)
}

const pointsOfHour = 3_600_000 / stepMs

async function checkAnswers(system: System): Promise<void> {
  const tag = tagName(0)
  const means = await answerTo(system.url, system.ask({ kind: 'means', tags: [tag], ...day }))
  const points = Array.from({ length: pointsOfHour }, (_, at) => (day.fromMs - firstMs) / stepMs + at)
  const mean = points.reduce((sum, point) => sum + plantValue(0, point), 0) / pointsOfHour
  if (Math.abs(system.firstMean(means) - mean) > 1e-6) throw new Error(`${system.name}: no mean of ${mean} in ${means}`)
  const newest = { latest: pointsOfTag - 1, before: pointsOfTag / 2 }
  const atMs = firstMs + newest.before * stepMs + 1
  const latest = await answerTo(system.url, system.ask({ kind: 'latest', tag, newestMs: filledToMs }))
  const before = await answerTo(system.url, system.ask({ kind: 'before', tag, atMs }))
  for (const [answer, point] of [
    [latest, newest.latest],
    [before, newest.before],
  ] as const)
    if (!answer.includes(String(plantValue(0, point))))
      throw new Error(`${system.name}: no ${plantValue(0, point)} in ${answer}`)
}

const countedWithinMs = 600_000

/** Waits until at least `rows` rows can be queried. */
async function untilCounted(system: System, rows: number, toMs: number): Promise<number> {
  const giveUpMs = performance.now() + countedWithinMs
  for (;;) {
    const counted = await system.countRows(toMs)
    if (counted >= rows) return counted
    if (performance.now() > giveUpMs) throw new Error(`${system.name} has ${counted} rows, ${rows} were acknowledged`)
    await sleep(100)
  }
}

const variants = 256
/** About the length of the response to a push. */
const pushAnswerBytes = 70

async function subjectsOf(systems: readonly System[], tags: number, ends: Ends): Promise<readonly Subject[]> {
  const subjects = systems.map(
    (system): Subject => ({
      ...system,
      requestsOf: ({ make }) => Array.from({ length: variants }, (_, turn) => system.ask(make(turn, tags))),
    }),
  )
  // Bare node:http gets Tidemark's requests and returns responses of the same lengths.
  const own = subjects[0]!
  const lengths = new Map<VersusQuestion, number>()
  for (const question of versusQuestions) {
    const answer = await answerTo(own.url, own.requestsOf(question)[0]!)
    lengths.set(question, Buffer.byteLength(answer))
  }
  const spawned = await spawnBare(ends)
  // A paused process does not react to SIGTERM.
  ends.unshift(async () => process.kill(spawned.processId, 'SIGCONT'))
  const bare: Subject = {
    name: 'bare node:http',
    ...spawned,
    format: own.format,
    push: (body) => redirected(own.push(body), pushAnswerBytes),
    requestsOf: (question) => own.requestsOf(question).map((bytes) => redirected(bytes, lengths.get(question)!)),
  }
  return [bare, ...subjects]
}

function redirected(bytes: Uint8Array, answerLength: number): Uint8Array {
  const { buffer, byteOffset, length } = bytes
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1')
  return Buffer.from(text.replace(/^POST \S+/, `POST /${answerLength}`), 'latin1')
}
