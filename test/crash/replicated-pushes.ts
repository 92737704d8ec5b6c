// Clients push to a service that is followed by a replica, until its machine is lost; then what the replica gives is held against what was acknowledged.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import { rowsOf, upTo } from '../support/replica-world.ts'

/** Rows that are sent together, again with their key until they are acknowledged. Their values are nobody else's. */
export interface ReplicatedPush {
  readonly first: number
  readonly rows: number
  /** The order in which pushes were sent and acknowledged, which clocks do not tell; null before. */
  readonly sent: number
  acknowledged: number | null
  /** By the clock of this process; null before. */
  acknowledgedMs: number | null
}

export interface ReplicaFindings {
  readonly pushes: number
  readonly rows: number
  /** Rows that were acknowledged, and must be there, and are not. */
  readonly lost: number
  readonly doubled: number
  /** Pushes of which some rows are there and some are not. */
  readonly partial: number
  /** Rows that nobody pushed. */
  readonly foreign: number
}

/** Nothing of what must not be. */
export const allThere = { lost: 0, doubled: 0, partial: 0, foreign: 0 }

/** A push has up to so many rows, each of these as often. A large one is written apart, and takes more than one step to validate. */
const sizes = [1, 1, 4, 20, 60, 300]

export class ReplicatedPushes {
  readonly #random: Random
  readonly #wait: boolean
  #pushes: ReplicatedPush[] = []
  readonly #taken = new Set<ReplicatedPush>()
  #nextValue = 0
  #order = 0

  /** With `wait` what is acknowledged is in the replica; without it, it may be lost with the machine. */
  constructor(random: Random, wait: boolean) {
    this.#random = random
    this.#wait = wait
  }

  /** Pushes until the server is gone. With `wait`, what was not acknowledged is sent again first. */
  async run(url: string, key: string, clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client(url, key)))
  }

  /** `copiedMs`: what was acknowledged by then was in the replica, as the service said. Without `wait` what was lost is forgotten from then on. */
  validate(values: readonly number[], copiedMs: number): ReplicaFindings {
    const findings = validatePushes(this.#pushes, values, this.#wait ? 'all' : { copiedMs })
    const there = new Set(values)
    if (!this.#wait) this.#pushes = this.#pushes.filter(({ first }) => there.has(first))
    return findings
  }

  async #client(url: string, key: string): Promise<void> {
    for (;;) {
      const push = this.#take()
      while (push.acknowledged === null) {
        const answer = await send(url, key, push)
        if (answer === null) {
          this.#taken.delete(push)
          return
        }
        if (answer.status === 200) {
          push.acknowledged = this.#order++
          push.acknowledgedMs = Date.now()
        } else if (answer.status === 503) await sleep(20)
        else throw new Error(`a push was answered with ${answer.status}: ${answer.body}`)
      }
    }
  }

  #take(): ReplicatedPush {
    const open = ({ acknowledged }: ReplicatedPush): boolean => acknowledged === null
    const again = this.#wait ? this.#pushes.find((push) => open(push) && !this.#taken.has(push)) : undefined
    const push = again ?? this.#newPush()
    this.#taken.add(push)
    return push
  }

  #newPush(): ReplicatedPush {
    const rows = 1 + this.#random.below(sizes[this.#random.below(sizes.length)]!)
    const push = { first: this.#nextValue, rows, sent: this.#order++, acknowledged: null, acknowledgedMs: null }
    this.#nextValue += rows
    this.#pushes.push(push)
    return push
  }
}

/**
 * Holds what is there against what was pushed: all that was acknowledged, or what the replica held when it last said how far behind it was, and of what came
 * later nothing without all that had been acknowledged when it was sent.
 */
export function validatePushes(
  pushes: readonly ReplicatedPush[],
  values: readonly number[],
  wanted: 'all' | { readonly copiedMs: number },
): ReplicaFindings {
  const there = new Set(values)
  const pushed = new Set<number>()
  const counted = pushes.map((push) => {
    const own = valuesOf(push)
    for (const value of own) pushed.add(value)
    return { ...push, there: own.filter((value) => there.has(value)).length }
  })
  const lastSent = counted.reduce((last, push) => (push.there > 0 ? Math.max(last, push.sent) : last), -1)
  const isWanted = ({ acknowledged, acknowledgedMs }: ReplicatedPush): boolean =>
    acknowledged !== null && (wanted === 'all' || acknowledgedMs! <= wanted.copiedMs || acknowledged < lastSent)
  return {
    pushes: pushes.length,
    rows: there.size,
    lost: counted.filter(isWanted).reduce((lost, push) => lost + push.rows - push.there, 0),
    doubled: values.length - there.size,
    partial: counted.filter((push) => push.there > 0 && push.there < push.rows).length,
    foreign: [...there].filter((value) => !pushed.has(value)).length,
  }
}

/** Null when the server is gone. */
async function send(
  url: string,
  key: string,
  push: ReplicatedPush,
): Promise<{ readonly status: number; readonly body: string } | null> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': `push-${push.first}`,
  }
  try {
    const body = JSON.stringify(rowsOf(valuesOf(push)))
    const response = await fetch(`${url}/ingests/kept/data`, { method: 'POST', headers, body })
    return { status: response.status, body: await response.text() }
  } catch {
    return null
  }
}

function valuesOf({ first, rows }: ReplicatedPush): number[] {
  return upTo(first + rows, first)
}
