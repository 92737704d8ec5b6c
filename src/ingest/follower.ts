import { Problem } from '../model/problem.ts'
import type { Pipeline, Tally } from './pipeline.ts'

export interface FollowerParts {
  readonly pipeline: Pick<Pipeline, 'position' | 'advance'>
  /** Called in each step, when its rows become visible. */
  readonly stepped: (tallies: readonly Tally[]) => void
  /** Returns whether the pipeline has to wait. Called before each step and after each wake-up. */
  readonly mustWait: () => boolean
  /** Called once, when everything is validated that was in the journal at the start. */
  readonly caughtUp: () => void
  /** Called when a step failed because a part (the catalog) was unavailable; resolves when to retry. */
  readonly unavailable: (problem: Problem) => Promise<void>
}

/** Validates journal entries as they arrive. */
export class Follower {
  readonly #parts: FollowerParts
  /** End of the journal at the start. */
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

  /** All rows before this position are on disk in the journal. */
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
      if (mustWait() || pipeline.position >= this.#durablePosition) await this.#wakeup()
      else await this.#step()
    }
  }

  async #step(): Promise<void> {
    await this.#advance()
    // Queries that arrived meanwhile are answered before the next step.
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** A failed step changes nothing and does not end the loop: the disk may, for example, have no space for rejected rows. Queries are still answered. */
  async #advance(): Promise<void> {
    const { pipeline, stepped, unavailable } = this.#parts
    try {
      // Rows that arrive during the start are counted separately from those that were there before.
      await pipeline.advance(this.#isReady ? this.#durablePosition : this.#readyPosition, stepped)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error
      await unavailable(error)
    }
  }

  #wakeup(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }
}
