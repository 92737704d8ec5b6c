import type { ServerResponse } from 'node:http'
import { Problem } from '../model/problem.ts'

export interface BodyBudgetLimit {
  readonly bytesMax: number
  /** The name of the setting, for the message. */
  readonly limitName: string
  /** The kind of requests, for the message. */
  readonly requests: string
}

/** Bounds the memory of request bodies, from their first byte until the response. */
export class BodyBudget {
  readonly #limit: BodyBudgetLimit
  #bytes = 0

  constructor(limit: BodyBudgetLimit) {
    this.#limit = limit
  }

  /** The share of one request, initially empty. It is released when the response closes, sent or not. */
  share(response: ServerResponse): BodyShare {
    const share = new BodyShare((before, after) => this.#resize(before, after), this.#limit)
    response.once('close', () => share.end())
    return share
  }

  /** A body that is the only one is always accepted; its own size has another limit. */
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

  /** Returns false when there is no capacity for this number of bytes; the share then stays unchanged. */
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

  /** The error for a request without capacity. */
  full(): Problem {
    const { requests, bytesMax, limitName } = this.#limit
    return new Problem(
      'overloaded',
      `The bodies of all ${requests} in flight take more than ${bytesMax} bytes (${limitName}). Nothing was stored. Send the request again later.`,
    )
  }
}
