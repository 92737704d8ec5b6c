import type { Pipeline, Tally } from '../ingest/pipeline.ts'

export interface FollowerParts {
  readonly pipeline: Pick<Pipeline, 'position' | 'advance'>
  /** Called after each step. */
  readonly stepped: (tallies: readonly Tally[]) => void
  /** Called before each step, and whenever it is woken: whether the pipeline has to wait. */
  readonly mustWait: () => boolean
  /** Called once, when all is judged that was in the journal at the beginning. */
  readonly caughtUp: () => void
}

/** Judges whatever the journal holds, as soon as it holds it. */
export class Follower {
  readonly #parts: FollowerParts
  #durablePosition: number
  #stopped = false
  #wake: (() => void) | null = null

  constructor(parts: FollowerParts, durablePosition: number) {
    this.#parts = parts
    this.#durablePosition = durablePosition
  }

  /** All before it is on disk in the journal. */
  get durablePosition(): number {
    return this.#durablePosition
  }

  durable(position: number): void {
    this.#durablePosition = position
    this.wake()
  }

  stop(): void {
    this.#stopped = true
    this.wake()
  }

  wake(): void {
    this.#wake?.()
  }

  async follow(): Promise<void> {
    const { pipeline, mustWait, caughtUp } = this.#parts
    const readyPosition = this.#durablePosition
    for (let ready = false; !this.#stopped; ) {
      if (!ready && pipeline.position >= readyPosition) {
        ready = true
        caughtUp()
      }
      if (mustWait() || pipeline.position >= this.#durablePosition) await this.#news()
      else await this.#step()
    }
  }

  async #step(): Promise<void> {
    this.#parts.stepped(await this.#parts.pipeline.advance(this.#durablePosition))
    // Questions that came meanwhile are answered before the next step.
    await new Promise((resolve) => setImmediate(resolve))
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }
}
