// Clients push to a service with a replica until its machine is lost; then the restored rows are compared with the acknowledged pushes.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import { rowsOf, upTo } from '../support/replica-world.ts'

/** Rows that are sent together, and again with their key until they are acknowledged. No other push has their values. */
export interface ReplicatedPush {
  readonly first: number
  readonly rows: number
  /** The order in which pushes were sent and acknowledged, which clocks do not show; null before. */
  readonly sent: number
  acknowledged: number | null
  /** By the clock of this process; null before. */
  acknowledgedMs: number | null
}

export interface ReplicaFindings {
  readonly pushes: number
  readonly rows: number
  /** Acknowledged rows that must exist but are missing. */
  readonly lost: number
  readonly doubled: number
  /** Pushes that exist in part. */
  readonly partial: number
  /** Rows that no client pushed. */
  readonly foreign: number
}

/** The findings of a run without faults. */
export const allThere = { lost: 0, doubled: 0, partial: 0, foreign: 0 }

/** Upper bounds for the rows of a push, equally likely. A large push is written to a separate file and takes more than one validation step. */
const sizes = [1, 1, 4, 20, 60, 300]

export class ReplicatedPushes {
  readonly #random: Random
  readonly #wait: boolean
  #pushes: ReplicatedPush[] = []
  readonly #taken = new Set<ReplicatedPush>()
  #nextValue = 0
  #order = 0

  /** With `wait`, an acknowledged push is in the replica; without it, it may be lost with the machine. */
  constructor(random: Random, wait: boolean) {
    this.#random = random
    this.#wait = wait
  }

  /** Pushes until the server is gone. With `wait`, pushes that were not acknowledged are first sent again. */
  async run(url: string, key: string, clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client(url, key)))
  }

  /** `copiedMs`: pushes acknowledged by then were in the replica, as the service reported. Without `wait`, lost pushes are then forgotten. */
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
 * Compares restored rows with the pushed ones. Required are all acknowledged pushes, or those that the replica had when it last reported its lag. A later
 * push may exist only together with all pushes that had been acknowledged when it was sent.
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

/** Resolves with null when the server is gone. */
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
