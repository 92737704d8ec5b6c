import { Pacer, type PacerOptions } from '../../../lib/pacer.ts'

/** A merge was abandoned for more urgent work. It left nothing behind, and is restarted later. */
export class Preempted extends Error {}

/** Runs more urgent work at each rest. */
export class PreemptiblePacer extends Pacer {
  readonly #runDue: () => Promise<void>

  /** `runDue` does the urgent work; it throws `Preempted` when the current work is to be restarted later. */
  constructor(options: PacerOptions, runDue: () => Promise<void>) {
    super(options)
    this.#runDue = runDue
  }

  override async rest(): Promise<void> {
    await super.rest()
    await this.#runDue()
  }
}
