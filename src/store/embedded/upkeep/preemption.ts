import { Pacer, type PacerOptions } from '../../../lib/pacer.ts'

/** A merge was given up for what goes before it; it has left nothing, and is begun again later. */
export class Preempted extends Error {}

/** Lets what goes before it run at each rest. */
export class PreemptiblePacer extends Pacer {
  readonly #runDue: () => Promise<void>

  /** `runDue` does what is due; it throws `Preempted` when the work is to be begun again later. */
  constructor(options: PacerOptions, runDue: () => Promise<void>) {
    super(options)
    this.#runDue = runDue
  }

  override async rest(): Promise<void> {
    await super.rest()
    await this.#runDue()
  }
}
