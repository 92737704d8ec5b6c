import { Pacer, type PacerOptions } from '../../../lib/pacer.ts'

/** A merge was given up for what goes before it; it has left nothing, and is begun again later. */
export class GaveWay extends Error {}

/** Lets what goes before it run at each rest. */
export class GivingWay extends Pacer {
  readonly #giveWay: () => Promise<void>

  /** `giveWay` does what is due; it throws `GaveWay` when the work is to be begun again later. */
  constructor(options: PacerOptions, giveWay: () => Promise<void>) {
    super(options)
    this.#giveWay = giveWay
  }

  override async rest(): Promise<void> {
    await super.rest()
    await this.#giveWay()
  }
}
