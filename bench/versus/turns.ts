// The turns of all systems: the same queries and pushes, round by round, with only one system running at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { firstMs, stepMs } from '../plant.ts'
import { pointsOfTag } from '../questions.ts'
import { cpuSeconds } from '../small-questions.ts'
import type { Client, Sent } from './client.ts'
import type { RowFormat } from './system.ts'
import { bodyOf, type PushShape, pushShapes, type VersusQuestion, versusQuestions } from './workload.ts'

/** Tidemark or one of the systems it is compared with. */
export interface Subject {
  readonly name: string
  readonly url: string
  readonly processId: number
  readonly format: RowFormat
  readonly push: (body: string) => Uint8Array
  readonly requestsOf: (question: VersusQuestion) => readonly Uint8Array[]
}

export interface Turn extends Omit<Sent, 'answers'> {
  readonly cpuUs: number
}

/** The turns of each subject, by the name of the measured work. */
export type Figures = Map<string, Map<Subject, Turn[]>>

/** A process is paused outside of its turn, so that its background work does not affect the others' measurements. */
export async function inItsTurn<T>({ processId }: { readonly processId: number }, act: () => Promise<T>): Promise<T> {
  process.kill(processId, 'SIGCONT')
  try {
    return await act()
  } finally {
    process.kill(processId, 'SIGSTOP')
  }
}

interface AskAllOptions {
  readonly client: Client
  readonly subjects: readonly Subject[]
  readonly connections: number
  readonly rounds: number
  readonly turnSeconds: number
}

const warmingConnections = 16
/** Compiled code is compared: that of a service that has run for some seconds. One connection may use other code than many. */
const warmingTurns = 3
const warmingRounds = 4

export async function askAll({ client, subjects, connections, rounds, turnSeconds }: AskAllOptions): Promise<Figures> {
  const figures: Figures = new Map()
  for (const question of versusQuestions) {
    console.log(`${question.name}, connections: ${connections}`)
    const requests = new Map(subjects.map((subject) => [subject, subject.requestsOf(question)]))
    const ask = async (subject: Subject, connections: number): Promise<Turn> => {
      const options = { connections, seconds: turnSeconds, requests: requests.get(subject)!, settleMs: 0 }
      return (await takeTurn(client, subject, options)).turn
    }
    for (const subject of subjects)
      for (const warming of new Set([warmingConnections, connections]))
        for (let turn = 0; turn < warmingTurns; turn++) await ask(subject, warming)
    figures.set(question.name, await inTurns(subjects, rounds, () => (subject) => ask(subject, connections)))
  }
  return figures
}

type TakeTurn = (subject: Subject) => Promise<Turn>

async function inTurns(
  subjects: readonly Subject[],
  rounds: number,
  roundOf: (round: number) => TakeTurn,
): Promise<Map<Subject, Turn[]>> {
  const turns = new Map(subjects.map((subject) => [subject, [] as Turn[]]))
  for (let round = 0; round < rounds; round++) {
    const take = roundOf(round)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed())
      turns.get(subject)!.push(await take(subject))
    console.log(`round ${round + 1} of ${rounds}`)
  }
  return turns
}

interface TurnOptions {
  readonly connections: number
  readonly seconds: number
  readonly requests: readonly Uint8Array[]
  /** How long the process continues afterwards, for its background work. */
  readonly settleMs: number
}

async function takeTurn(client: Client, subject: Subject, { settleMs, ...sending }: TurnOptions) {
  const { url, processId } = subject
  return inItsTurn(subject, async () => {
    const cpuBefore = cpuSeconds(processId)
    const { answers, ...sent } = await client.send({ url, ...sending })
    await sleep(settleMs)
    const cpuUs = ((cpuSeconds(processId) - cpuBefore) / answers) * 1e6
    return { answers, turn: { ...sent, cpuUs } }
  })
}

interface PushAllOptions {
  readonly client: Client
  readonly subjects: readonly Subject[]
  readonly rounds: number
  readonly tags: number
}

interface Pushed {
  readonly figures: Figures
  /** The number of acknowledged rows, by the names of the systems. */
  readonly rowsOf: ReadonlyMap<string, number>
  readonly toMs: number
}

const behindPushesMs = 500

/** Each round continues in time, with the same rows for all. */
export async function pushAll({ client, subjects, rounds, tags }: PushAllOptions): Promise<Pushed> {
  const figures: Figures = new Map()
  const rowsOf = new Map(subjects.map(({ name }) => [name, 0]))
  let fromPoint = pointsOfTag
  for (const shape of pushShapes) {
    const { rowsInBody, connections } = shape
    console.log(`bodies of ${rowsInBody}, connections: ${connections}`)
    const pointsOfRound = Math.ceil((shape.bodiesInSecond * rowsInBody) / tags)
    const shapeFrom = fromPoint
    const roundOf = (round: number): TakeTurn => {
      const range = { from: (shapeFrom + round * pointsOfRound) * tags, tags }
      const bodies = { json: bodiesFrom('json', shape, range), lines: bodiesFrom('lines', shape, range) }
      return async (subject) => {
        const requests = bodies[subject.format].map(subject.push)
        const options = { connections, seconds: 1, requests, settleMs: behindPushesMs }
        const { answers, turn } = await takeTurn(client, subject, options)
        rowsOf.set(subject.name, rowsOf.get(subject.name)! + Math.min(answers, requests.length) * rowsInBody)
        return { ...turn, perSecond: turn.perSecond * rowsInBody, cpuUs: turn.cpuUs / rowsInBody }
      }
    }
    // The first rounds warm up: their code is not compiled yet, and their series are new.
    const measured = await inTurns(subjects, warmingRounds + rounds, roundOf)
    for (const turns of measured.values()) turns.splice(0, warmingRounds)
    figures.set(`bodies of ${rowsInBody}, ${connections} connections`, measured)
    fromPoint += (warmingRounds + rounds) * pointsOfRound
  }
  return { figures, rowsOf, toMs: firstMs + fromPoint * stepMs }
}

function bodiesFrom(
  format: RowFormat,
  { bodiesInSecond, rowsInBody }: PushShape,
  { from, tags }: { from: number; tags: number },
) {
  return Array.from({ length: bodiesInSecond }, (_, at) =>
    bodyOf(format, { from: from + at * rowsInBody, rows: rowsInBody, tags }),
  )
}
