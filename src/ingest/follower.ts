import { Problem } from '../model/problem.ts'
import type { Pipeline, Tally } from './pipeline.ts'

export interface FollowerParts {
  readonly pipeline: Pick<Pipeline, 'position' | 'advance'>
  /** Called in each step, as soon as its rows show. */
  readonly stepped: (tallies: readonly Tally[]) => void
  /** Called before each step, and whenever it is woken: whether the pipeline has to wait. */
  readonly mustWait: () => boolean
  /** Called once, when all is validated that was in the journal at the beginning. */
  readonly caughtUp: () => void
  /** Told of a step that a part (the catalog) was not available for; resolves when it is to be tried again. */
  readonly unavailable: (problem: Problem) => Promise<void>
}

/** Validates whatever the journal holds, as soon as it holds it. */
export class Follower {
  readonly #parts: FollowerParts
  /** What was in the journal at the beginning ends here. */
  readonly #readyPosition: number
  #durablePosition: number
  #stopped = false
  #isReady = false
  #wake: (() => void) | null = null

  constructor(parts: FollowerParts, durablePosition: number) {
    this.#parts = parts
    this.#readyPosition = durablePosition
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
    while (!this.#stopped) {
      if (!this.#isReady && pipeline.position >= this.#readyPosition) {
        this.#isReady = true
        caughtUp()
      }
      if (mustWait() || pipeline.position >= this.#durablePosition) await this.#news()
      else await this.#step()
    }
  }

  async #step(): Promise<void> {
    await this.#advance()
    // Questions that came meanwhile are answered before the next step.
    await new Promise((resolve) => setImmediate(resolve))
  }

  /**
   * A failed step is no reason to end (the disk may have no room for what was rejected, say): what is there is answered meanwhile. The
   * step changed nothing.
   */
  async #advance(): Promise<void> {
    const { pipeline, stepped, unavailable } = this.#parts
    try {
      // What comes during the start is counted apart from what was there before.
      await pipeline.advance(this.#isReady ? this.#durablePosition : this.#readyPosition, stepped)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error
      await unavailable(error)
    }
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
