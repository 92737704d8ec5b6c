import type { ServerResponse } from 'node:http'

/** Bounds the memory of bodies, from their first byte until their requests are answered. */
export class BodyBudget {
  readonly bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** The share of a request, empty at first. It ends with the answer, or when the client goes. */
  share(response: ServerResponse): BodyShare {
    const share = new BodyShare((before, after) => this.#resize(before, after))
    response.once('close', () => share.end())
    return share
  }

  /** A body that is alone is always taken: how large it may be is another limit. */
  #resize(before: number, after: number): boolean {
    const others = this.#bytes - before
    if (after > before && others > 0 && others + after > this.bytesMax) return false
    this.#bytes = others + after
    return true
  }
}

export class BodyShare {
  readonly #resize: (before: number, after: number) => boolean
  #bytes = 0
  #ended = false

  constructor(resize: (before: number, after: number) => boolean) {
    this.#resize = resize
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
}
