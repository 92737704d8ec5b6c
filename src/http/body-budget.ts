import type { ServerResponse } from 'node:http'
import { Problem } from '../model/problem.ts'

export interface BodyBudgetLimit {
  readonly bytesMax: number
  /** The name of its setting, for the message. */
  readonly limitName: string
  /** Whose bodies they are. */
  readonly requests: string
}

/** Bounds the memory of bodies, from their first byte until their requests are answered. */
export class BodyBudget {
  readonly #limit: BodyBudgetLimit
  #bytes = 0

  constructor(limit: BodyBudgetLimit) {
    this.#limit = limit
  }

  /** The share of a request, empty at first. It ends with the answer, or when the client goes. */
  share(response: ServerResponse): BodyShare {
    const share = new BodyShare((before, after) => this.#resize(before, after), this.#limit)
    response.once('close', () => share.end())
    return share
  }

  /** A body that is alone is always taken: how large it may be is another limit. */
  #resize(before: number, after: number): boolean {
    const others = this.#bytes - before
    if (after > before && others > 0 && others + after > this.#limit.bytesMax) return false
    this.#bytes = others + after
    return true
  }
}

export class BodyShare {
  readonly #resize: (before: number, after: number) => boolean
  readonly #limit: BodyBudgetLimit
  #bytes = 0
  #ended = false

  constructor(resize: (before: number, after: number) => boolean, limit: BodyBudgetLimit) {
    this.#resize = resize
    this.#limit = limit
  }

  /** False when there is no room for so many bytes: the share stays as it was then. */
  resize(bytes: number): boolean {
    if (this.#ended) return true
    if (!this.#resize(this.#bytes, bytes)) return false
    this.#bytes = bytes
    return true
  }

  end(): void {
    this.resize(0)
    this.#ended = true
  }

  /** For who finds no room. */
  full(): Problem {
    const { requests, bytesMax, limitName } = this.#limit
    return new Problem(
      'overloaded',
      `The bodies of all ${requests} in flight take more than ${bytesMax} bytes (${limitName}). Nothing was stored. Send the request again later.`,
    )
  }
}
